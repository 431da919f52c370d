package sim_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"etrace/record/sim"
	"etrace/record/sim/network"
	"etrace/tracefmt"
)

// Everybody is a neighbour, in ascending order, unless there are edges.
func TestNeighbours(t *testing.T) {
	for _, test := range []struct {
		edges [][2]tracefmt.ProcessID
		want  string
	}{
		{nil, "[2 3 4] [1 3 4] [1 2 4] [1 2 3]"},
		{[][2]tracefmt.ProcessID{{4, 2}, {2, 1}, {3, 2}}, "[2] [1 3 4] [2] [2]"},
		{[][2]tracefmt.ProcessID{}, "[] [] [] []"},
	} {
		y, got := newToy(), ""
		y.Start = func(p *sim.Process) { got += fmt.Sprint(" ", p.Neighbours()) }
		c := y.config(4, start(1, 0), start(2, 0), start(3, 0), start(4, 0))
		c.Edges = test.edges
		if _, err := sim.Run(context.Background(), c, tracefmt.NewMemory(tracefmt.Run{})); err != nil {
			t.Fatal(err)
		}
		if got != " "+test.want {
			t.Errorf("edges %v: neighbours%s, want %s", test.edges, got, test.want)
		}
	}
}

// mistakeOf runs a config that an algorithm makes impossible.
func mistakeOf(t *testing.T, c sim.Config) (*sim.Mistake, *tracefmt.Memory) {
	t.Helper()
	c.Origin = func() string { return "the scenario at hand" }
	m := tracefmt.NewMemory(tracefmt.Run{Members: c.Members})
	_, err := sim.Run(context.Background(), c, m)
	if _, again := reused.Run(context.Background(), c, &log{}); again == nil || again.Error() != err.Error() {
		t.Errorf("error %v of a simulator that has run others, want %v", again, err)
	}
	var mistake *sim.Mistake
	if !errors.As(err, &mistake) {
		t.Fatalf("error %v, want a mistake", err)
	}
	return mistake, m
}

// A message to one who is no neighbour is not sent, and ends the run after the
// step.
func TestMessageToNoNeighbour(t *testing.T) {
	y := newToy()
	y.Start = func(p *sim.Process) {
		y.a.Send(p, 2)
		y.a.Send(p, 3)
		y.b.Send(p, 2)
	}
	c := y.config(3, start(1, 2))
	c.Edges = [][2]tracefmt.ProcessID{{1, 2}, {2, 3}}
	mistake, m := mistakeOf(t, c)
	// Three starts, the suspicion of a start, one send.
	if want := "a mistake of the algorithm at process 1, t=2, after event 5: it sends to process 3, which is no " +
		"neighbour of it; the scenario: the scenario at hand"; mistake.Error() != want {
		t.Errorf("%v\nwant %s", mistake, want)
	}
	sent := 0
	for e := range m.Events(1) {
		if e.Kind == tracefmt.Send {
			sent++
		}
	}
	if sent != 2 {
		t.Errorf("%d messages sent, want 2: the step goes on to its end", sent)
	}
}

// A message to an unknown process is not sent in any graph: no event of the trace has such a receiver.
func TestMessageToNoProcess(t *testing.T) {
	for _, test := range []struct {
		receiver tracefmt.ProcessID
		edges    [][2]tracefmt.ProcessID
		claim    []sim.Action
		want     string
	}{
		{0, nil, nil, "it sends to no process (number 0)"},
		{0, [][2]tracefmt.ProcessID{{1, 2}, {2, 3}}, nil, "it sends to no process (number 0)"},
		{4, nil, nil, "it sends to the process number 4, expected 1 to 3"},
		{-1, nil, nil, "it sends to the process number -1, expected 1 to 3"},
		{0, nil, []sim.Action{lie(2, 0, `{"list":[]}`)}, "it sends to no process (number 0), which a lie or a forged message may have named"},
	} {
		y := newToy()
		y.Start = func(p *sim.Process) {
			y.a.Send(p, 2)
			y.a.Send(p, test.receiver)
		}
		c := y.config(3, append(test.claim, start(1, 2))...)
		c.Edges = test.edges
		mistake, m := mistakeOf(t, c)
		if mistake.Reason != test.want || mistake.Process != "1" {
			t.Errorf("to %d: %v, want %s", test.receiver, mistake, test.want)
		}
		for e := range m.Events(1) {
			if e.Kind == tracefmt.Send && e.Peer != 2 {
				t.Errorf("to %d: event %d is a message to %d", test.receiver, e.Seq, e.Peer)
			}
		}
	}
}

