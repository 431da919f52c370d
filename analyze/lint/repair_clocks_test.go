package lint

import (
	"math/bits"
	"testing"

	"pgregory.net/rapid"

	"etrace/tracefmt"
)

// TestRising: the events that keep their times rise, and no more events can keep theirs.
func TestRising(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		times := rapid.SliceOfN(rapid.Int64Range(0, 9), 1, 10).Draw(t, "times")
		rises := func(kept uint) bool {
			at := int64(0)
			for i, time := range times {
				if kept>>i&1 != 0 {
					if time < at {
						return false
					}
					at = time
				}
			}
			return true
		}
		longest := 0
		for kept := range uint(1) << len(times) {
			if rises(kept) {
				longest = max(longest, bits.OnesCount(kept))
			}
		}
		var steps []*tracefmt.Event
		for _, time := range times {
			steps = append(steps, &tracefmt.Event{Time: tracefmt.Time(time)})
		}
		got := uint(0)
		for i, keeps := range withRisingTimes(steps) {
			if keeps {
				got |= 1 << i
			}
		}
		if !rises(got) || bits.OnesCount(got) != longest {
			t.Errorf("of the times %v those of %b rise, want %d of them", times, got, longest)
		}
	})
}

// TestIsBeyond: a clock knows more of a process than it has had itself, also where that had no clock at all.
func TestIsBeyond(t *testing.T) {
	v := &vectors{ownEntries: [][]int64{nil, nil, {1, 2}, {1, 3}, {2}}, claims: []int64{0, 1, 3, 3, 0}}
	for q, want := range []bool{false, true, true, false, false} {
		if got := v.isBeyond(tracefmt.ProcessID(q)); got != want {
			t.Errorf("process %d: %t", q, got)
		}
	}
}
