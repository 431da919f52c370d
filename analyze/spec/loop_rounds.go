package spec

import (
	"slices"

	"etrace/analyze"
	"etrace/replay"
	"etrace/tracefmt"
)

// loopRound is what a monitor saw in the final loop of a run. The global state recurs, and so do the events, so a
// further round breaks no rule that the first round keeps. The exceptions do not recur: times, clocks and counts, and
// fluents that begin and end by events.
type loopRound struct {
	inside bool // the first state of the loop has passed
	// lastExamined is the last event that the rule examined, and touched is set if such an event was in the loop.
	lastExamined   tracefmt.Seq
	examinedInLoop bool
	// heldAtStart has the fluents that held at the first state.
	heldAtStart [][]bool
}

// Recur takes an event of the loop, after Step.
func (b *base) Recur(_ *replay.State, e *tracefmt.Event) {
	if b.round.inside {
		b.round.examinedInLoop = b.round.examinedInLoop || b.round.lastExamined == e.Seq
		return
	}
	b.round.inside = true
	b.round.heldAtStart = b.frame.heldFluents()
}

// heldFluents returns by fluent and process whether the fluent holds.
func (f *frame) heldFluents() [][]bool {
	var held [][]bool
	for i := range f.fluents {
		var holds []bool
		for _, since := range f.fluents[i].since {
			holds = append(holds, since != 0)
		}
		held = append(held, holds)
	}
	return held
}

// judgeRound leaves a rule undecided if it refers to what changes from round to round.
func (b *base) judgeRound(r *analyze.Result, end analyze.Ending, changes bool) {
	if end.Looping() && (b.round.examinedInLoop && changes || b.fluentsMoved()) {
		r.Undecided(unsteadyLoop)
	}
}

// fluentsMoved reports whether the fluents hold at other processes after the loop than before it.
func (b *base) fluentsMoved() bool {
	return !slices.EqualFunc(b.round.heldAtStart, b.frame.heldFluents(), slices.Equal[[]bool])
}

// unsteadyLoop returns the reason why a rule that refers to changes between rounds is unknown.
func unsteadyLoop() string {
	return "the run ends in a loop, and the rule refers to what changes from round to round; further rounds were not examined"
}

// ReadsName implements [analyze.NameReader].
func (b *base) ReadsName(match func(name string) bool) bool {
	return slices.ContainsFunc(b.program.variables, match) ||
		slices.ContainsFunc(b.program.fields, func(p path) bool { return match(p.root) })
}
