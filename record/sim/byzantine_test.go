package sim_test

import (
	"context"
	"strings"
	"testing"

	"etrace/record/sim"
	"etrace/tracefmt"
)

// gossiping has process 1 send LIST(n, [1 2]) to 2 and to 3 at each start, and
// keep the list.
func gossiping(actions ...sim.Action) sim.Config {
	y := newToy()
	y.Start = func(p *sim.Process) {
		both := sim.ListOf[tracefmt.ProcessID](1, 2)
		y.members.Set(p, both)
		for _, q := range []tracefmt.ProcessID{2, 3} {
			y.list.Send(p, q, listFields{7, both})
		}
		y.list.Send(p, p.ID(), listFields{0, both})
	}
	y.Receive = func(p *sim.Process, m arrived) { y.flag.Set(p, true) }
	return y.config(3, actions...)
}

func silence(p int, at float64) sim.Action { return act(sim.SilenceProcess, p, at) }

func lie(p int, at float64, fields string, receivers ...tracefmt.ProcessID) sim.Action {
	a := act(sim.LieProcess, p, at)
	a.Type, a.Fields, a.Receivers = "LIST", []byte(fields), receivers
	return a
}

func forge(p int, at float64, typ, fields string, receivers ...tracefmt.ProcessID) sim.Action {
	a := act(sim.ForgeMessage, p, at)
	a.Type, a.Fields, a.Receivers = typ, []byte(fields), receivers
	return a
}

// sent returns what is sent: sender, receiver, type and fields.
func sent(t *testing.T, c sim.Config) string {
	t.Helper()
	m := tracefmt.NewMemory(tracefmt.Run{Members: c.Members})
	if _, err := sim.Run(context.Background(), c, m); err != nil {
		t.Fatal(err)
	}
	var sends []string
	for e := range m.Events(1) {
		if e.Kind == tracefmt.Send {
			sends = append(sends, strings.TrimSpace(string(rune('0'+e.Process))+">"+string(rune('0'+e.Peer))+" "+e.Type+string(e.Payload)))
		}
		if elected, ok := e.Field("members"); ok && e.Kind == tracefmt.State && string(elected) != "[1,2]" {
			t.Errorf("seq %d: the liar believes its lie: %s", e.Seq, e.Payload)
		}
	}
	return strings.Join(sends, " ")
}

// A Byzantine process can be silent, lie to all alike, lie to each differently, or send what its algorithm
// does not.
func TestByzantine(t *testing.T) {
	const honest = `{"n":7,"list":[1,2]}`
	for name, test := range map[string]struct {
		actions []sim.Action
		want    string
	}{
		"honest":               {nil, `1>2 LIST` + honest + ` 1>3 LIST` + honest},
		"silent":               {[]sim.Action{silence(1, 0)}, ``},
		"silent from later on": {[]sim.Action{silence(1, 0.5), start(1, 1)}, `1>2 LIST` + honest + ` 1>3 LIST` + honest},
		"another is silent":    {[]sim.Action{silence(2, 0)}, `1>2 LIST` + honest + ` 1>3 LIST` + honest},
		"a lie to all":         {[]sim.Action{lie(1, 0, `{"n":8}`)}, `1>2 LIST{"n":8,"list":[1,2]} 1>3 LIST{"n":8,"list":[1,2]}`},
		"different words": {
			[]sim.Action{lie(1, 0, `{"n":8}`, 2), lie(1, 0, `{"list":[3]}`, 3)},
			`1>2 LIST{"n":8,"list":[1,2]} 1>3 LIST{"n":7,"list":[3]}`,
		},
		"the last word counts": {
			[]sim.Action{lie(1, 0, `{"n":8}`), lie(1, 0, `{"n":9}`, 3)},
			`1>2 LIST{"n":8,"list":[1,2]} 1>3 LIST{"n":9,"list":[1,2]}`,
		},
		"a lie too late":   {[]sim.Action{lie(1, 0.5, `{"n":8}`)}, `1>2 LIST` + honest + ` 1>3 LIST` + honest},
		"a lie of another": {[]sim.Action{lie(2, 0, `{"n":8}`)}, `1>2 LIST` + honest + ` 1>3 LIST` + honest},
		"forged":           {[]sim.Action{forge(2, 0, "A", `{}`, 1, 3)}, `2>1 A 2>3 A 1>2 LIST` + honest + ` 1>3 LIST` + honest},
		"silent but for a forgery, which is no lie": {
			[]sim.Action{silence(1, 0), lie(1, 0, `{"n":8}`), forge(1, 2, "LIST", honest, 3)}, `1>3 LIST` + honest,
		},
		"the dead forge nothing": {[]sim.Action{crash(2, 0), forge(2, 1, "A", `{}`, 1)}, `1>2 LIST` + honest + ` 1>3 LIST` + honest},
	} {
		if got := sent(t, gossiping(append(test.actions, start(1, 0))...)); got != test.want {
			t.Errorf("%s:\n%s\nwant\n%s", name, got, test.want)
		}
	}
}

// A silent process still hears itself and others.
func TestSilentProcessesHear(t *testing.T) {
	l, _ := run(t, gossiping(silence(1, 0), start(1, 0)))
	if !strings.Contains(strings.Join(l.lines, "\n"), `state 1 {"flag":true`) {
		t.Errorf("the silent process did not hear itself:\n%s", strings.Join(l.lines, "\n"))
	}
}

func TestByzantineErrors(t *testing.T) {
	for want, a := range map[string]sim.Action{
		"unknown message type \"LAST\"":             {Kind: sim.LieProcess, Process: 1, Type: "LAST", Fields: []byte(`{"n":1}`)},
		"unknown field of LIST \"m\"":               lie(1, 0, `{"m":1}`),
		"field n of LIST":                           lie(1, 0, `{"n":[]}`),
		"goes to other processes":                   lie(1, 0, `{"n":1}`, 1),
		"a lie or a forged message goes to":         forge(1, 0, "A", `{}`),
		"LIST lacks one of its fields n, list":      forge(1, 0, "LIST", `{"n":1}`, 2),
		"process number 4, but there are":           forge(1, 0, "A", `{}`, 4),
		"unknown field \"n\": A has none":           forge(1, 0, "A", `{"n":1}`, 2),
		"process number 9, but there are 3 process": silence(9, 0),
	} {
		_, err := sim.Run(context.Background(), gossiping(a), &log{})
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %s", err, want)
		}
	}
	c := gossiping(forge(1, 0, "A", `{}`, 3))
	c.Edges = [][2]tracefmt.ProcessID{{1, 2}, {2, 3}}
	if _, err := sim.Run(context.Background(), c, &log{}); err == nil || !strings.Contains(err.Error(), "neighbours only") {
		t.Errorf("%v", err)
	}
}
