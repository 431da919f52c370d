package sim_test

import (
	"context"
	"encoding/json"
	"testing"

	"etrace/record/sim"
	"etrace/record/sim/network"
	"etrace/tracefmt"
)

// loopOf returns the seqs of the loop that ended the run, ok false if none did.
func loopOf(t testing.TB, l *log, r sim.Result) (from, end int64, ok bool) {
	t.Helper()
	if r.End != tracefmt.Stopped {
		return 0, 0, false
	}
	var note struct{ From, To int64 }
	if l.last.Kind != tracefmt.Note || l.last.Type != tracefmt.LoopNote || json.Unmarshal(l.last.Payload, &note) != nil {
		t.Fatalf("stopped, but the last event is %+v", l.last)
	}
	return note.From, note.To, true
}

// rho sends a number to and fro between 1 and 2: it counts up from 0, and from
// stem+cycle-1 jumps back to stem. cycle = 0: it ends at stem.
func rho(stem, cycle int64) *toy {
	y := newToy()
	y.Start = func(p *sim.Process) { y.list.Send(p, 2, listFields{N: 0}) }
	y.Receive = func(p *sim.Process, m arrived) {
		n := m.N + 1
		switch {
		case cycle == 0 && n > stem:
			return
		case cycle > 0 && n >= stem+cycle:
			n = stem
		}
		y.list.Send(p, m.From, listFields{N: n})
	}
	return y
}

// The loop is found where the state recurs first: the number stem is sent for the first time after stem
// messages, and by the same process again a round later. The sender is part of the state, so an odd cycle
// takes two rounds.
func TestLoopIsFound(t *testing.T) {
	for stem := int64(0); stem < 20; stem++ {
		for cycle := int64(1); cycle < 20; cycle++ {
			l, r := run(t, rho(stem, cycle).config(2, start(1, 0)))
			from, end, ok := loopOf(t, l, r)
			steps := cycle
			if cycle%2 == 1 {
				steps *= 2
			}
			sent := int64(4) + 2*stem // the seq of the send of stem: two starts, the action, the send of 0, a receive and a send each
			if !ok || from != sent || end != sent+2*steps {
				t.Fatalf("stem %d, cycle %d: loop %d to %d, %v, want %d to %d", stem, cycle, from, end, ok, sent, sent+2*steps)
			}
			if r.Messages != 1+stem+steps {
				t.Errorf("stem %d, cycle %d: found after %d messages, want %d", stem, cycle, r.Messages, 1+stem+steps)
			}
		}
	}
}

// TestLongLoopIsFound: of a run that is longer than its hashes are kept, the loop is found by Brent's method, within
// three times the longer of stem and cycle.
func TestLongLoopIsFound(t *testing.T) {
	const stem, cycle = 20_000, 300
	l, r := run(t, rho(stem, cycle).config(2, start(1, 0)))
	if from, end, ok := loopOf(t, l, r); !ok || end-from != 2*cycle || r.Messages > 3*stem+5 {
		t.Errorf("loop %d to %d, %v, after %d messages, want a length of %d", from, end, ok, r.Messages, 2*cycle)
	}
}

// A run that ends is never reported as a loop, however long it takes.
func TestNoLoopWhereTheRunEnds(t *testing.T) {
	for _, steps := range []int64{0, 1, 2, 3, 10, 100, 1000, 5000} {
		l, r := run(t, rho(steps, 0).config(2, start(1, 0)))
		if r.End != tracefmt.Quiescent || r.Messages != steps+1 {
			t.Errorf("%d steps: end %v after %d messages: %s", steps, r.End, r.Messages, l.lines[len(l.lines)-1])
		}
	}
}

// pingPong answers A with A forever.
func pingPong() *toy {
	y := newToy()
	y.Start = func(p *sim.Process) { y.a.Send(p, 2) }
	y.Receive = func(p *sim.Process, m arrived) { y.a.Send(p, m.From) }
	return y
}

// The position of a counting rule is part of the state: the k-th message is dropped, so the run ends.
func TestNoLoopBeforeACountingRule(t *testing.T) {
	for k := 1; k < 200; k++ {
		c := pingPong().config(2, start(1, 0))
		c.Rules = []network.Rule{{From: 1, Occurrence: k, Drop: true}}
		_, r := run(t, c)
		if r.End != tracefmt.Quiescent || r.Messages != int64(2*k-1) {
			t.Fatalf("drop the message #%d: end %v after %d messages", k, r.End, r.Messages)
		}
	}
}

// A rule that has done its work hinders no more: the loop after it is found.
func TestLoopAfterACountingRule(t *testing.T) {
	c := pingPong().config(2, start(1, 0))
	c.Rules = []network.Rule{{From: 1, Occurrence: 20, Delay: u(3)}, {Type: "B", Occurrence: 1, Drop: true}}
	l, r := run(t, c)
	from, end, ok := loopOf(t, l, r)
	if !ok || end-from != 4 {
		t.Errorf("loop %d to %d, %v, want 4 events", from, end, ok)
	}
	for _, line := range l.lines {
		if line == "41 receive 2 peer 1 A m39" { // sent at 38
			return
		}
	}
	t.Error("the loop was reported before the rule slowed the 20th message")
}

