package analyze

import (
	"fmt"

	"etrace/replay"
	"etrace/tracefmt"
)

// AtEnd helps a [Recurrence] to examine only the states in which a run may end: the last state, and every
// state of a final loop.
type AtEnd struct {
	// violation is the outcome for the first state of the loop that violates the property, after the event at; nil
	// so far.
	violation *Result
	at        tracefmt.Seq
	looked    bool // the first state of the loop was examined
}

// EndCheck decides a property in a state in which a run ends.
type EndCheck func(r *Result, s *replay.State, end Ending)

// Recur examines a state of the loop, unless changes is false: then the property's variables are as in the
// state before.
func (a *AtEnd) Recur(s *replay.State, changes bool, check EndCheck) {
	if a.violation != nil || a.looked && !changes {
		return
	}
	a.looked = true
	var r Result
	if check(&r, s, Ending{LoopTo: s.Seq}); r.Violations > 0 {
		a.violation, a.at = &r, s.Seq
	}
}

// End examines the last state. If the run ends in a loop, it also reports a violation that Recur found.
func (a *AtEnd) End(r *Result, s *replay.State, end Ending, check EndCheck) {
	check(r, s, end)
	if end.Looping() && r.Violations == 0 && a.violation != nil {
		r.Violate(func() string {
			return fmt.Sprintf("in the loop in which the run ends, after seq %d: %s", a.at, a.violation.Explanation)
		}, a.violation.Witness...)
		r.Violations = a.violation.Violations
	}
}
