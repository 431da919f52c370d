package spec

import (
	"maps"
	"slices"

	"etrace/analyze"
	"etrace/replay"
	"etrace/tracefmt"
)

// round is what a monitor saw in the final loop of a run. The global state recurs, and so do the events, so a
// further round breaks no rule that the first round keeps. The exceptions are what does not recur: times, clocks
// and counts, and fluents that begin and end by events.
type round struct {
	inside bool // the first state of the loop has passed
	// looked is the last event that the rule examined, and touched is set if such an event was in the loop.
	looked  tracefmt.Seq
	touched bool
	// held has, by fluent, where it held at the first state.
	held []map[keyHolder]bool
}

// Recur takes an event of the loop, after Step.
func (b *base) Recur(_ *replay.State, e *tracefmt.Event) {
	if b.round.inside {
		b.round.touched = b.round.touched || b.round.looked == e.Seq
		return
	}
	b.round.inside = true
	b.round.held = b.frame.holding()
}

// holding returns, by fluent, the processes at which it holds, with the keys.
func (f *frame) holding() (held []map[keyHolder]bool) {
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
	if end.Looping() && (b.round.touched && changes || b.unsteady()) {
		r.Undecided(unsteadyLoop)
	}
}

// unsteady reports whether the fluents hold at other processes, or for other keys, after the loop than before it.
func (b *base) unsteady() bool {
	return !slices.EqualFunc(b.round.held, b.frame.holding(), maps.Equal[map[keyHolder]bool])
}

// unsteadyLoop is the reason why a rule is unknown that refers to what changes from round to round.
func unsteadyLoop() string {
	return "the run ends in a loop, and the rule refers to what changes from round to round; further rounds were not examined"
}

// ReadsName implements [analyze.NameReader].
func (b *base) ReadsName(match func(name string) bool) bool {
	return slices.ContainsFunc(b.program.held, match) ||
		slices.ContainsFunc(b.program.fields, func(p path) bool { return match(p.root) })
}
