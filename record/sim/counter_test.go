package sim_test

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"etrace/record/sim"
	"etrace/replay"
	"etrace/tracefmt"
)

// ticket is a number that its holder has drawn.
type ticket struct {
	Number sim.Counter
	Holder tracefmt.ProcessID
}

// clocks sends a clock to and fro between 1 and 2, and keeps what it has seen: each receive
// adds step to it. The functions are those of the test.
type clocks struct {
	sim.Protocol
	clock  sim.Var[sim.Counter]
	seen   sim.Var[sim.Map[tracefmt.ProcessID, sim.Counter]]
	queue  sim.Var[sim.List[ticket]]
	stable sim.Var[sim.Counter]
	tick   sim.Message[ticket]
}

func newClocks(step sim.Counter) *clocks {
	y := &clocks{}
	y.clock = sim.Declare[sim.Counter](&y.Protocol, "clock", "")
	y.seen = sim.Declare[sim.Map[tracefmt.ProcessID, sim.Counter]](&y.Protocol, "seen", "")
	y.queue = sim.Declare[sim.List[ticket]](&y.Protocol, "queue", "")
	y.stable = sim.Declare[sim.Counter](&y.Protocol, "stable", "", sim.Stable)
	y.tick = sim.DeclareMessage[ticket](&y.Protocol, "TICK", "")
	y.Start = func(p *sim.Process) { y.send(p, 3-p.ID(), step) }
	y.tick.On(func(p *sim.Process, from tracefmt.ProcessID, m ticket) {
		sim.Raise(p, y.clock, m.Number)
		sim.Put(p, y.seen, from, m.Number)
		y.queue.Set(p, sim.ListOf(m))
		y.send(p, from, step)
	})
	return y
}

func (y *clocks) send(p *sim.Process, receiver tracefmt.ProcessID, step sim.Counter) {
	y.tick.Send(p, receiver, ticket{sim.Add(p, y.clock, step), p.ID()})
	y.stable.Set(p, y.clock.Get(p))
}

func (y *clocks) config(n int, actions ...sim.Action) sim.Config {
	return (&toy{Protocol: y.Protocol}).config(n, actions...)
}

// shiftOf returns the shift in the final loop note, or 0.
func shiftOf(t *testing.T, l *log) int64 {
	t.Helper()
	var note struct{ Shift int64 }
	if err := json.Unmarshal(l.last.Payload, &note); err != nil {
		t.Fatal(err)
	}
	return note.Shift
}

// A run that repeats with shifted counters is a loop: a round is two messages, each a receive, the variables
// and a send, and each adds the step to the clock.
func TestLoopButForCounters(t *testing.T) {
	for step := sim.Counter(1); step < 4; step++ {
		c := newClocks(step).config(2, start(1, 0))
		c.MaxEvents = 500
		l, r := run(t, c)
		from, end, ok := loopOf(t, l, r)
		if want := int64(2 * step); !ok || end-from != 8 || shiftOf(t, l) != want {
			t.Errorf("step %d: loop %d to %d, %v, %s, want 8 events and a shift of %d", step, from, end, ok, l.lines[len(l.lines)-1], want)
		}
	}
}

// A state that recurs as it is has no shift.
func TestLoopOfCountersThatStay(t *testing.T) {
	l, r := run(t, newClocks(0).config(2, start(1, 0)))
	if _, _, ok := loopOf(t, l, r); !ok || shiftOf(t, l) != 0 || strings.Contains(l.lines[len(l.lines)-1], "shift") {
		t.Errorf("%v, %s, want a loop without a shift", ok, l.lines[len(l.lines)-1])
	}
}

// A counter that stays behind prevents the proof, unless no process can read it.
func TestLoopNeedsAllCounters(t *testing.T) {
	down := newClocks(1).config(3, crash(3, 1), start(1, 2))
	if l, r := run(t, down); r.End != tracefmt.Stopped {
		t.Errorf("a process that is down: end %v: %s", r.End, l.lines[len(l.lines)-1])
	}
	up := newClocks(1).config(3, start(1, 0))
	up.MaxEvents = 500
	if _, r := run(t, up); r.End != tracefmt.Deadline {
		t.Errorf("a process that is up, and whose clock stays: end %v, want the deadline", r.End)
	}
	lie := newClocks(1).config(2, start(1, 0), sim.Action{
		Kind: sim.LieProcess, Process: 1, At: u(1), Type: "TICK", Fields: []byte(`{"holder":2}`),
	})
	lie.MaxEvents = 500
	if _, r := run(t, lie); r.End != tracefmt.Deadline {
		t.Errorf("beside a lie: end %v, want the deadline", r.End)
	}
}

