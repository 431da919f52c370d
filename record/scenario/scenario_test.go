package scenario

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"etrace/record/sim"
	"etrace/record/sim/network"
	"etrace/tracefmt"
)

// everything has every key, in the form in which it is written.
const everything = `name: all keys
algorithm: bully
ids: 0-3,9,5
attribute:
- load=0:3,1:-2.5,2:9,3:1,9:4,5:7
- cpu=1,2,3,4,5,6
best: least:load
attribute-ties: id
anonymous: "on"
topology: grid(3)
edges: 0-1,9-5
down: 0,5
coordinator: "9"
start:
- 1@0
- 2@2.5
- all@3
op: write(5,"x y"):3@2.5
crash: 3@5
recover: 5@7.25
delay: uniform(0.5,1.5)
drop:
- "OK:3>2#1"
- "*:*>1"
slow: ELECTION:*>*=4
loss: "0.25"
duplicate: "0.125"
reorder: "on"
partition:
- 0-2|3@1-4
- 1|2|9@6
silence: 3@1
lie:
- 1@0 OK:a=1
- 1>2,3@0.5 OK:a=[1,2],b=x
forge: 2>1@4 OK
edit:
- drop m12
- delay seq40=2.5
- crash 3@seq41
- timeout=5@7.5
choices: 2,0,1
round-length: "2.5"
ring-repair: "off"
params:
  announce: live
  coordinator-timeout: "4.5"
seed: "-7"
until: "100"
max-events: "5000"
`

