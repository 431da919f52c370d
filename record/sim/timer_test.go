package sim_test

import (
	"testing"

	"etrace/record/sim"
	"etrace/tracefmt"
)

// Timers of one declaration run side by side, each under its number; stopping
// all takes them in the order of their numbers, whatever was set first.
func TestNumberedTimers(t *testing.T) {
	y := newToy()
	y.Start = func(p *sim.Process) {
		p.SetTimer(y.t1.At(10), u(5))
		p.SetTimer(y.t1.At(2), u(5))
		p.SetTimer(y.t1.At(3), u(1))
		p.SetTimer(y.t1, u(5))
		p.SetTimer(y.t2.At(1), u(1))
		p.StopTimer(y.t1.At(7)) // not armed
	}
	y.Timeout = func(p *sim.Process, timer sim.Timer) {
		if timer == y.t1.At(3) {
			p.StopTimers(y.t1.At(99))
		}
		if timer.Declared() == y.t2 && timer.Number() != 1 {
			t.Errorf("timer %v has number %d", timer, timer.Number())
		}
	}
	expect(t, y.config(1, start(1, 0)), `
		0 suspect 1
		0 set-timer 1 t1#10 {"due":5000000000}
		0 set-timer 1 t1#2 {"due":5000000000}
		0 set-timer 1 t1#3 {"due":1000000000}
		0 set-timer 1 t1 {"due":5000000000}
		0 set-timer 1 t2#1 {"due":1000000000}
		1 timeout 1 t1#3 {"due":1000000000}
		1 cancel-timer 1 t1
		1 cancel-timer 1 t1#2
		1 cancel-timer 1 t1#10
		1 timeout 1 t2#1 {"due":1000000000}`)
}

// Setting a timer that runs restarts it, that with another number does not; a
// crash removes all.
func TestNumberedTimersRestartAndCrash(t *testing.T) {
	y := newToy()
	y.Start = func(p *sim.Process) {
		p.SetTimer(y.t1.At(1), u(1))
		p.SetTimer(y.t1.At(2), u(1))
		p.SetTimer(y.t1.At(1), u(2))
		p.SetTimer(y.t1.At(3), u(9))
	}
	y.Recover = func(p *sim.Process) {
		if p.Armed(y.t1.At(3)) {
			t.Error("a timer has survived a crash")
		}
		p.SetTimer(y.t1.At(3), u(1))
	}
	expect(t, y.config(1, start(1, 0), crash(1, 3), recovers(1, 4)), `
		0 suspect 1
		0 set-timer 1 t1#1 {"due":1000000000}
		0 set-timer 1 t1#2 {"due":1000000000}
		0 set-timer 1 t1#1 {"due":2000000000}
		0 set-timer 1 t1#3 {"due":9000000000}
		1 timeout 1 t1#2 {"due":1000000000}
		2 timeout 1 t1#1 {"due":2000000000}
		3 crash 1
		4 recover 1 {"elected":null,"flag":false,"members":[]}
		4 set-timer 1 t1#3 {"due":5000000000}
		5 timeout 1 t1#3 {"due":5000000000}`)
}

// The number is part of the global state: a timer that recurs with the same number is a loop, with a greater
// number it is not.
func TestLoopOfNumberedTimers(t *testing.T) {
	for _, test := range []struct {
		name string
		next func(n int64) int64
		loop int64 // events
	}{
		{"to and fro", func(n int64) int64 { return 3 - n }, 4},
		{"the same", func(n int64) int64 { return n }, 2},
		{"counting", func(n int64) int64 { return n + 1 }, 0},
	} {
		y := newToy()
		y.Start = func(p *sim.Process) { p.SetTimer(y.t1.At(1), u(1)) }
		y.Timeout = func(p *sim.Process, timer sim.Timer) { p.SetTimer(timer.At(test.next(timer.Number())), u(1)) }
		c := y.config(1, start(1, 0))
		c.MaxEvents = 5000
		l, r := run(t, c)
		from, end, ok := loopOf(t, l, r)
		if ok != (test.loop > 0) || ok && end-from != test.loop || !ok && r.End != tracefmt.Deadline {
			t.Errorf("%s: loop %d to %d, %v, end %v, want a loop of %d", test.name, from, end, ok, r.End, test.loop)
		}
	}
}

// An interception that asks for a field that is not there, or is of another type,
// is a mistake of the algorithm.
func TestFieldsOfOtherTypes(t *testing.T) {
	for want, ask := range map[string]func(m *sim.Arrival){
		"it panics: sim: LIST has no field m of the type int64":  func(m *sim.Arrival) { sim.Field[int64](m, "m") },
		"it panics: sim: LIST has no field n of the type string": func(m *sim.Arrival) { sim.Field[string](m, "n") },
	} {
		y := newToy()
		y.Start = func(p *sim.Process) { y.list.Send(p, 2, listFields{}) }
		y.Intercept("LIST", func(_ *sim.Process, m *sim.Arrival) bool { ask(m); return true })
		if mistake, _ := mistakeOf(t, y.config(2, start(1, 0))); mistake.Reason != want {
			t.Errorf("%s, want %s", mistake.Reason, want)
		}
	}
}

// A forwarded message has the list and fields of the intercepted one.
func TestForward(t *testing.T) {
	y := newToy()
	y.Start = func(p *sim.Process) { y.list.Send(p, 2, listFields{7, sim.ListOf[tracefmt.ProcessID](3, 1)}) }
	y.Receive = func(p *sim.Process, _ arrived) {
		if p.ID() == 2 {
			t.Error("the protocol sees what was settled before")
		}
	}
	y.Intercept("LIST", func(p *sim.Process, m *sim.Arrival) bool {
		if p.ID() == 2 && m.From == 1 && sim.Field[int64](m, "n") == 7 {
			m.Forward()
		}
		return p.ID() == 2
	})
	expect(t, y.config(3, start(1, 0)), `
		0 suspect 1
		0 send 1 peer 2 LIST m1 {"n":7,"list":[3,1]}
		1 receive 2 peer 1 LIST m1 {"n":7,"list":[3,1]}
		1 send 2 peer 3 LIST m2 {"n":7,"list":[3,1]}
		2 receive 3 peer 2 LIST m2 {"n":7,"list":[3,1]}`)
}
