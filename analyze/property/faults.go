package property

import (
	"slices"

	"etrace/replay"
	"etrace/tracefmt"
)

// faults tells which processes are correct in the sense of the literature:
// those that neither crash nor halt in the whole run.
type faults []bool

func newFaults(run *tracefmt.Run) faults { return make(faults, len(run.Members)+1) }

func (f faults) step(e *tracefmt.Event) {
	if e.Kind == tracefmt.Crash || e.Kind == tracefmt.Halt {
		f[e.Process] = true
	}
}

// correct returns the processes that did not fail, in ascending order.
func (f faults) correct(s *replay.State) []tracefmt.ProcessID {
	return slices.DeleteFunc(s.LiveProcesses(), func(p tracefmt.ProcessID) bool { return f[p] })
}
