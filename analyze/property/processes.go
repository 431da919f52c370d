package property

import (
	"bytes"
	"slices"

	"etrace/replay"
	"etrace/tracefmt"
)

// assigned returns the raw value that an event gives a variable of its
// process; ok is false for an event that does not name the variable.
func assigned(e *tracefmt.Event, variable string) (value []byte, ok bool) {
	if !tellsVariables(e.Kind) {
		return nil, false
	}
	return e.Field(variable)
}

// tellsVariables reports whether the payload of such an event holds variables.
func tellsVariables(k tracefmt.Kind) bool {
	return k == tracefmt.Start || k == tracefmt.Recover || k == tracefmt.State
}

// sameValue reports whether two JSON values are equal numbers, or equal texts.
func sameValue(x, y []byte) bool {
	return bytes.Equal(tracefmt.Canonical(x), tracefmt.Canonical(y))
}

// allProcesses returns the processes of a run, in ascending order.
func allProcesses(run *tracefmt.Run) []tracefmt.ProcessID {
	all := make([]tracefmt.ProcessID, len(run.Members))
	for i := range all {
		all[i] = tracefmt.ProcessID(i + 1)
	}
	return all
}

func isNull(value []byte) bool { return string(value) == "null" }

// faults knows which processes are correct in the sense of the literature:
// those that keep to their algorithm and neither crash nor halt in the whole run.
type faults []bool

func newFaults(run *tracefmt.Run) faults {
	f := make(faults, len(run.Members)+1)
	for p := range run.Members {
		f[p+1] = isByzantine(run, tracefmt.ProcessID(p+1))
	}
	return f
}

// isByzantine reports whether the run says that p need not keep to its algorithm.
func isByzantine(run *tracefmt.Run, p tracefmt.ProcessID) bool {
	return run.Role(p) == tracefmt.Byzantine
}

func (f faults) step(e *tracefmt.Event) {
	if e.Kind == tracefmt.Crash || e.Kind == tracefmt.Halt {
		f[e.Process] = true
	}
}

// correct returns the processes that did not fail, in ascending order.
func (f faults) correct(s *replay.State) []tracefmt.ProcessID {
	return slices.DeleteFunc(s.LiveProcesses(), func(p tracefmt.ProcessID) bool { return f[p] })
}
