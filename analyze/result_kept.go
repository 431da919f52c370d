package analyze

import (
	"cmp"
	"slices"

	"etrace/tracefmt"
)

// Violation is a violation of a property, for callers that want more than the first; see [Options].
type Violation struct {
	// Witness lists the events that together show it, and Explanation describes them.
	Witness     []tracefmt.Seq
	Explanation string
	// Excuses are facts that would explain it if one of them happened unrecorded; nil for a certain violation.
	Excuses []Need
}

// Stuck reports whether the property could not be decided for another reason than missing facts. Explanation has
// the reason.
func (r *Result) Stuck() bool { return r.Verdict == Unknown && r.unknown }

// appendKept appends a violation to the list, if the list has fewer than Options.Keep.
func (r *Result) appendKept(
	list []Violation, explain func() string, witness []tracefmt.Seq, excuses []Need,
) []Violation {
	if len(list) >= r.keep {
		return list
	}
	return append(list, Violation{sortedWitness(witness), explain(), excuses})
}

// keepExcused counts and stores a violation that unrecorded facts explain for certain.
func (r *Result) keepExcused(explain func() string, witness []tracefmt.Seq, excuses []Need) {
	r.Excused++
	r.keptExcused = r.appendKept(r.keptExcused, explain, witness, excuses)
}

// addExcused adds, at the end, a group of violations that unrecorded facts may explain.
func (r *Result) addExcused(f *finding) {
	r.Excused += f.count
	for _, v := range f.kept {
		v.Excuses = r.missingOf(v.Excuses)
		r.keptExcused = append(r.keptExcused, v)
	}
}

// addCertain adds, at the end, a group of violations that nothing explains.
func (r *Result) addCertain(f *finding) {
	for _, v := range f.kept {
		v.Excuses = nil
		r.Kept = append(r.Kept, v)
	}
}

// tidyKept sorts the stored violations, and keeps the first Options.Keep certain ones and as many excused
// ones.
func (r *Result) tidyKept() {
	if r.keep > 0 {
		r.Kept = append(inOrder(r.Kept, r.keep), inOrder(r.keptExcused, r.keep)...)
	}
}

// inOrder returns the first n of a list, by the last of their events.
func inOrder(list []Violation, n int) []Violation {
	slices.SortStableFunc(list, func(a, b Violation) int {
		if len(a.Witness) == 0 || len(b.Witness) == 0 {
			return cmp.Compare(len(b.Witness), len(a.Witness))
		}
		return cmp.Or(cmp.Compare(a.Witness[len(a.Witness)-1], b.Witness[len(b.Witness)-1]),
			slices.Compare(a.Witness, b.Witness), cmp.Compare(a.Explanation, b.Explanation))
	})
	return list[:min(n, len(list))]
}
