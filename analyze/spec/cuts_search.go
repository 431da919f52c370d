package spec

import (
	"fmt"
	"slices"
	"strings"

	"etrace/analyze"
	"etrace/analyze/causal"
	"etrace/tracefmt"
)

// maxSteps bounds the search for cuts. Steps are choices of processes and comparisons of an
// interval.
var maxSteps = 1 << 27

// cutSearch chooses processes for the variables, in turn, and for each choice intervals.
type cutSearch struct {
	cutMonitor *cutMonitor
	result     *analyze.Result
	chosen     []tracefmt.ProcessID
	intervals  []causal.Interval // the intervals of the first chosen processes
	// links has for each part the equalities that find its intervals, with an index of them for each
	// process.
	links          []link
	foundIntervals map[string]bool // the intervals of witnesses
	stepsLeft      int             // the remaining steps
	// selected are the selected intervals, by part and process.
	selected [][][]causal.Interval
}

// link joins a part of the condition to those before it.
type link struct {
	lastSide, otherSide keyer
	byKey               []map[key][]causal.Interval // by process
}

// newCutSearch prepares the search. Equalities among the relations become links, so that intervals are found by key.
func newCutSearch(m *cutMonitor, r *analyze.Result) *cutSearch {
	s := &cutSearch{
		cutMonitor: m, result: r, foundIntervals: map[string]bool{}, stepsLeft: maxSteps,
		links: make([]link, len(m.parts)),
	}
	kept := 0
	for _, p := range m.parts {
		kept += len(p.leaves)
	}
	m.frame.kept = make([]value, kept)
	for _, relation := range m.relations {
		if relation.lastSide != nil {
			l := &s.links[relation.last]
			l.lastSide, l.otherSide = append(l.lastSide, relation.lastSide), append(l.otherSide, relation.otherSide)
		}
	}
	return s
}

// selectAll selects all intervals.
func (s *cutSearch) selectAll() {
	s.selectIntervals(func(*localState, causal.Interval) bool { return true })
}

// selectCertain selects the intervals that began in every completion of the recording.
func (s *cutSearch) selectCertain() {
	s.selectIntervals(func(part *localState, i causal.Interval) bool {
		return len(analyze.Missing(s.cutMonitor.frame.state, part.doubts[beginning{i.Process, i.From}])) == 0
	})
}

// selectIntervals fills lists with the intervals for which selected is true, and forgets the indexes.
func (s *cutSearch) selectIntervals(selected func(*localState, causal.Interval) bool) {
	s.selected = nil
	for i := range s.links {
		s.links[i].byKey = make([]map[key][]causal.Interval, len(s.cutMonitor.frame.run.Members)+1)
	}
	for _, part := range s.cutMonitor.locals {
		lists := make([][]causal.Interval, len(part.intervals))
		for p, intervals := range part.intervals {
			for _, i := range intervals {
				if selected(part, i) {
					lists[p] = append(lists[p], i)
				}
			}
		}
		s.selected = append(s.selected, lists)
	}
}

// assign tries every choice of distinct processes for the variables from i on. Only processes with an interval of the
// part are tried.
func (s *cutSearch) assign(i int) {
	if i == len(s.cutMonitor.parts) {
		s.searchChosen()
		return
	}
	for p := tracefmt.ProcessID(1); int(p) <= len(s.cutMonitor.frame.run.Members) && s.stepsLeft >= 0; p++ {
		if len(s.selected[i][p]) == 0 || slices.Contains(s.chosen, p) {
			continue
		}
		s.cutMonitor.frame.variables[i] = p
		s.chosen = append(s.chosen, p)
		s.assign(i + 1)
		s.chosen = s.chosen[:i]
	}
}

// searchChosen searches for a cut in intervals of the chosen processes, and reports it.
func (s *cutSearch) searchChosen() {
	s.stepsLeft--
	if s.cutMonitor.choose != nil && s.cutMonitor.choose(s.cutMonitor.frame) != yes {
		return
	}
	switch w, found := s.detect(); {
	case !found || s.stepsLeft < 0: // no violation, or a search without an answer
	case s.ambiguousName() != "":
		s.noteAmbiguity(w)
	case !s.alreadyFound(w):
		s.violate(w)
	}
}

// ambiguousName returns a variable of the rule that is also the name of a process, if another process is chosen for it;
// "" without one. The rule may have meant the process of that name.
func (s *cutSearch) ambiguousName() string {
	for i, name := range s.cutMonitor.variables {
		if named, found := s.cutMonitor.frame.run.Process(name); found && named != s.chosen[i] &&
			!s.cutMonitor.ofLibrary {
			return name
		}
	}
	return ""
}

// noteAmbiguity records that the witness is a violation only if the rule did not mean the process of that name.
func (s *cutSearch) noteAmbiguity(w causal.Witness) {
	if s.cutMonitor.ambiguity != nil {
		return
	}
	name, text := s.ambiguousName(), s.describe(w)
	s.cutMonitor.ambiguity = func() string {
		return fmt.Sprintf("%s is the name of a process, and in the rule any process; for that process write p "+
			"== %[1]q, for any process write a name that no process has; "+
			"as any process it breaks the rule: %[2]s", name, text)
	}
}

