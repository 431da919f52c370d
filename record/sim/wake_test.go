package sim_test

import (
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"etrace/record/sim"
	"etrace/tracefmt"
)

// waker has 1 and 2 send A to 3 and to themselves when the run begins, and whoever
// starts send B to 3.
func waker() *toy {
	y := newToy()
	y.Wake = func(p *sim.Process) {
		if p.ID() < 3 {
			y.a.Send(p, 3)
			y.a.Send(p, p.ID())
		}
	}
	y.Receive = func(p *sim.Process, m arrived) {
		if m.From == p.ID() {
			y.flag.Set(p, true)
		}
	}
	y.Start = func(p *sim.Process) { y.b.Send(p, 3) }
	return y
}

// The initial steps of the processes precede everything else of the instant 0, faults included, in their
// order. Starts are in the order of the list.
func TestWake(t *testing.T) {
	y := waker()
	expect(t, y.config(3, crash(1, 0), start(2, 0), recovers(1, 0), start(3, 0), start(1, 0)), `
		0 send 1 peer 3 A m1
		0 send 2 peer 3 A m2
		0 state 1 {"flag":true}
		0 state 2 {"flag":true}
		0 crash 1
		0 recover 1 {"elected":null,"flag":false,"members":[]}
		0 suspect 2
		0 send 2 peer 3 B m3
		0 suspect 3
		0 state 3 {"flag":true}
		0 suspect 1
		0 send 1 peer 3 B m4
		1 receive 3 peer 1 A m1
		1 receive 3 peer 2 A m2
		1 receive 3 peer 2 B m3
		1 receive 3 peer 1 B m4`)
}

// A process that is down wakes neither at the beginning nor when it recovers.
func TestWakeDown(t *testing.T) {
	y := waker()
	c := y.config(3, recovers(1, 2))
	c.Down = []tracefmt.ProcessID{1}
	expect(t, c, `
		0 crash 1
		0 send 2 peer 3 A m1
		0 state 2 {"flag":true}
		1 receive 3 peer 2 A m1
		2 recover 1 {"elected":null,"flag":false,"members":[]}`)
}

// At a host, waking belongs to the start event.
func TestWakeHosted(t *testing.T) {
	y := waker()
	c := y.config(3, start(2, 0.5))
	m := tracefmt.NewMemory(tracefmt.Run{Source: tracefmt.Simulated, Members: c.Members, TimeUnit: tracefmt.Delays})
	if _, err := sim.Run(t.Context(), c, m); err != nil {
		t.Fatal(err)
	}
	want, _ := run(t, c)
	got := &log{}
	h, err := sim.NewHost(c, got)
	if err != nil {
		t.Fatal(err)
	}
	for e := range m.Events(1) {
		step := func(*tracefmt.Event) error { return nil }
		switch {
		case h.IsInput(e):
			step = h.Step
		case e.Kind == tracefmt.Suspect:
			step = h.Begin
		}
		if err := step(e); err != nil {
			t.Fatalf("seq %d: %v", e.Seq, err)
		}
	}
	for p := 1; p <= 3; p++ {
		if diff := cmp.Diff(ofProcess(steps(want.lines), p), ofProcess(steps(got.lines), p)); diff != "" {
			t.Errorf("process %d (-simulated +hosted):\n%s", p, diff)
		}
	}
}

// ofProcess are the lines of events of a process.
func ofProcess(lines []string, p int) (selected []string) {
	for _, line := range lines {
		if strings.Fields(line)[2] == strconv.Itoa(p) {
			selected = append(selected, line)
		}
	}
	return selected
}

// Where a process is among the receivers itself, it is served in their order.
func TestSendOrTake(t *testing.T) {
	y := newToy()
	y.Start = func(p *sim.Process) {
		for q := tracefmt.ProcessID(1); q <= 3; q++ {
			y.a.SendOrTake(p, q)
		}
	}
	y.Receive = func(p *sim.Process, m arrived) {
		if m.From == p.ID() {
			y.b.Send(p, 1)
		}
	}
	expect(t, y.config(3, start(2, 0)), `
		0 suspect 2
		0 send 2 peer 1 A m1
		0 send 2 peer 1 B m2
		0 send 2 peer 3 A m3
		1 receive 1 peer 2 A m1
		1 receive 1 peer 2 B m2
		1 receive 3 peer 2 A m3`)
}

// Places along the ring, either way and more than once round, whoever is up there.
func TestAlong(t *testing.T) {
	y := newToy()
	y.Start = func(p *sim.Process) {
		for _, places := range []int{1, -1, 2, 7, -6} {
			y.a.Send(p, p.Along(places))
		}
	}
	c := y.config(4, start(2, 0))
	c.Down = []tracefmt.ProcessID{3}
	c.Members[0].Position, c.Members[1].Position = 2, 1 // 2, 1, 3, 4
	expect(t, c, `
		0 crash 3
		0 suspect 2 peer 3
		0 send 2 peer 1 A m1
		0 send 2 peer 4 A m2
		0 send 2 peer 3 A m3
		0 send 2 peer 4 A m4
		0 send 2 peer 3 A m5
		1 receive 1 peer 2 A m1
		1 receive 4 peer 2 A m2
		1 lose 3 peer 2 A m3 {"reason":"receiver crashed"}
		1 receive 4 peer 2 A m4
		1 lose 3 peer 2 A m5 {"reason":"receiver crashed"}`)
}
