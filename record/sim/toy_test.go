package sim_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"etrace/record/sim"
	"etrace/tracefmt"
)

// toy is an election whose handlers are those of the test. It has two message
// types without fields, one with an id, one with a list, two timers, a flag,
// and elected.
type toy struct {
	sim.Protocol
	a, b    sim.Signal
	id      sim.Message[idFields]
	list    sim.Message[listFields]
	t1, t2  sim.Timer
	flag    sim.Var[bool]
	elected sim.Elected
	members sim.Var[sim.List[tracefmt.ProcessID]]

	Start   func(p *sim.Process)
	Receive func(p *sim.Process, m arrived)
}

type (
	idFields   struct{ ID tracefmt.ProcessID }
	listFields struct {
		N    int64
		List sim.List[tracefmt.ProcessID]
	}
)

// arrived is a message of any type.
type arrived struct {
	Type string
	From tracefmt.ProcessID
	idFields
	listFields
}

func newToy() *toy {
	y := &toy{}
	y.a, y.b = y.Signal("A", ""), y.Signal("B", "")
	y.id = sim.DeclareMessage[idFields](&y.Protocol, "ID", "")
	y.list = sim.DeclareMessage[listFields](&y.Protocol, "LIST", "")
	y.t1, y.t2 = y.Timer("t1"), y.Timer("t2")
	y.elected = y.Elected()
	y.flag = sim.Declare[bool](&y.Protocol, "flag", "")
	y.members = sim.Declare[sim.List[tracefmt.ProcessID]](&y.Protocol, "members", "", sim.Every)

	y.Start = func(*sim.Process) {}
	y.Receive = func(*sim.Process, arrived) {}
	y.Timeout = func(*sim.Process, sim.Timer) {}
	y.Protocol.Start = y.elected.Noticing(func(p *sim.Process) { y.Start(p) })
	y.a.On(func(p *sim.Process, from tracefmt.ProcessID) { y.Receive(p, arrived{Type: "A", From: from}) })
	y.b.On(func(p *sim.Process, from tracefmt.ProcessID) { y.Receive(p, arrived{Type: "B", From: from}) })
	y.id.On(func(p *sim.Process, from tracefmt.ProcessID, m idFields) {
		y.Receive(p, arrived{Type: "ID", From: from, idFields: m})
	})
	y.list.On(func(p *sim.Process, from tracefmt.ProcessID, m listFields) {
		y.Receive(p, arrived{Type: "LIST", From: from, listFields: m})
	})
	return y
}

// config is a run of n processes named 1..n, in that ring order.
func (y *toy) config(n int, actions ...sim.Action) sim.Config {
	c := sim.Config{Protocol: &y.Protocol, Actions: actions}
	for i := range n {
		c.Members = append(c.Members, tracefmt.Member{Name: fmt.Sprint(i + 1), Position: i + 1})
	}
	return c
}

// u is an instant in units.
func u(t float64) tracefmt.Time { return tracefmt.Time(t * float64(tracefmt.Unit)) }

func start(p int, at float64) sim.Action    { return act(sim.StartProcess, p, at) }
func crash(p int, at float64) sim.Action    { return act(sim.CrashProcess, p, at) }
func recovers(p int, at float64) sim.Action { return act(sim.RecoverProcess, p, at) }

func act(kind sim.ActionKind, p int, at float64) sim.Action {
	return sim.Action{Kind: kind, Process: tracefmt.ProcessID(p), At: u(at)}
}

func split(at float64, groups ...[]tracefmt.ProcessID) sim.Action {
	return sim.Action{Kind: sim.SplitNetwork, At: u(at), Groups: groups}
}

func heal(at float64, groups ...[]tracefmt.ProcessID) sim.Action {
	return sim.Action{Kind: sim.HealNetwork, At: u(at), Groups: groups}
}

// log keeps the events of a run as lines.
type log struct {
	lines []string
	fates []string // reason and instant of each message's end
	last  tracefmt.Event
	kinds map[tracefmt.Kind]int
}

func (l *log) Write(e *tracefmt.Event) error {
	l.last = *e.Clone()
	if l.kinds == nil {
		l.kinds = map[tracefmt.Kind]int{}
	}
	l.kinds[e.Kind]++
	switch e.Kind {
	case tracefmt.Receive:
		l.fates = append(l.fates, "r"+e.Time.String())
	case tracefmt.Lose: // d, p, c: dropped, partitioned, receiver crashed
		reason := strings.TrimPrefix(strings.TrimPrefix(string(e.Payload), `{"reason":"`), "receiver ")
		l.fates = append(l.fates, reason[:1]+e.Time.String())
	case tracefmt.Start:
		return nil // every process that is up has one
	}
	line := fmt.Sprintf("%v %v", e.Time, e.Kind)
	if e.Process != 0 {
		line += fmt.Sprintf(" %d", e.Process)
	}
	if e.Peer != 0 {
		line += fmt.Sprintf(" peer %d", e.Peer)
	}
	if e.Type != "" {
		line += " " + e.Type
	}
	if e.Message != 0 {
		line += fmt.Sprintf(" m%d", e.Message)
	}
	if e.Payload != nil {
		line += " " + string(e.Payload)
	}
	l.lines = append(l.lines, line)
	return nil
}

// run simulates and returns the events without the starts.
func run(t testing.TB, c sim.Config) (*log, sim.Result) {
	t.Helper()
	again := &log{}
	if _, err := reused.Run(context.Background(), c, again); err != nil {
		t.Fatal(err)
	}
	l := &log{}
	r, err := sim.Run(context.Background(), c, l)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(l.lines, again.lines); diff != "" {
		t.Errorf("events (-want +those of a simulator that has run others):\n%s", diff)
	}
	return l, r
}

// reused simulates everything that the tests run.
var reused sim.Simulator

// expect runs and compares the whole trace, which must end quiescent.
func expect(t *testing.T, c sim.Config, want string) {
	t.Helper()
	l, r := run(t, c)
	if diff := cmp.Diff(lines(want), l.lines); diff != "" {
		t.Errorf("events (-want +got):\n%s", diff)
	}
	if r.End != tracefmt.Quiescent {
		t.Errorf("end %v, want quiescent", r.End)
	}
}

func lines(text string) []string {
	var lines []string
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		if line != "" {
			lines = append(lines, line)
		}
	}
	return lines
}
