package sim_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"etrace/record/sim"
	"etrace/record/sim/network"
	"etrace/tracefmt"
)

// TestMark: marks stand where they are made, behind the variables that were
// assigned before, with the fields that they declare.
func TestMark(t *testing.T) {
	y := newToy()
	enter := y.Note("enter", "")
	deliver := y.Note("deliver", "", sim.Number("m"), sim.ID("sender"))
	write := y.Invoke("write", "", sim.ID("value"))
	done := y.Return("write", "")
	y.Start = func(p *sim.Process) {
		y.flag.Set(p, true)
		p.Mark(enter)
		p.Mark(deliver, 7, 2)
		p.Mark(write)
		y.flag.Set(p, false)
		p.Mark(done)
		p.Send(2, y.a)
	}
	expect(t, y.config(2, start(1, 0)), `
		0 suspect 1
		0 state 1 {"flag":true}
		0 note 1 enter
		0 note 1 deliver {"m":7,"sender":2}
		0 invoke 1 write {"value":null}
		0 state 1 {"flag":false}
		0 return 1 write
		0 send 1 peer 2 A m1
		1 receive 2 peer 1 A m1`)
}

// TestMarksAreNoState: a run that marks for ever is in a loop.
func TestMarksAreNoState(t *testing.T) {
	y := newToy()
	tick := y.Note("tick", "")
	y.Start = func(p *sim.Process) { p.SetTimer(y.t1, network.MaxTime/1024) }
	y.Timeout = func(p *sim.Process, _ sim.Timer) {
		p.Mark(tick)
		p.SetTimer(y.t1, tracefmt.Unit)
	}
	l, r := run(t, y.config(1, start(1, 0)))
	if r.End != tracefmt.Stopped || l.last.Type != tracefmt.LoopNote {
		t.Errorf("end %v with %v, want a loop", r.End, l.last)
	}
}

func TestMarks(t *testing.T) {
	var pr sim.Protocol
	pr.Note("deliver", "a message is delivered", sim.Number("m"), sim.ID("sender"))
	pr.Invoke("read", "somebody reads")
	pr.Return("read", "and sees", sim.Number("value"))
	want := [][3]string{
		{"note", "deliver(m, sender)", "a message is delivered"}, {"invoke", "read", "somebody reads"}, {"return", "read(value)", "and sees"},
	}
	if diff := cmp.Diff(want, pr.Marks()); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

// TestMarkAllocations: to mark costs no memory.
func TestMarkAllocations(t *testing.T) {
	y := newToy()
	tell := y.Note("tell", "", sim.Number("m"))
	var n float64
	y.Start = func(p *sim.Process) {
		p.Mark(tell, 1) // the first makes room for the payload
		n = testing.AllocsPerRun(100, func() { p.Mark(tell, 1) })
	}
	if _, err := sim.Run(t.Context(), y.config(1, start(1, 0)), discard{}); err != nil || n != 0 {
		t.Errorf("%v allocations a mark, %v", n, err)
	}
}

// discard is a sink that keeps nothing.
type discard struct{}

func (discard) Write(*tracefmt.Event) error { return nil }
