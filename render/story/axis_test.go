package story

import (
	"slices"
	"testing"

	"etrace/tracefmt"
)

// TestLevelsOfUnsent: what a process does is not drawn above what it sent unrecorded before.
func TestLevelsOfUnsent(t *testing.T) {
	s := &Story{Column: make([]int, 4), Steps: []Step{
		{Seq: 1, Process: 2, Peer: 1, Kind: tracefmt.Receive, Unsent: true, Match: -1},
		{Seq: 2, Process: 2, Peer: 1, Kind: tracefmt.Receive, Unsent: true, Match: -1},
		{Seq: 3, Process: 1, Kind: tracefmt.Timeout, Match: -1},
		{Seq: 4, Process: 3, Peer: 1, Kind: tracefmt.Receive, Unsent: true, Match: -1},
	}}
	if got, want := s.Levels(), []int{1, 2, 2, 3}; !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

// TestSmallContradictions: clocks that contradict causes by less than a thousandth of the run
// are put right, others give up the times.
func TestSmallContradictions(t *testing.T) {
	const second = tracefmt.Unit
	for early, want := range map[tracefmt.Time]Axis{0: Linear, second / 1000: Linear, second/1000 + 1: Causal} {
		m := tracefmt.NewMemory(tracefmt.Run{
			Number: 1, TimeUnit: tracefmt.Nanoseconds,
			Members: []tracefmt.Member{{Name: "a", Position: 1}, {Name: "b", Position: 2}},
		})
		for _, e := range []tracefmt.Event{
			{Seq: 1, Time: 0, Kind: tracefmt.Start, Process: 1},
			{Seq: 2, Time: second / 2, Kind: tracefmt.Send, Process: 1, Peer: 2, Type: "M", Message: 1},
			{Seq: 3, Time: second/2 - early, Kind: tracefmt.Receive, Process: 2, Peer: 1, Type: "M", Message: 1, Cause: 2},
			{Seq: 4, Time: second, Kind: tracefmt.Halt, Process: 1},
		} {
			m.Write(&e)
		}
		m.Finish(tracefmt.Stopped)
		s, err := Read(t.Context(), m, Options{})
		if err != nil {
			t.Fatal(err)
		}
		if got := s.Axis(); got.Name != want.Name {
			t.Errorf("a receive %d ns before its send: axis %s, want %s", early, got.Name, want.Name)
		}
	}
}