// While faults are still to come nothing is proved.
func TestNoLoopBeforeTheLastFault(t *testing.T) {
	_, r := run(t, pingPong().config(2, start(1, 0), crash(2, 1000)))
	if r.End != tracefmt.Quiescent || r.Now < u(1000) {
		t.Errorf("end %v at %v, want quiescent after the crash at 1000", r.End, r.Now)
	}
}

// A run with random choices proves nothing by repeating a state.
func TestNoLoopWhenRandom(t *testing.T) {
	for name, change := range map[string]func(c *sim.Config){
		"delay":     func(c *sim.Config) { c.Delay = network.Delay{Distribution: network.Uniform, A: 1, B: 3} },
		"loss":      func(c *sim.Config) { c.Loss = 1e-300 },
		"duplicate": func(c *sim.Config) { c.Duplicate = 1e-300 },
	} {
		c := pingPong().config(2, start(1, 0))
		c.MaxEvents = 2000
		change(&c)
		if _, r := run(t, c); r.End != tracefmt.Deadline {
			t.Errorf("random %s: end %v, want deadline", name, r.End)
		}
	}
}

// Timers that set themselves again are a loop, too; two that are due at one
// instant in another order are another state.
func TestLoopOfTimers(t *testing.T) {
	y := newToy()
	y.Start = func(p *sim.Process) {
		p.SetTimer(y.t1, u(2))
		p.SetTimer(y.t2, u(3))
	}
	y.Timeout = func(p *sim.Process, timer sim.Timer) { p.SetTimer(timer, u(2)+u(1)*tracefmt.Time(timer)) }
	l, r := run(t, y.config(1, start(1, 0)))
	// 6 units: t1 three times, t2 twice, two events each.
	if from, end, ok := loopOf(t, l, r); !ok || end-from != 10 {
		t.Errorf("loop %d to %d, %v, want 10 events", from, end, ok)
	}
}

// A timer that is restarted in each round before it is due is the same state in
// each round: a receive and a send at either end, and one set-timer.
func TestLoopOfRestarts(t *testing.T) {
	y := pingPong()
	y.Receive = func(p *sim.Process, m arrived) {
		if p.ID() == 1 {
			p.SetTimer(y.t1, u(10))
		}
		y.a.Send(p, m.From)
	}
	l, r := run(t, y.config(2, start(1, 0)))
	if from, end, ok := loopOf(t, l, r); !ok || end-from != 5 {
		t.Errorf("loop %d to %d, %v, want 5 events", from, end, ok)
	}
}

// A large state is saved less often at first, but its loop is found: n tokens
// on a ring of n come home after n rounds.
func TestLoopOfALargeState(t *testing.T) {
	const n = 200
	c := courier(n, 0)
	c.Actions = c.Actions[:n]
	l, r := run(t, c)
	if from, end, ok := loopOf(t, l, r); !ok || end-from != 2*n*n {
		t.Errorf("loop %d to %d, %v, want a length of %d", from, end, ok, 2*n*n)
	}
}

// A lone process that passes a message to itself forever makes no events: the
// loop is empty, and the run does not hang, also where no loop is sought.
func TestLoneProcessPassesToItself(t *testing.T) {
	y := newToy()
	y.Start = func(p *sim.Process) { y.id.SendNext(p, idFields{2}) }
	y.Receive = func(p *sim.Process, m arrived) { y.id.SendNext(p, idFields{m.ID}) }
	c := y.config(2, recovers(2, 1), start(2, 2))
	c.Down, c.NoRingRepair = []tracefmt.ProcessID{2}, true
	l, r := run(t, c)
	if from, end, ok := loopOf(t, l, r); !ok || from != end || r.Messages != 1 {
		t.Errorf("loop %d to %d, %v, %d messages, want an empty loop after one message", from, end, ok, r.Messages)
	}
	c.Loss, c.MaxEvents = 1e-300, 1000
	_, r = run(t, c)
	if r.End != tracefmt.Deadline {
		t.Errorf("end %v, want deadline", r.End)
	}
	// With repair each pass is a suspicion.
	c = y.config(2, start(2, 0), crash(2, 0.5))
	l, r = run(t, c)
	if from, end, ok := loopOf(t, l, r); !ok || end-from != 1 {
		t.Errorf("loop %d to %d, %v, want one suspicion", from, end, ok)
	}
}

// The state after the first event of a loop recurs forever: a run that goes
// on regardless repeats the events.
func TestLoopIsExact(t *testing.T) {
	c := rho(7, 5).config(2, start(1, 0))
	l, r := run(t, c)
	from, end, _ := loopOf(t, l, r)
	c.Loss, c.MaxEvents = 1e-300, end+3*(end-from) // no loss, but no search for loops
	m := tracefmt.NewMemory(tracefmt.Run{})
	if _, err := sim.Run(context.Background(), c, m); err != nil {
		t.Fatal(err)
	}
	for seq := from + 1; seq+end-from <= c.MaxEvents; seq++ {
		a, b := m.At(tracefmt.Seq(seq)), m.At(tracefmt.Seq(seq+end-from))
		if a.Kind != b.Kind || a.Process != b.Process || string(a.Payload) != string(b.Payload) {
			t.Fatalf("seq %d is %+v, one round later %+v", seq, a, b)
		}
	}
}
