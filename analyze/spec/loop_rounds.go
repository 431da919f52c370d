package spec

import (
	"maps"
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
	// lastExamined is the last event that the rule examined, and examinedInLoop is set if such an event was in the loop.
	lastExamined   tracefmt.Seq
	examinedInLoop bool
	// heldAtStart has, by fluent, where it held at the first state.
	heldAtStart []map[keyHolder]bool
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

// heldFluents returns, by fluent, the processes at which it holds, with the keys.
func (f *frame) heldFluents() (held []map[keyHolder]bool) {
	for i := range f.fluents {
		holds := make(map[keyHolder]bool)
		for p, since := range f.fluents[i].since {
			if since != 0 {
				holds[keyHolder{process: tracefmt.ProcessID(p)}] = true
			}
		}
		if f.fluents[i].keyed != nil {
			f.fluents[i].keyed.holding(holds)
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

// fluentsMoved reports whether the fluents hold at other processes, or for other keys, after the loop than before it.
func (b *base) fluentsMoved() bool {
	return !slices.EqualFunc(b.round.heldAtStart, b.frame.heldFluents(), maps.Equal[map[keyHolder]bool])
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
