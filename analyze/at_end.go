package analyze

import (
	"fmt"

	"etrace/replay"
	"etrace/tracefmt"
)

// AtEnd is the part of a [Recurrence] that examines the end of a run only. If the run ends in a loop, every state
// of the loop is an end.
type AtEnd struct {
	// wrong is the outcome for the first state of the loop that violates the property: the state after the event at.
	wrong  *Result
	at     tracefmt.Seq
	looked bool // the first state of the loop was examined
}

// EndCheck decides a property in a state in which a run ends.
type EndCheck func(r *Result, s *replay.State, end Ending)

// Recur examines a state of the loop. changes is false if the state is certainly equal to the one before, for the
// property.
func (a *AtEnd) Recur(s *replay.State, changes bool, check EndCheck) {
	if a.wrong != nil || a.looked && !changes {
		return
	}
	a.looked = true
	var r Result
	if check(&r, s, Ending{LoopTo: s.Seq}); r.Violations > 0 {
		a.wrong, a.at = &r, s.Seq
	}
}

// End decides the property in the last state, and in the states of the loop.
func (a *AtEnd) End(r *Result, s *replay.State, end Ending, check EndCheck) {
	check(r, s, end)
	if end.Looping() && r.Violations == 0 && a.wrong != nil {
		r.Violate(func() string {
			return fmt.Sprintf("in the loop in which the run ends, after seq %d: %s", a.at, a.wrong.Explanation)
		}, a.wrong.Witness...)
		r.Violations = a.wrong.Violations
	}
}