func mustParse(t testing.TB, text string) *Scenario {
	t.Helper()
	s, err := Parse("test.yaml", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// A written scenario is read again, as YAML and as JSON, with the same bytes.
func TestRoundTrips(t *testing.T) {
	s := mustParse(t, everything)
	yaml, err := s.YAML()
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(everything, string(yaml)); diff != "" {
		t.Errorf("YAML (-want +got):\n%s", diff)
	}
	json := s.JSON()
	again := mustParse(t, string(json))
	if diff := cmp.Diff(string(json), string(again.JSON())); diff != "" {
		t.Errorf("JSON (-want +got):\n%s", diff)
	}
	again.places, s.places = nil, nil
	if !reflect.DeepEqual(s, again) {
		t.Errorf("from JSON: %+v\nwant %+v", again, s)
	}
}

// The test above uses every key; a new key must be added to it.
func TestEveryKeyIsWritten(t *testing.T) {
	for _, k := range Keys {
		if k.get == nil {
			continue
		}
		name := k.Name
		if name == "param" {
			name = paramsKey
		}
		if !strings.Contains(everything, "\n"+name+":") && !strings.HasPrefix(everything, name+":") {
			t.Errorf("the round trip does not say %s", name)
		}
		if k.Doc == "" || k.Switch != (k.Arg == "") {
			t.Errorf("key %s: doc %q, arg %q", k.Name, k.Doc, k.Arg)
		}
	}
}

// Flags and file go through one table: the same text gives the same scenario.
func TestFlagsSayWhatFilesSay(t *testing.T) {
	file := mustParse(t, everything)
	flags := &Scenario{}
	for _, k := range Keys {
		if k.get == nil {
			continue
		}
		for _, text := range k.get(file) {
			if err := k.Set(flags, text); err != nil {
				t.Errorf("--%s %s: %v", k.Name, text, err)
			}
		}
	}
	if diff := cmp.Diff(string(file.JSON()), string(flags.JSON())); diff != "" {
		t.Errorf("(-file +flags):\n%s", diff)
	}
}

// Other spellings, and the one form in which they are written.
func TestSpellings(t *testing.T) {
	for _, test := range []struct{ input, want string }{
		{"nodes: 4", `{"ids":"1-4"}`},
		{"ids: 1,2,3,4", `{"ids":"1-4"}`},
		{"ids: 4,3,2,1", `{"ids":"4,3,2,1"}`},
		{"ids: 0-1,7, 8", `{"ids":"0,1,7,8"}`},
		{"ids: 9223372036854775806-9223372036854775807", `{"ids":"9223372036854775806,9223372036854775807"}`},
		{"ids: 9223372036854775807", `{"ids":"9223372036854775807"}`},
		{"topology: random-regular( 3, 7)", `{"topology":"random-regular(3,7)"}`},
		{"topology: complete", `{}`},
		{"edges: [1-2, '2-3, 4-1']", `{"edges":"1-2,2-3,4-1"}`},
		{"round-length: 2s", `{"round-length":"2"}`},
		{"round-length: 1", `{}`},
		{"down: [1, 2, 3]", `{"down":"1-3"}`},
		{"start: all", `{"start":"all@0"}`},
		{"start: 4", `{"start":"4@0"}`},
		{"start: 4@1500ms, 5", `{"start":["4@1.5","5@0"]}`},
		{"start: [4, 5@2]", `{"start":["4@0","5@2"]}`},
		{"edit: ' drop  m12'", `{"edit":"drop m12"}`},
		{"edit: [recover 3@1500ms, duplicate seq7]", `{"edit":["recover 3@1.5","duplicate seq7"]}`},
		{"edit: [crash 2@t=3, timeout=5@t=4.5]", `{"edit":["crash 2@3","timeout=5@4.5"]}`},
		{"delay: 1.50", `{"delay":"1.5"}`},
		{"delay: uniform( 0.5 , 1s )", `{"delay":"uniform(0.5,1)"}`},
		{"delay: exponential(2)", `{"delay":"exponential(2)"}`},
		{"drop: '*:*>*'", `{"drop":"*:*>*"}`},
		{"slow: OK:3>2#2=250ms", `{"slow":"OK:3>2#2=0.25"}`},
		{"loss: 1e-3", `{"loss":"0.001"}`},
		{"loss: 0", `{}`},
		{"reorder: true", `{"reorder":"on"}`},
		{"reorder: off", `{}`},
		{"ring-repair: false", `{"ring-repair":"off"}`},
		{"ring-repair: on", `{}`},
		{"partition: 1-3|4@0.5", `{"partition":"1-3|4@0.5"}`},
		{"timeout: 5", `{"params":{"timeout":"5"}}`},
		{"announce: all\nparams: {timeout: 4}", `{"params":{"announce":"all","timeout":"4"}}`},
		{"param: [announce=all, timeout=4]", `{"params":{"announce":"all","timeout":"4"}}`},
		{"until: 2500ms", `{"until":"2.5"}`},
		{"\ufeffseed: 3", `{"seed":"3"}`},
		{"name: |\n  two\n  lines\n", `{"name":"two\nlines\n"}`},
		{`{"algorithm":"ring","ids":"1-3"}`, `{"algorithm":"ring","ids":"1-3"}`},
		{"name: 'a: \"b\"\u2028'", `{"name":"a: \"b\"` + "\u2028" + `"}`},
	} {
		if got := string(mustParse(t, test.input).JSON()); got != test.want {
			t.Errorf("%s: %s, want %s", test.input, got, test.want)
		}
	}
}

// The parameters in the header of a run are complete, and times in one form.
func TestParamsAreResolved(t *testing.T) {
	_, run, err := mustParse(t, "algorithm: bully\nids: 1-3\ntimeout: 3500ms").Simulation()
	if err != nil {
		t.Fatal(err)
	}
	want := `{"algorithm":"bully","ids":"1-3","params":{"announce":"lower","coordinator-timeout":"off","guard":"on",` +
		`"skip-known-dead":"off","timeout":"3.5"}}`
	if got := string(run.Scenario); got != want {
		t.Errorf("scenario %s, want %s", got, want)
	}
}

// A parameter with processes has their ids, in the header as well; the protocol gets their numbers. An unknown
// process is refused.
func TestParamsThatNameProcesses(t *testing.T) {
	text := "algorithm: gajre-ragha\nids: 10,20,30\nparams:\n  believed-normal: 30, %s\n"
	c, run, err := mustParse(t, fmt.Sprintf(text, "10")).Simulation()
	if err != nil {
		t.Fatal(err)
	}
	if want := `"believed-normal":"30,10"`; !strings.Contains(string(run.Scenario), want) {
		t.Errorf("scenario %s, want %s", run.Scenario, want)
	}
	c.Down = []tracefmt.ProcessID{2, 3}
	m := tracefmt.NewMemory(*run)
	if _, err := sim.Run(t.Context(), c, m); err != nil {
		t.Fatal(err)
	}
	table, _ := m.At(1).Field("table")
	if want := `{"10":"NORMAL","20":"CRASHED","30":"NORMAL"}`; string(table) != want {
		t.Errorf("table %s, want %s", table, want)
	}
	_, _, err = mustParse(t, fmt.Sprintf(text, "4")).Simulation()
	if want := "test.yaml:4:3: params believed-normal 30,4: there is no process 4, the processes " +
		"are 10,20,30"; err == nil || err.Error() != want {
		t.Errorf("%v, want %s", err, want)
	}
}

// Flags win over the file, except that params are merged.
func TestMerge(t *testing.T) {
	file := mustParse(t, everything)
	flags := &Scenario{}
	given := map[string]bool{}
	for _, flag := range [][2]string{
		{"nodes", "4"}, {"down", "4"}, {"reorder", "off"}, {"seed", "0"}, {"timeout", "5"}, {"announce", "all"},
	} {
		i := slices.IndexFunc(Keys, func(k Key) bool { return k.Name == flag[0] })
		if err := Keys[i].Set(flags, flag[1]); err != nil {
			t.Fatal(err)
		}
		given[flag[0]] = true
	}
	merged := Merge(file, flags, given)
	want := file
	want.IDs, want.Down, want.Reorder, want.Seed = []int64{1, 2, 3, 4}, []int64{4}, false, 0
	before := string(want.JSON())
	want.Params = map[string]string{"timeout": "5", "announce": "all", "coordinator-timeout": "4.5"}
	if diff := cmp.Diff(string(want.JSON()), string(merged.JSON())); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if !strings.Contains(before, `"announce":"live"`) {
		t.Errorf("merging changed the file's scenario: %s", before)
	}
}

// An empty scenario is the lecture's example; anything else is not.
func TestComplete(t *testing.T) {
	for input, want := range map[string]string{
		"":                        `{"algorithm":"bully","ids":"0-7","down":"7","start":"4@0"}`,
		"algorithm: ring":         `{"algorithm":"ring","ids":"0-7","down":"7","start":"4@0"}`,
		"start: 2":                `{"algorithm":"bully","ids":"0-7","start":"2@0"}`,
		"nodes: 3":                `{"algorithm":"bully","ids":"1-3"}`,
		"coordinator: 7\nseed: 1": `{"algorithm":"bully","ids":"0-7","coordinator":"7","seed":"1"}`,
	} {
		s := &Scenario{}
		if input != "" {
			s = mustParse(t, input)
		}
		s.Complete()
		if got := string(s.JSON()); got != want {
			t.Errorf("%q: %s, want %s", input, got, want)
		}
	}
	s := &Scenario{}
	s.Complete()
	if s.Idle() != "" {
		t.Error("the example is idle")
	}
	for file, want := range map[string]string{
		"{algorithm: bully, nodes: 3}":                     "--start P lets process P notice that the coordinator is gone",
		"{algorithm: maekawa, nodes: 4}":                   "--start P lets process P ask for the critical section",
		"{algorithm: maekawa, nodes: 4, start: 1}":         "",
		"{algorithm: tree-wave, nodes: 3, topology: line}": "", // which begins by itself
	} {
		s := mustParse(t, file)
		s.Complete()
		if s.Idle() != want {
			t.Errorf("%s: %q, want %q", file, s.Idle(), want)
		}
	}
}

// A scenario's words become the simulator's numbers: processes ascending by
// id, their positions the order of the list; a partition that follows another
// at once splits after the heal.
func TestSimulation(t *testing.T) {
	s := mustParse(t, `
algorithm: chang-roberts
ids: 33,17,4,24
down: 24
start: all
crash: 17@2
slow: elected:4>*#2=3
partition:
- 4|17,33@5
- 4,17|33@1-5
`)
	c, run, err := s.Simulation()
	if err != nil {
		t.Fatal(err)
	}
	wantMembers := []tracefmt.Member{{Name: "4", Position: 3}, {Name: "17", Position: 2}, {Name: "24", Position: 4}, {Name: "33", Position: 1}}
	if diff := cmp.Diff(wantMembers, run.Members); diff != "" {
		t.Errorf("members (-want +got):\n%s", diff)
	}
	u := tracefmt.Unit
	ids := func(list ...tracefmt.ProcessID) []tracefmt.ProcessID { return list }
	wantActions := []sim.Action{
		{Kind: sim.CrashProcess, At: 2 * u, Process: 2},
		{Kind: sim.StartProcess, Process: 1},
		{Kind: sim.StartProcess, Process: 2},
		{Kind: sim.StartProcess, Process: 4},
		{Kind: sim.HealNetwork, At: 5 * u, Partition: 1, Groups: [][]tracefmt.ProcessID{ids(1, 2), ids(4)}},
		{Kind: sim.SplitNetwork, At: 5 * u, Partition: 0, Groups: [][]tracefmt.ProcessID{ids(1), ids(2, 4)}},
		{Kind: sim.SplitNetwork, At: u, Partition: 1, Groups: [][]tracefmt.ProcessID{ids(1, 2), ids(4)}},
	}
	if diff := cmp.Diff(wantActions, c.Actions); diff != "" {
		t.Errorf("actions (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]network.Rule{{Type: "elected", From: 1, Occurrence: 2, Delay: 3 * u}}, c.Rules); diff != "" {
		t.Errorf("rules (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(ids(3), c.Down); diff != "" {
		t.Errorf("down (-want +got):\n%s", diff)
	}
}
