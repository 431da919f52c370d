package sim_test

import (
	"context"
	"errors"
	"testing"

	"etrace/record/sim"
	"etrace/tracefmt"
)

// Anonymous processes have no ids: a protocol that asks for one is refused, with what it does.
func TestAnonymousProcessesHaveNoIDs(t *testing.T) {
	for want, start := range map[string]func(y *toy, p *sim.Process){
		"":                                   func(y *toy, p *sim.Process) { y.a.SendNext(p); y.b.Broadcast(p); _ = p.Last() },
		"asks for its own id":                func(_ *toy, p *sim.Process) { _ = p.ID() },
		"asks for its own name":              func(_ *toy, p *sim.Process) { _ = p.Name() },
		"asks for the ids of its neighbours": func(_ *toy, p *sim.Process) { _ = p.Neighbours() },
		"asks for the id of a process on the ring": func(_ *toy, p *sim.Process) { _ = p.Along(1) },
		"asks for the id of a neighbour":           func(_ *toy, p *sim.Process) { _, _ = p.Towards(1) },
		"asks whether a process of some id is up":  func(_ *toy, p *sim.Process) { _ = p.Up(1) },
		"sends to a process of some id":            func(y *toy, p *sim.Process) { y.a.Send(p, 2) },
		"asks for the id of its coordinator":       func(y *toy, p *sim.Process) { _ = y.elected.Suspected(p) },
	} {
		y := newToy()
		y.Protocol.Start = func(p *sim.Process) { start(y, p) }
		c := sim.Config{
			Protocol: &y.Protocol, Anonymous: true, Members: membersOf(3),
			Actions: []sim.Action{{Kind: sim.StartProcess, Process: 1}},
		}
		_, err := sim.Run(context.Background(), c, tracefmt.NewMemory(tracefmt.Run{}))
		var m *sim.Mistake
		switch {
		case want == "" && err != nil:
			t.Errorf("got %v", err)
		case want != "" && (!errors.As(err, &m) || !m.Anonymous || m.Reason != want):
			t.Errorf("got %v, want that it %s", err, want)
		}
		c.Anonymous = false
		if _, err := sim.Run(context.Background(), c, tracefmt.NewMemory(tracefmt.Run{})); err != nil {
			t.Errorf("a process with an id that %s: %v", want, err)
		}
	}
}

// No receiver learns who has sent a message.
func TestAnonymousMessagesHaveNoSender(t *testing.T) {
	for anonymous, want := range map[bool]tracefmt.ProcessID{true: 0, false: 1} {
		y := newToy()
		got := tracefmt.ProcessID(-1)
		y.Protocol.Start = func(p *sim.Process) { y.a.SendNext(p) }
		y.a.On(func(_ *sim.Process, from tracefmt.ProcessID) { got = from })
		c := sim.Config{
			Protocol: &y.Protocol, Anonymous: anonymous, Members: membersOf(3),
			Actions: []sim.Action{{Kind: sim.StartProcess, Process: 1}},
		}
		if _, err := sim.Run(context.Background(), c, tracefmt.NewMemory(tracefmt.Run{})); err != nil || got != want {
			t.Errorf("anonymous %t: sender %d (%v), want %d", anonymous, got, err, want)
		}
	}
}