// The ring is closed around crashed processes.
func TestRepairedRingHasNewNeighbours(t *testing.T) {
	y := newToy()
	y.Start = func(p *sim.Process) { y.a.SendNext(p) }
	c := y.config(4, crash(2, 0), start(1, 0))
	c.Edges = [][2]tracefmt.ProcessID{{1, 2}, {2, 3}, {3, 4}, {1, 4}}
	if _, err := sim.Run(context.Background(), c, tracefmt.NewMemory(tracefmt.Run{})); err != nil {
		t.Error(err)
	}
	c.Edges = c.Edges[:3] // a line is no ring: 4 has no successor that it may send to
	c.Actions = []sim.Action{start(4, 0)}
	mistakeOf(t, c)
}

// Both neighbours get a message, the smaller id first, around crashed processes. In a ring of two, one process
// gets both messages, first as the successor.
func TestBothNeighbours(t *testing.T) {
	for _, test := range []struct {
		n       int
		crashed []sim.Action
		starter int
		want    string
	}{
		{4, nil, 1, "1>2:1 1>4:2"},
		{4, nil, 4, "4>1:1 4>3:2"},
		{4, nil, 3, "3>2:2 3>4:1"},
		{4, []sim.Action{crash(4, 0)}, 1, "1>2:1 1>3:2"},
		{5, []sim.Action{crash(2, 0), crash(5, 0)}, 1, "1>3:1 1>4:2"},
		{2, nil, 2, "2>1:1 2>1:2"},
		{1, nil, 1, ""},
	} {
		y := newToy()
		y.Start = func(p *sim.Process) { y.list.SendBoth(p, listFields{N: 1}, listFields{N: 2}) }
		c := y.config(test.n, append(test.crashed, start(test.starter, 1))...)
		for p := range test.n {
			if q := (p + 1) % test.n; p < q || test.n > 2 {
				c.Edges = append(c.Edges, [2]tracefmt.ProcessID{tracefmt.ProcessID(p + 1), tracefmt.ProcessID(q + 1)})
			}
		}
		if test.n == 1 {
			c.Edges = nil
		}
		m := tracefmt.NewMemory(tracefmt.Run{})
		if _, err := sim.Run(context.Background(), c, m); err != nil {
			t.Error(err)
		}
		var sent []string
		for e := range m.Events(1) {
			if n, ok := e.Field("n"); ok && e.Kind == tracefmt.Send {
				sent = append(sent, fmt.Sprintf("%d>%d:%s", e.Process, e.Peer, n))
			}
		}
		if got := strings.Join(sent, " "); got != test.want {
			t.Errorf("%d of %d, %d down: sent %q, want %q", test.starter, test.n, len(test.crashed), got, test.want)
		}
	}
}

// A panic in any function of an algorithm is its mistake, with the place.
func TestPanicIsAMistake(t *testing.T) {
	oops := func(*sim.Process) { panic("oops") }
	for name, breaks := range map[string]func(y *toy){
		"start":   func(y *toy) { y.Start = oops },
		"begin":   func(y *toy) { y.Begin = oops },
		"recover": func(y *toy) { y.Recover = oops },
		"busy":    func(y *toy) { y.Busy = func(p *sim.Process) bool { oops(p); return false } },
		"receive": func(y *toy) { y.Receive = func(p *sim.Process, _ arrived) { oops(p) } },
		"timeout": func(y *toy) { y.Timeout = func(p *sim.Process, _ sim.Timer) { oops(p) } },
		"itself": func(y *toy) { // in the handler of a message to oneself
			y.Start = func(p *sim.Process) { y.a.Send(p, p.ID()) }
			y.Receive = func(p *sim.Process, _ arrived) { oops(p) }
		},
	} {
		y := newToy()
		y.Start = func(p *sim.Process) {
			y.a.Send(p, 1)
			p.SetTimer(y.t1, 1)
		}
		breaks(y)
		mistake, _ := mistakeOf(t, y.config(2, crash(1, 1), recovers(1, 2), start(2, 3)))
		if mistake.Reason != "it panics: oops" || mistake.Origin != "the scenario at hand" || mistake.Process == "" {
			t.Errorf("%s: %+v", name, mistake)
		}
	}
}

// A panic outside the algorithm is not its mistake.
func TestPanicOfAChooserGoesOn(t *testing.T) {
	defer func() {
		if r := recover(); r != "chooser" {
			t.Errorf("recovered %v", r)
		}
	}()
	y := newToy()
	y.Start = func(p *sim.Process) {
		y.a.Send(p, 2)
		y.a.Send(p, 3)
	}
	c := y.config(3, start(1, 0))
	c.Chooser = panicking{}
	_, _ = sim.Run(context.Background(), c, tracefmt.NewMemory(tracefmt.Run{}))
}

type panicking struct{}

func (panicking) Choose(network.Point) int { panic("chooser") }
