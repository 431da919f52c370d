package analyze

import (
	"fmt"

	"etrace/replay"
	"etrace/tracefmt"
)

// AtEnd is the part of a [Recurrence] that looks at the end of a run only. Where
// the run ends in a loop, its end is every state of the loop.
type AtEnd struct {
	// wrong is the outcome for the first state of the loop that violates the
	// property, which is that after the event at.
	wrong  *Result
	at     tracefmt.Seq
	looked bool // at the first state of the loop
}

// EndCheck decides a property in a state in which a run ends.
type EndCheck func(r *Result, s *replay.State, end Ending)

// Recur looks at a state of the loop. changes: it may be another one than the
// state before, as far as the property goes.
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

// End decides the property in the last state, and in those of the loop.
func (a *AtEnd) End(r *Result, s *replay.State, end Ending, check EndCheck) {
	check(r, s, end)
	if end.Looping() && r.Violations == 0 && a.wrong != nil {
		r.Violate(func() string {
			return fmt.Sprintf("in the loop in which the run ends, after seq %d: %s", a.at, a.wrong.Explanation)
		}, a.wrong.Witness...)
		r.Violations = a.wrong.Violations
	}
}
