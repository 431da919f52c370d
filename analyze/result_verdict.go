package analyze

import (
	"fmt"
	"slices"
	"strings"

	"etrace/tracefmt"
)

// decide derives the verdict.
func (r *Result) decide(end Ending) {
	r.release()
	defer func() {
		if r.Verdict != Unknown { // these lists say what to record the next time
			r.lacking, r.owing = needList{}, needList{}
		}
	}()
	switch {
	case r.Violations > 0:
		r.Verdict = Violated
	case r.notApplicable:
		r.Verdict = NotApplicable
	case r.unknown:
		r.Verdict = Unknown
		if r.partial() {
			r.Needs = tidy(r.untoldOf(append(r.unknownFor, r.lacking.all...)))
			if r.Needs == nil {
				r.Needs = tidy(r.untoldOf(Needs(AnyProcess, 0, 0, r.Property.Convicts...)))
			}
		}
	case r.excused != nil:
		r.unless(r.excused)
	case len(r.Open) > 0:
		r.Verdict, r.Explanation = Pending, obligations(r.Open)
	case r.mayOwe != nil:
		r.unless(r.mayOwe)
	case r.untold():
	case r.Examined == 0:
		r.Verdict, r.Explanation = Vacuous, r.idle
	case end.Final():
		r.Verdict = Satisfied
	default:
		r.Verdict = HoldsSoFar
	}
}

// weigh says whether an open verdict counts: the property was named, or the run is recorded completely, or the
// facts that it needs are recorded of some process, so that the recording is fit to decide it and has a gap, a
// member without a log, or reached a bound. What a stopped recording still owes does not count.
func (r *Result) weigh(run *tracefmt.Run) {
	if r.Verdict != Unknown && r.Verdict != Pending {
		return
	}
	neverRecorded := slices.ContainsFunc(r.Needs, func(n Need) bool { return r.state.Coverage().Lacks(n.Fact) })
	r.Counts = r.Named || run.RecordsAll() || r.Verdict == Unknown && !neverRecorded
}

// Idle says why nothing is there to examine, which explains the property if it ends vacuous.
func (r *Result) Idle(why string) { r.idle = why }

// unless leaves undecided what would be so if all were recorded.
func (r *Result) unless(f *finding) {
	r.Verdict, r.Needs, r.Witness = Unknown, tidy(f.excuses), f.witness
	but := ", unless unrecorded events explain it"
	if f.inferred {
		but = "; but this is only inferred"
	}
	r.Explanation = f.explanation + but + ": " + needsText(r.state.Run, r.Needs)
}

// untoldOf returns those of the needs that are not told, at the end.
func (r *Result) untoldOf(needs []Need) []Need {
	return Untold(r.state, needs)
}

// release decides of the violations that were held, now that all events have been.
func (r *Result) release() {
	order := 1 << 62
	for _, f := range r.held {
		f.excuses = r.untoldOf(f.excuses)
		switch {
		case len(f.excuses) > 0:
			if r.excused == nil || f.order < r.excused.order {
				r.excused = f
			}
			r.excuse(f)
			continue
		case r.Violations == 0 || f.order < order:
			r.Explanation, r.Witness, order = f.explanation, f.witness, f.order
		}
		r.Violations += f.count
		r.convictHeld(f)
	}
	r.tidyKept()
}

// untold decides a property that would hold if the recording told everything, and does
// not.
func (r *Result) untold() bool {
	if !r.partial() {
		return false
	}
	needs := r.untoldOf(r.lacking.all)
	if len(needs) == 0 {
		return false
	}
	r.Needs = tidy(needs)
	if r.Examined == 0 && r.silent() {
		r.Verdict = NotApplicable
		r.Explanation = "what the property is about is not recorded: " + factsText(r.untoldTriggers())
		r.Needs = nil
		return true
	}
	r.Verdict = Unknown
	r.Explanation = "nothing recorded violates it, but unrecorded events may: " + needsText(r.state.Run, r.Needs)
	return true
}

// silent reports whether the recording has nothing, of any process, of some fact without
// which the property has nothing to say; where the property names none, whether it has
// nothing of all that may convict.
func (r *Result) silent() bool {
	if r.Property.Triggers != nil {
		return slices.ContainsFunc(r.Property.Triggers, r.nowhere)
	}
	return !slices.ContainsFunc(r.Property.Convicts, func(f tracefmt.Fact) bool { return !r.nowhere(f) })
}

// nowhere reports whether the recording has nothing of the fact, not even by inference.
func (r *Result) nowhere(f tracefmt.Fact) bool {
	return r.state.Coverage().Nowhere(f) && !r.guesses.of(f)
}

// untoldTriggers are the facts that the recording has nothing of.
func (r *Result) untoldTriggers() []tracefmt.Fact {
	triggers := r.Property.Triggers
	if triggers == nil {
		triggers = r.Property.Convicts
	}
	return slices.DeleteFunc(slices.Clone(triggers), func(f tracefmt.Fact) bool { return !r.nowhere(f) })
}

// obligations lists them for people, at most a handful.
func obligations(open []string) string {
	const most = 8
	if len(open) <= most {
		return strings.Join(open, "; ")
	}
	return fmt.Sprintf("%s; and %d more", strings.Join(open[:most], "; "), len(open)-most)
}

func factsText(facts []tracefmt.Fact) string {
	var all []string
	for _, f := range facts {
		all = append(all, factText(f))
	}
	return strings.Join(all, ", ")
}
