package lint

import (
	"testing"

	"etrace/tracefmt"
)

// TestIsBeyond: a clock knows more of a process than it has had itself, also where that had no clock at all.
func TestIsBeyond(t *testing.T) {
	v := &vectors{ownEntries: [][]int64{nil, nil, {1, 2}, {1, 3}, {2}}, claims: []int64{0, 1, 3, 3, 0}}
	for q, want := range []bool{false, true, true, false, false} {
		if got := v.isBeyond(tracefmt.ProcessID(q)); got != want {
			t.Errorf("process %d: %t", q, got)
		}
	}
}
