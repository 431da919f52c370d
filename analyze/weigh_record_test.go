package analyze

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"etrace/tracefmt"
)

// TestGapsMoveWithTheirClock: where the events of a clock move, the gaps of its process are between the same events as
// before.
func TestGapsMoveWithTheirClock(t *testing.T) {
	gaps := []tracefmt.Gap{{Process: "b", From: 3, To: 3, Dropped: 7}, {Process: "b", From: 1, To: 1}, {Process: "b", From: 5}}
	rec := tracefmt.NewMemory(tracefmt.Run{
		TimeUnit: tracefmt.Nanoseconds, Members: []tracefmt.Member{{Name: "a"}, {Name: "b"}}, Completeness: &tracefmt.Completeness{Gaps: gaps},
	})
	for i, p := range []tracefmt.ProcessID{1, 2, 1, 2, 1} { // seq 1 to 5, at 1 to 5
		e := tracefmt.Event{Seq: tracefmt.Seq(i + 1), Time: tracefmt.Time(i + 1), Kind: tracefmt.Note, Process: p, Type: "x"}
		if err := rec.Write(&e); err != nil {
			t.Fatal(err)
		}
	}
	order := &reordered{Recording: rec, clockOf: []int{0, 0, 1}, clock: 1, offset: 10, run: *rec.Run()}
	if err := order.placeGaps(); err != nil {
		t.Fatal(err)
	}
	// Now a has seq 1 to 3, and b has 4 and 5.
	want := []tracefmt.Gap{{Process: "b", From: 5, To: 4, Dropped: 7}, {Process: "b", To: 3}, {Process: "b", From: 6}}
	if diff := cmp.Diff(want, order.run.Completeness.Gaps); diff != "" {
		t.Errorf("gaps (-want +got):\n%s", diff)
	}
}
