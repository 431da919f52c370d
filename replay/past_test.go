package replay_test

import (
	"testing"

	"pgregory.net/rapid"

	"etrace/replay"
	"etrace/tracefmt"
)

// TestPastOf: the past of an event is the transitive closure of its direct causes, and the event itself.
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
			if events[j].Kind == tracefmt.Lose { // which is in no past; its own is that of its causes
				continue
			}
			got, err := replay.PastOf(rec, events[j].Seq)
			if err != nil || got.Event() != events[j].Seq {
				t.Fatal(got, err)
			}
			for i := range events {
				want := i == j || i < j && past[j][i]
				if got.Has(events[i].Seq) != want {
					t.Fatalf("seq %d in the past of %d of %v: %v, want %v", i+1, j+1, events, !want, want)
				}
			}
			if got.Has(0) || got.Has(tracefmt.Seq(len(events)+1)) {
				t.Fatal("an event that there is not")
			}
		}
	})
}
