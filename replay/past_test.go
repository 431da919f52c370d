package replay_test

import (
	"context"
	"testing"

	"pgregory.net/rapid"

	"etrace/replay"
	"etrace/tracefmt"
)

// TestPastOf: the past of an event is the transitive closure of its direct causes, and the event itself. That of a
// loss is the past of its causes.
func TestPastOf(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 4).Draw(t, "processes")
		events := drawCausal(t, n, 30)
		past := pasts(events)
		rec := tracefmt.NewMemory(*newRun(n))
		for i := range events {
			if err := rec.Write(&events[i]); err != nil {
				t.Fatal(err)
			}
		}
		for j := range events {
			got, err := replay.PastOf(context.Background(), rec, events[j].Seq)
			if err != nil || got.Event() != events[j].Seq {
				t.Fatal(got, err)
			}
			for i := range events {
				if want := inPast(events, past, i, j); got.Has(&events[i]) != want {
					t.Fatalf("seq %d in the past of %d of %v: %v, want %v", i+1, j+1, events, !want, want)
				}
			}
		}
	})
}

// inPast reports whether event i is event j or happened before it. A loss is no step, so it has the past of its causes.
func inPast(events []tracefmt.Event, past [][]bool, i, j int) bool {
	if i == j || events[j].Kind != tracefmt.Lose {
		return i == j || past[j][i]
	}
	for cause := range events[j].Causes() {
		c := int(cause) - 1
		if cause > 0 && c < j && events[c].Process != 0 && events[c].Kind != tracefmt.Lose && (i == c || past[c][i]) {
			return true
		}
	}
	return false
}
