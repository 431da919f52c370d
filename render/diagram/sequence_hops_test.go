package diagram

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"etrace/render/story"
)

// TestHopRows: on an axis of time, a hop is in the band of its time, or between the bands before and after it. On another
// axis the hops have no place of their own.
func TestHopRows(t *testing.T) {
	via := []story.Hop{{Process: 2, Time: 2}, {Process: 3, Time: 4}, {Process: 4, Time: 6}, {Process: 5, Time: 8}}
	s := &sequence{
		schedule: &schedule{bands: []band{{key: 0, steps: []int32{0}}, {key: 4, steps: []int32{1, 2}}, {key: 10, steps: []int32{3}}}},
		y:        []float64{100, 200, 210, 300},
	}
	for unit, want := range map[keyUnit][]float64{
		instant: {150, 200, 240, 270}, // after 210, the last row of the band of 4
		level:   {140, 180, 220, 260},
	} {
		s.schedule.unit = unit
		if diff := cmp.Diff(want, s.hopRows(via, 100, 300)); diff != "" {
			t.Errorf("unit %d (-want +got):\n%s", unit, diff)
		}
	}
}
