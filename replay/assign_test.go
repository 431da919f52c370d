package replay_test

import (
	"testing"

	"etrace/replay"
	"etrace/tracefmt"
)

// TestKeepElections: in a complete recording only the variables of elections are kept, with the same values as
// otherwise. In an incomplete one all are kept.
func TestKeepElections(t *testing.T) {
	begin, win := start(1, `{"x":1,"elected":null,"role":"none"}`), state(1, `{"x":2,"elected":"1","role":"leader","term":3}`)
	for _, complete := range []bool{true, false} {
		run := newRun(1)
		if complete {
			run.Source = tracefmt.Simulated
		}
		s := replay.NewState(run)
		s.KeepElections()
		for i, e := range []tracefmt.Event{begin, win} {
			e.Seq = tracefmt.Seq(i + 1)
			s.Apply(&e)
		}
		if !s.Leads(1) || s.Leader() != 1 || s.Term(1) != replay.NumberedTerm(3) {
			t.Errorf("whole %v: 1 leads: %v, the leader is %d in %v, want 1 in term 3", complete, s.Leads(1), s.Leader(), s.Term(1))
		}
		if _, kept := s.Variable(1, "x"); kept == complete {
			t.Errorf("whole %v: x is kept: %v", complete, kept)
		}
	}
}

// TestSameAssignment: a payload is read once for several processes, and the copy of a state reads for itself.
// An equal payload of another kind of event may assign fewer variables.
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
