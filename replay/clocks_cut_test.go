package replay_test

import (
	"slices"
	"testing"

	"pgregory.net/rapid"

	"etrace/replay"
	"etrace/tracefmt"
)

// TestCutOf: the least consistent cut that holds a step is that step and its
// past, whatever came after it; what is no step has none.
func TestClockOf(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 4).Draw(t, "processes")
		events := drawCausal(t, n, 30)
		past := pasts(events)
		c := replay.NewClocks(newRun(n))
		for i := range events {
			c.Step(&events[i])
		}
		for j := range events {
			want := make([]tracefmt.Seq, n)
			for i := range events[:j+1] {
				if past[j][i] || i == j {
					want[events[i].Process-1] = events[i].Seq
				}
			}
			step := events[j].Kind != tracefmt.Lose
			if got, ok := c.ClockOf(events[j].Seq); ok != step || ok && !slices.Equal(got.Cut(), want) {
				t.Fatalf("of seq %d of %v: %v, %t, want %v, %t", j+1, events, got, ok, want, step)
			}
		}
		for _, missing := range []tracefmt.Seq{-1, 0, tracefmt.Seq(len(events) + 1)} {
			if got, ok := c.ClockOf(missing); ok {
				t.Fatalf("of seq %d, which there is not: %v", missing, got)
			}
		}
	})
}

// TestCutOfWhatIsKept: a forgotten step has no cut, unless it sent a message in flight or is the last of its
// process.
func TestCutOfWhatIsKept(t *testing.T) {
	c := replay.NewClocks(newRun(3))
	c.SetRecent(10)
	take := func(seq tracefmt.Seq, e tracefmt.Event) {
		e.Seq = seq
		c.Step(&e)
	}
	take(1, event(tracefmt.Note, 1))
	take(2, send(1, 2, 1))
	take(3, send(1, 3, 2))
	take(4, tracefmt.Event{Kind: tracefmt.Receive, Process: 3, Peer: 1, Message: 2, Cause: 3})
	for seq := tracefmt.Seq(5); seq <= 40; seq++ {
		take(seq, event(tracefmt.Note, 2))
	}
	for _, tt := range []struct {
		reason string
		step   tracefmt.Seq
		want   []tracefmt.Seq // nil for none
	}{
		{"long past", 1, nil},
		{"on its way", 2, []tracefmt.Seq{2, 0, 0}},
		{"the last of 1", 3, []tracefmt.Seq{3, 0, 0}},
		{"the last of 3", 4, []tracefmt.Seq{3, 0, 4}},
		{"long past", 5, nil},
		{"the last of 2", 40, []tracefmt.Seq{0, 40, 0}},
	} {
		if got, ok := c.ClockOf(tt.step); ok != (tt.want != nil) || ok && !slices.Equal(got.Cut(), tt.want) {
			t.Errorf("of seq %d (%s): %v, %t, want %v", tt.step, tt.reason, got, ok, tt.want)
		}
	}
	take(41, tracefmt.Event{Kind: tracefmt.Lose, Process: 2, Peer: 1, Message: 1, Cause: 2})
	if got, ok := c.ClockOf(2); ok {
		t.Errorf("of the message that was lost: %v, want none", got)
	}
}
