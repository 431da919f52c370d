package replay_test

import (
	"testing"

	"etrace/replay"
	"etrace/tracefmt"
)

// TestKeepElections: of a run that claims to be recorded whole the variables of elections
// alone are kept, and say the same as among all others; of another run all are.
func TestKeepElections(t *testing.T) {
	begin, win := start(1, `{"x":1,"elected":null,"role":"none"}`), state(1, `{"x":2,"elected":"1","role":"leader","term":3}`)
	for _, whole := range []bool{true, false} {
		run := newRun(1)
		if whole {
			run.Source = tracefmt.Simulated
		}
		s := replay.NewState(run)
		s.KeepElections()
		for i, e := range []tracefmt.Event{begin, win} {
			e.Seq = tracefmt.Seq(i + 1)
			s.Apply(&e)
		}
		if !s.Leads(1) || s.Leader() != 1 || s.Term(1) != replay.NumberedTerm(3) {
			t.Errorf("whole %v: 1 leads: %v, the leader is %d in %v, want 1 in term 3", whole, s.Leads(1), s.Leader(), s.Term(1))
		}
		if _, kept := s.Variable(1, "x"); kept == whole {
			t.Errorf("whole %v: x is kept: %v", whole, kept)
		}
	}
}

// TestSameAssignment: what a payload says is read once for several processes, and the copy
// of a state reads for itself; an equal payload of another kind of event may say less.
func TestSameAssignment(t *testing.T) {
	s := history(3, start(1, `{"x":1}`), start(2, `{"x":1}`))
	c := s.Clone()
	for i, e := range []tracefmt.Event{state(2, `{"x":2}`), state(3, `{"x":2}`)} {
		e.Seq = tracefmt.Seq(i + 3)
		c.Apply(&e)
	}
	third := start(3, `{"x":1}`)
	third.Seq = 3
	s.Apply(&third)
	for _, want := range []struct {
		s    *replay.State
		p    tracefmt.ProcessID
		text string
	}{{s, 1, "1"}, {s, 2, "1"}, {s, 3, "1"}, {c, 1, "1"}, {c, 2, "2"}, {c, 3, "2"}} {
		if got, _ := want.s.Variable(want.p, "x"); string(got) != want.text {
			t.Errorf("x of %d is %s, want %s", want.p, got, want.text)
		}
	}
	marked := `{"inferred":true}`
	s = history(2, start(1, marked), state(2, marked))
	if _, ok := s.Variable(1, "inferred"); ok {
		t.Error("the mark of a start is a variable")
	}
	if got, _ := s.Variable(2, "inferred"); string(got) != "true" {
		t.Errorf("inferred of 2 is %s, want true: a state has no marks", got)
	}
}