// The paths name every counter, once.
func TestCounters(t *testing.T) {
	want := []string{"clock", "seen[]", "queue[].number", "stable", "TICK:number"}
	if diff := cmp.Diff(want, newClocks(1).Counters()); diff != "" {
		t.Errorf("paths (-want +got):\n%s", diff)
	}
	defer func() {
		if said := fmt.Sprint(recover()); !strings.Contains(said, "a counter is the key of a map") {
			t.Errorf("a map by counters: %s", said)
		}
	}()
	sim.Declare[sim.Map[sim.Counter, bool]](&sim.Protocol{}, "keyed", "")
}

// shifted returns the payloads of the variables and messages of a run whose counters begin
// with a number, which is subtracted from them.
func shifted(t rapid.TB, c sim.Config, amount sim.Counter) (lines []string) {
	t.Helper()
	c.CountFrom = amount
	m := tracefmt.NewMemory(tracefmt.Run{Members: c.Members})
	if _, err := sim.Run(context.Background(), c, m); err != nil {
		t.Fatal(err)
	}
	counters := replay.NewCounters(c.Protocol.Counters())
	for e := range m.Events(1) {
		payload := slices.Clone(e.Payload)
		switch e.Kind {
		case tracefmt.Send, tracefmt.Receive:
			payload = counters.Message(nil, e.Type, payload, int64(amount))
		case tracefmt.State, tracefmt.Start, tracefmt.Recover:
			payload = payload[:0]
			for name, value := range tracefmt.Fields(e.Payload) {
				payload = append(counters.Variable(append(append(payload, name...), '='), string(name), value, int64(amount)), ' ')
			}
		}
		lines = append(lines, fmt.Sprintf("%d %v %v %d %d %s %s", e.Seq, e.Time, e.Kind, e.Process, e.Peer, e.Type, payload))
	}
	return lines
}

// The promise: whatever the counters begin with, the same happens, shifted.
func TestPromiseOfCounters(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := newClocks(sim.Counter(rapid.Int64Range(0, 5).Draw(t, "step"))).config(3, start(1, 0), crash(2, 3.5), recovers(2, 7), start(2, 8))
		c.MaxEvents = 100
		amount := sim.Counter(rapid.Int64Range(-1000, 1000).Draw(t, "by"))
		if diff := cmp.Diff(shifted(t, c, 0), shifted(t, c, amount)); diff != "" {
			t.Errorf("events (-as it is +shifted by %d):\n%s", amount, diff)
		}
	})
}

// Protocols that break the promise behave differently when shifted. They compare with a number, read a missing
// key of a map, double a counter, or reset one.
func TestBrokenPromise(t *testing.T) {
	for name, breaks := range map[string]func(y *clocks, p *sim.Process, m ticket){
		"compares with 0": func(y *clocks, p *sim.Process, m ticket) {
			if m.Number > 0 {
				y.send(p, 1, 1)
			}
		},
		"reads what is missing": func(y *clocks, p *sim.Process, m ticket) {
			if m.Number > y.seen.Get(p).Get(p.ID()) {
				y.send(p, 1, 1)
			}
		},
		"doubles": func(y *clocks, p *sim.Process, m ticket) { y.send(p, 1, m.Number) },
		"begins anew": func(y *clocks, p *sim.Process, _ ticket) {
			y.clock.Set(p, 0)
			y.send(p, 1, 1)
		},
	} {
		y := newClocks(1)
		y.tick.On(func(p *sim.Process, _ tracefmt.ProcessID, m ticket) {
			if p.ID() == 2 {
				breaks(y, p, m)
			}
		})
		c := y.config(2, start(1, 0), start(1, 2))
		if cmp.Equal(shifted(t, c, 0), shifted(t, c, -1000)) {
			t.Errorf("%s: the same happens from -1000 on", name)
		}
	}
}
