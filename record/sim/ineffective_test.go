package sim_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"etrace/record/sim"
	"etrace/tracefmt"
)

// Actions without effect, and the reasons: 1 is never started, 2 is busy from its first start on, 3 is down
// from 1 to 4. The start of 2 at 0 and that of 3 at 5 have effects.
func TestVain(t *testing.T) {
	y := newToy()
	y.Start = func(p *sim.Process) { y.flag.Set(p, true) }
	y.Starts = func(p, last tracefmt.ProcessID) bool { return p > 1 && last == 3 }
	y.Busy = func(p *sim.Process) bool { return y.flag.Get(p) }
	_, r := run(t, y.config(3,
		start(1, 0), start(2, 0), start(2, 1), crash(3, 1), crash(3, 2), start(3, 2), recovers(2, 3), recovers(3, 4), start(3, 5), start(3, 6)))
	type ineffective struct {
		p      tracefmt.ProcessID
		reason sim.Obstacle
	}
	var got []ineffective
	for _, v := range r.Ineffective {
		got = append(got, ineffective{v.Process, v.Why})
	}
	want := []ineffective{{1, sim.NeverStarts}, {2, sim.IsBusy}, {3, sim.IsDown}, {3, sim.IsDown}, {2, sim.IsUp}, {3, sim.IsBusy}}
	if diff := cmp.Diff(want, got, cmp.AllowUnexported(ineffective{})); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
