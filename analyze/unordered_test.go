package analyze

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"etrace/analyze/causal"
	"etrace/tracefmt"
)

// TestDefinitelyUnless: what would undo that intervals overlap in every order is a change within one of them.
func TestDefinitelyUnless(t *testing.T) {
	role := tracefmt.StateOf("role")
	w := causal.Witness{Intervals: []causal.Interval{{Process: 1, From: 3, To: 9}, {Process: 2, From: 4}}}
	got := DefinitelyUnless(w, func(p tracefmt.ProcessID) []Need { return Needs(p, 0, 0, role) })
	want := []Need{{Process: 1, Fact: role, From: 3, To: 9}, {Process: 2, Fact: role, From: 4}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
