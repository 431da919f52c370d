package scenario

import (
	"fmt"
	"testing"

	"etrace/record/sim"
)

// Claims become actions with the fields as in the trace. Their processes are Byzantine in the description of
// the run; no other process has attributes.
func TestByzantineActions(t *testing.T) {
	s := mustParse(t, `{"algorithm":"chang-roberts","ids":"10,20,30,40","start":"10","silence":"30@2",
		"lie":["20>30,40@1 election:id=10","20@0 elected:id=\"40\""],"forge":"10>20@3 election : id = 30"}`)
	c, run, err := s.Simulation()
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, a := range c.Actions {
		if a.Kind != sim.StartProcess {
			got = append(got, fmt.Sprintf("%d %v %d %s %s %v", a.Kind, a.At, a.Process, a.Type, a.Fields, a.Receivers))
		}
	}
	want := fmt.Sprintf("[%d 2 3   [] %d 1 2 election {\"id\":10} [3 4] %d 0 2 elected {\"id\":40} [] %d 3 1 election {\"id\":30} [2]]",
		sim.SilenceProcess, sim.LieProcess, sim.LieProcess, sim.ForgeMessage)
	if fmt.Sprint(got) != want {
		t.Errorf("%v\nwant %s", got, want)
	}
	for i, want := range []string{`{"role":"byzantine"}`, `{"role":"byzantine"}`, `{"role":"byzantine"}`, ``} {
		if got := string(run.Members[i].Attributes); got != want {
			t.Errorf("member %s has the attributes %q, want %q", run.Members[i].Name, got, want)
		}
	}
}

func TestByzantineErrors(t *testing.T) {
	const header = "algorithm: chang-roberts\nnodes: 3\n"
	for text, want := range map[string]string{
		"lie: 1@0 election:id=9":              `test.yaml:3:6: lie 1@0 election:id=9: field id of election: "9", expected a process`,
		"lie: 1@0 election:who=2":             `test.yaml:3:6: lie 1@0 election:who=2: unknown field of election "who" (known: id)`,
		"lie: 1@0 vote:who=2":                 `test.yaml:3:6: lie 1@0 vote:who=2: unknown message type "vote" (known: election, elected)`,
		"lie: [1@0 election:id=2, 9@0 x:y=1]": `test.yaml:3:26: lie 9@0 x:y=1: there is no process 9, the processes are 1-3`,
		"forge: 1>2@0 election":               `test.yaml:3:8: forge 1>2@0 election: election lacks one of its fields id`,
		"forge: 1>1@0 election:id=1":          `test.yaml:3:8: forge 1>1@0 election:id=1: a process sends itself nothing`,
		"forge: '1>2@0 election:id=1,id=2'":   `test.yaml:3:8: forge 1>2@0 election:id=1,id=2: the field id is given twice`,
		"silence: 7@0":                        `test.yaml:3:10: silence 7@0: there is no process 7, the processes are 1-3`,
		"lie: 1@0 election": `test.yaml:3:6: lie: "1@0 election": expected P@T TYPE:FIELD=VALUE, P>Q@T ` +
			`TYPE:FIELD=VALUE or P@T TYPE:PROCESS=VALUE, such as 1>2@0 VOTE:granted=true or 1@0 SEND:2=a,3=b`,
		"lie: election:id=2": `test.yaml:3:6: lie: "election:id=2": expected P@T TYPE:FIELD=VALUE, ` +
			`P>Q@T TYPE:FIELD=VALUE or P@T TYPE:PROCESS=VALUE, such as 1>2@0 VOTE:granted=true or 1@0 SEND:2=a,3=b`,
		"forge: 1@0 election:id=2": `test.yaml:3:8: forge: "1@0 election:id=2": expected P>Q@T ` +
			`TYPE:FIELD=VALUE,... with every field of the message, such as 1>2@0 VOTE:term=1,granted=true`,
		"lie: 1@0 election:9=2": `test.yaml:3:6: lie 1@0 election:9=2: there is no process 9, the processes are 1-3`,
		"lie: 1@0 election:1=2": `test.yaml:3:6: lie 1@0 election:1=2: a process sends itself nothing`,
		"lie: 1@0 election:2=9": `test.yaml:3:6: lie 1@0 election:2=9: field id of election: "9", expected a process`,
		"lie: '1@0 election:2=3,id=2'": `test.yaml:3:6: lie: "1@0 election:2=3,id=2": a field, id, beside a ` +
			`process, 2; expected one of them before each =`,
		"lie: 1>2@0 election:3=2": `test.yaml:3:6: lie: "1>2@0 election:3=2": receivers in front of @ and ` +
			`before =; expected them in one place`,
		"lie: [1@0 election:2=3, 1@1 " +
			"elected:id=2]": `test.yaml:3:25: lie 1@1 elected:id=2: 1 takes no step of its own, and sends only what other lies give it`,
		"forge: 1>2@0 election:2=3": `test.yaml:3:8: forge: "1>2@0 election:2=3": expected P>Q@T TYPE:FIELD=VALUE,... ` +
			`with every field of the message, such as 1>2@0 VOTE:term=1,granted=true`,
		"silence: 1": `test.yaml:3:10: silence: "1": expected PROCESS@TIME, such as 4@2.5`,
	} {
		s, err := Parse("test.yaml", []byte(header+text))
		if err == nil {
			_, _, err = s.Simulation()
		}
		if err == nil || err.Error() != want {
			t.Errorf("%q:\n%v\nwant\n%s", text, err, want)
		}
	}
}

// Commas inside of lists, objects and texts are no separators.
func TestClaimsWithCommas(t *testing.T) {
	const text = `1>2,3@0.5 APPEND:entries=[{"term":1,"a":"x,]"},2],m="a\",b",n=3`
	c, err := parseClaim(text, lieForm)
	if err != nil {
		t.Fatal(err)
	}
	want := []ClaimedField{{"entries", `[{"term":1,"a":"x,]"},2]`}, {"m", `"a\",b"`}, {"n", "3"}}
	if fmt.Sprint(c.Fields) != fmt.Sprint(want) || c.String() != text {
		t.Errorf("%q, %s", c.Fields, c)
	}
}

// A message to each of some processes is one action of a process that takes no step of its
// own; who makes it is Byzantine. A claim is written as it was read.
func TestSends(t *testing.T) {
	const text = "1@0.5 election:2=3,3={\"id\":1}"
	s := mustParse(t, `{"algorithm":"chang-roberts","nodes":"3","start":"all","lie":["1@0.5 election:2=3,3={\"id\":1}"]}`)
	c, run, err := s.Simulation()
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, a := range c.Actions {
		if a.Kind == sim.ForgeMessage {
			got = append(got, fmt.Sprintf("%v %d %s %s %v", a.At, a.Process, a.Type, a.Fields, a.Receivers))
		}
	}
	if want := `[0.5 1 election {"id":3} [2] 0.5 1 election {"id":1} [3]]`; fmt.Sprint(got) != want || fmt.Sprint(c.Passive) != "[1]" {
		t.Errorf("%v, passive %v, want %s and 1", got, c.Passive, want)
	}
	if string(run.Members[0].Attributes) != `{"role":"byzantine"}` || s.Lies[0].String() != text {
		t.Errorf("%s, %s", run.Members[0].Attributes, s.Lies[0])
	}
	sends := *s
	sends.Start = nil
	if sends.Idle() != "" {
		t.Error("a scenario in which a message is sent is idle")
	}
}
