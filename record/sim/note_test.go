package sim_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"etrace/record/sim"
	"etrace/record/sim/network"
	"etrace/tracefmt"
)

// delivery is the fields of a note.
type delivery struct {
	m      int64
	sender tracefmt.ProcessID
}

// TestNote: notes are recorded where they are made, after the variables that
// were assigned before, with the fields that they declare.
func TestNote(t *testing.T) {
	y := newToy()
	enter := y.Label("enter", "")
	deliver := sim.DeclareNote[delivery](&y.Protocol, "deliver", "")
	y.Start = func(p *sim.Process) {
		y.flag.Set(p, true)
		enter.Record(p)
		deliver.Record(p, delivery{7, 2})
		deliver.Record(p, delivery{})
		y.flag.Set(p, false)
		y.a.Send(p, 2)
	}
	expect(t, y.config(2, start(1, 0)), `
		0 suspect 1
		0 state 1 {"flag":true}
		0 note 1 enter
		0 note 1 deliver {"m":7,"sender":2}
		0 note 1 deliver {"m":0,"sender":null}
		0 state 1 {"flag":false}
		0 send 1 peer 2 A m1
		1 receive 2 peer 1 A m1`)
}

// TestNotesAreNoState: a run that makes notes forever is in a loop.
func TestNotesAreNoState(t *testing.T) {
	y := newToy()
	tick := y.Label("tick", "")
	y.Start = func(p *sim.Process) { p.SetTimer(y.t1, network.MaxTime/1024) }
	y.Timeout = func(p *sim.Process, _ sim.Timer) {
		tick.Record(p)
		p.SetTimer(y.t1, tracefmt.Unit)
	}
	l, r := run(t, y.config(1, start(1, 0)))
	if r.End != tracefmt.Stopped || l.last.Type != tracefmt.LoopNote {
		t.Errorf("end %v with %v, want a loop", r.End, l.last)
	}
}

func TestDescribeHistory(t *testing.T) {
	var pr sim.Protocol
	sim.DeclareNote[delivery](&pr, "deliver", "a message is delivered")
	pr.Label("enter", "the process is inside")
	sim.DeclareOperation[struct{}, struct{ Value int64 }](&pr, "read", "the process reads")
	want := [][3]string{
		{"note", "deliver(m, sender)", "a message is delivered"},
		{"note", "enter", "the process is inside"},
		{"invoke", "read", "the process reads"},
		{"return", "read(value)", "what it returns"},
	}
	if diff := cmp.Diff(want, pr.DescribeHistory()); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}
