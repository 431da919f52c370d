package analyze

import (
	"fmt"
	"slices"
	"strings"

	"etrace/tracefmt"
)

// decide derives the verdict from the findings and from what is unrecorded.
func (r *Result) decide(end Ending) {
	r.releaseHeld()
	defer func() {
		if r.Verdict != Unknown { // these lists are what to record the next time
			r.lacking, r.owedNeeds = needList{}, needList{}
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
			r.Needs = mergeNeeds(r.missingOf(append(r.unknownFor, r.lacking.sorted()...)))
			if r.Needs == nil && r.unknownFor == nil {
				r.Needs = mergeNeeds(r.missingOf(Needs(AnyProcess, 0, 0, r.Property.ViolatedBy...)))
			}
		}
	case r.excused != nil:
		r.makeUnknown(r.excused)
	case len(r.Open) > 0:
		r.Verdict, r.Explanation = Pending, obligations(r.Open)
	case r.firstPossiblyOwed != nil:
		r.makeUnknown(r.firstPossiblyOwed)
	case r.undecidedByMissing():
	case r.mistaken != "":
		r.Verdict, r.Explanation = Unknown, r.mistaken
	case r.Examined == 0:
		r.Verdict, r.Explanation = Vacuous, r.idle
	case end.Final():
		r.Verdict = Satisfied
	default:
		r.Verdict = HoldsSoFar
	}
}

// weigh sets Counts for an undecided verdict. It counts if the user named the property, or if the record is complete.
// It also counts if the needed facts are recorded in part: the recording has a gap, lacks the log of a member, or a
// search reached its bound. Open obligations of a stopped recording do not count. Safety that rests on a member
// without a log counts even if other needed facts are never recorded, since a member with a log needs no such facts.
func (r *Result) weigh(run *tracefmt.Run) {
	if r.Verdict != Unknown && r.Verdict != Pending {
		return
	}
	undecided := r.Verdict == Unknown && (!r.restsOnNeverRecorded() || r.restsOnUnread(run))
	r.Counts = r.Named || run.DeclaresAll() || undecided
}

// restsOnNeverRecorded reports whether a needed fact is recorded at no process. Such a fact makes the verdict unknown
// in every run of the system, which is no fault of this run.
func (r *Result) restsOnNeverRecorded() bool {
	return slices.ContainsFunc(r.Needs, func(n Need) bool { return r.state.Coverage().Lacks(n.Fact) })
}

// restsOnUnread reports whether the satisfaction of a safety property rests on a member without a log.
func (r *Result) restsOnUnread(run *tracefmt.Run) bool {
	return r.Property.Kind == Safety && r.excused == nil && slices.ContainsFunc(r.Needs, func(n Need) bool {
		coverage := r.state.Coverage()
		return n.Process != 0 && !coverage.Nowhere(n.Fact) && slices.ContainsFunc(n.processes(run), coverage.NothingRecorded)
	})
}

// Mistaken records a reason to think that the rule does not mean what is written, such as a comparison with a
// text that no event has. A rule that would be satisfied becomes unknown; a violation stays one.
func (r *Result) Mistaken(reason string) { r.mistaken = reason }

// Idle records why nothing could be examined, which explains a vacuous property.
func (r *Result) Idle(reason string) { r.idle = reason }

// makeUnknown makes the verdict unknown for a finding that unrecorded facts may explain.
func (r *Result) makeUnknown(f *finding) {
	r.Verdict, r.Needs, r.Witness = Unknown, mergeNeeds(f.excuses), f.witness
	but := ", unless unrecorded events explain it"
	if f.inferred {
		but = "; but this is only inferred"
	}
	r.Explanation = f.explanation + but + ": " + needsText(r.state.Run, r.Needs)
}

// missingOf returns those needs that the recording may lack.
func (r *Result) missingOf(needs []Need) []Need {
	return Missing(r.state, needs)
}

// releaseHeld decides the held violations at the end of the run: each is excused or certain.
func (r *Result) releaseHeld() {
	order := r.firstOrder
	for _, f := range r.held {
		f.excuses = r.missingOf(f.excuses)
		switch {
		case len(f.excuses) > 0:
			if r.excused == nil || f.order < r.excused.order {
				r.excused = f
			}
			r.addExcused(f)
			continue
		case r.Violations == 0 || f.order < order:
			r.Explanation, r.Witness, order = f.explanation, f.witness, f.order
		}
		r.Violations += f.count
		r.addCertain(f)
	}
	r.tidyKept()
}

// undecidedByMissing decides a property without a violation whose facts may be missing: it is unknown, or not
// applicable if nothing that it is about is recorded. It returns false if no fact is missing.
func (r *Result) undecidedByMissing() bool {
	if !r.partial() {
		return false
	}
	needs := r.missingOf(r.lacking.sorted())
	if len(needs) == 0 {
		return false
	}
	r.Needs = mergeNeeds(needs)
	if r.Examined == 0 && r.lacksTriggers() {
		r.Verdict = NotApplicable
		r.Explanation = "what the property is about is not recorded: " + factsText(r.missingTriggers())
		r.Needs = nil
		return true
	}
	r.Verdict = Unknown
	r.Explanation = "nothing recorded violates it, but unrecorded events may: " + needsText(r.state.Run, r.Needs)
	return true
}

// lacksTriggers reports whether the recording lacks some fact of Triggers at all processes; without Triggers,
// whether it lacks all facts of ViolatedBy.
func (r *Result) lacksTriggers() bool {
	if r.Property.Triggers != nil {
		return slices.ContainsFunc(r.Property.Triggers, r.recordedNowhere)
	}
	return !slices.ContainsFunc(r.Property.ViolatedBy, func(f tracefmt.Fact) bool { return !r.recordedNowhere(f) })
}

// recordedNowhere reports whether the recording lacks the fact at all processes, even as an inferred one.
func (r *Result) recordedNowhere(f tracefmt.Fact) bool {
	return r.state.Coverage().Nowhere(f) && !r.guesses.has(f)
}

// missingTriggers returns the facts of Triggers that the recording lacks.
func (r *Result) missingTriggers() []tracefmt.Fact {
	triggers := r.Property.Triggers
	if triggers == nil {
		triggers = r.Property.ViolatedBy
	}
	return slices.DeleteFunc(slices.Clone(triggers), func(f tracefmt.Fact) bool { return !r.recordedNowhere(f) })
}

// obligations lists open obligations for people, up to a limit.
func obligations(open []string) string {
	const limit = 8
	if len(open) <= limit {
		return strings.Join(open, "; ")
	}
	return fmt.Sprintf("%s; and %d more", strings.Join(open[:limit], "; "), len(open)-limit)
}

// factsText lists facts in words.
func factsText(facts []tracefmt.Fact) string {
	var list []string
	for _, f := range facts {
		list = append(list, factText(f))
	}
	return strings.Join(list, ", ")
}