// detect searches for intervals of the chosen processes. Intervals that overlap in every order overlap in some
// order, which is cheaper to find, so that search comes first.
func (s *cutSearch) detect() (causal.Witness, bool) {
	var conjuncts [][]causal.Interval
	for i := range s.cutMonitor.locals {
		conjuncts = append(conjuncts, s.selected[i][s.chosen[i]])
	}
	if len(s.cutMonitor.relations) > 0 {
		w, found := s.findRelated()
		if found && s.cutMonitor.definitely {
			return causal.DefinitelyRelated(&s.stepsLeft, s.relationsHold, conjuncts...)
		}
		return w, found
	}
	for _, c := range conjuncts {
		s.stepsLeft -= len(c)
	}
	if s.cutMonitor.definitely {
		return causal.Definitely(conjuncts...)
	}
	return causal.Possibly(conjuncts...)
}

// findRelated chooses intervals that satisfy the relations, part by part.
func (s *cutSearch) findRelated() (causal.Witness, bool) {
	i := len(s.intervals)
	if i == len(s.cutMonitor.parts) {
		return causal.Witness{Intervals: slices.Clone(s.intervals)}, true
	}
	list := s.candidates(i)
	for j := range s.intervals {
		list = causal.Meeting(list, &s.intervals[j])
	}
	for _, interval := range list {
		if s.stepsLeft--; s.stepsLeft < 0 {
			break
		}
		s.loadTuple(i, interval.Value)
		if !s.holdUpTo(i) {
			continue
		}
		s.intervals = append(s.intervals, interval)
		w, found := s.findRelated()
		s.intervals = s.intervals[:i]
		if found {
			return w, true
		}
	}
	return causal.Witness{}, false
}

// candidates returns the intervals of a part. If equalities link it to earlier parts, only intervals with the
// key of these are returned.
func (s *cutSearch) candidates(i int) []causal.Interval {
	l, p := &s.links[i], s.chosen[i]
	intervals := s.selected[i][p]
	if l.lastSide == nil {
		return intervals
	}
	k, ok := l.otherSide.key(s.cutMonitor.frame)
	if !ok {
		return nil
	}
	if l.byKey[p] == nil {
		l.byKey[p] = s.index(i, intervals)
	}
	return l.byKey[p][k]
}

// index groups the intervals of a process by their keys.
func (s *cutSearch) index(i int, list []causal.Interval) map[key][]causal.Interval {
	byKey := map[key][]causal.Interval{}
	for _, interval := range list {
		s.stepsLeft--
		s.loadTuple(i, interval.Value)
		if k, ok := s.links[i].lastSide.key(s.cutMonitor.frame); ok {
			byKey[k] = append(byKey[k], interval)
		}
	}
	return byKey
}

// loadTuple loads the kept values of an interval into the frame, where the relations read them.
func (s *cutSearch) loadTuple(i, number int) {
	for j, slot := range s.cutMonitor.parts[i].slots {
		s.cutMonitor.frame.kept[slot] = s.cutMonitor.tuples[number][j]
	}
}

// holdUpTo reports whether all relations hold whose last process is at place i.
func (s *cutSearch) holdUpTo(i int) bool {
	return !slices.ContainsFunc(s.cutMonitor.relations,
		func(r *relation) bool { return r.last == i && r.holds(s.cutMonitor.frame) != yes })
}

// relationsHold reports whether all relations hold for the values of the given tuples.
func (s *cutSearch) relationsHold(numbers []int) bool {
	for i, number := range numbers {
		s.loadTuple(i, number)
	}
	return !slices.ContainsFunc(s.cutMonitor.relations,
		func(r *relation) bool { return r.holds(s.cutMonitor.frame) != yes })
}

// violate reports a violation by the intervals of the witness.
func (s *cutSearch) violate(w causal.Witness) {
	if s.result.Violations == 0 {
		s.result.Cut = w.Cut().Seqs()
	}
	var witness []tracefmt.Seq
	for _, i := range w.Intervals {
		witness = append(witness, i.From, i.To)
	}
	s.result.ViolateUnless(s.unless(w), func() string { return s.describe(w) }, witness...)
}

// alreadyFound reports whether the same intervals were already found under another choice. Two leaders are one
// violation, whichever of them is called p.
func (s *cutSearch) alreadyFound(w causal.Witness) bool {
	var parts []string
	for _, i := range w.Intervals {
		parts = append(parts, fmt.Sprint(i.Process, i.From))
	}
	slices.Sort(parts)
	id := strings.Join(parts, " ")
	known := s.foundIntervals[id]
	s.foundIntervals[id] = true
	return known
}

// describe returns when each condition held, and why these intervals violate the rule.
func (s *cutSearch) describe(w causal.Witness) string {
	var parts []string
	for i, interval := range w.Intervals {
		s.loadTuple(i, interval.Value)
		parts = append(parts, fmt.Sprintf("%s = %s %v", s.cutMonitor.variables[i],
			shorten(s.cutMonitor.frame.run.ProcessName(interval.Process)), interval))
	}
	values := s.cutMonitor.frame.explain(func(f *frame) truth {
		for _, r := range s.cutMonitor.relations {
			r.holds(f)
		}
		return yes
	}).text()
	because := "no message orders the end of one before the beginning of another"
	switch {
	case s.cutMonitor.definitely && len(s.cutMonitor.relations) > 0:
		because = "every order of the concurrent events leads through such a cut"
	case s.cutMonitor.definitely:
		because = "each began before any other ended, whatever the order of concurrent events"
	}
	return fmt.Sprintf("%s%s, and %s; the rule is: %s", strings.Join(parts, ", "), values, because,
		s.cutMonitor.program.citation)
}
