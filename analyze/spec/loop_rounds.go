package spec

import (
	"slices"

	"etrace/analyze"
	"etrace/replay"
	"etrace/tracefmt"
)

// round is what a monitor saw in the loop in which a run ends. The global
// state recurs, and so do the events, so that a further round breaks no rule
// that the first one keeps. The exceptions are what does not recur: times,
// clocks and counts, and fluents that events begin and end.
type round struct {
	inside bool // the first state of the loop has passed
	// looked is the last event that the rule had something to say of, and
	// touched whether there was one in the loop.
	looked  tracefmt.Seq
	touched bool
	// held says where the fluents held at the first state.
	held [][]bool
}

// Recur takes in an event of the loop, after Step.
func (b *base) Recur(_ *replay.State, e *tracefmt.Event) {
	if b.round.inside {
		b.round.touched = b.round.touched || b.round.looked == e.Seq
		return
	}
	b.round.inside = true
	b.round.held = b.frame.holding()
}

// holding says where the fluents hold.
func (f *frame) holding() [][]bool {
	var all [][]bool
	for i := range f.fluents {
		var holds []bool
		for _, since := range f.fluents[i].since {
			holds = append(holds, since != 0)
		}
		all = append(all, holds)
	}
	return all
}

// judgeRound leaves a rule undecided if it refers to what further rounds of a
// loop change.
func (b *base) judgeRound(r *analyze.Result, end analyze.Ending, changes bool) {
	if end.Looping() && (b.round.touched && changes || b.unsteady()) {
		r.Undecided(unsteadyLoop)
	}
}

// unsteady reports whether fluents hold elsewhere after the loop than before it.
func (b *base) unsteady() bool {
	return !slices.EqualFunc(b.round.held, b.frame.holding(), slices.Equal[[]bool])
}

// unsteadyLoop is the reason for rules of what does not recur.
func unsteadyLoop() string {
	return "the run ends in a loop, and the rule refers to what changes from round to round; further rounds were not examined"
}

// ReadsName implements [analyze.NameReader].
func (b *base) ReadsName(such func(name string) bool) bool {
	return slices.ContainsFunc(b.program.held, such) ||
		slices.ContainsFunc(b.program.fields, func(p path) bool { return such(p.root) })
}
