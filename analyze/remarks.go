package analyze

import (
	"fmt"
	"slices"
	"strings"

	"etrace/replay"
	"etrace/tracefmt"
	"etrace/tracefmt/text"
)

// remarks says what is odd about the run itself, a sentence each: words of its
// header that nothing knows, and what of it is not believed.
func (r *RunReport) remarks() []string {
	var all []string
	if r.Ending.Doubt != "" {
		all = append(all, r.Ending.Doubt)
	}
	for _, err := range slices.Concat(r.unknownProblem(), r.unknownTraits()) {
		all = append(all, fmt.Sprintf("the run states an %v", err))
	}
	return all
}

// unknownProblem returns an error if the run is about a problem that neither etrace
// nor an examined property knows. Such a run is examined for all problems.
func (r *RunReport) unknownProblem() []error {
	if word := r.Run.Problem; word != "" && !knownProblem(word, r.problems()) {
		return []error{tracefmt.UnknownProblem(word, r.problems()...)}
	}
	return nil
}

// problems are those of the examined properties that are not etrace's.
func (r *RunReport) problems() []string {
	var others []string
	for _, result := range r.Results {
		if p := result.Property.Problem; p != "" && !knownProblem(p, others) {
			others = append(others, p)
		}
	}
	return others
}

func knownProblem(word string, others []string) bool {
	_, err := tracefmt.Problems().Lookup(word)
	return err == nil || slices.Contains(others, word)
}

// unknownTraits returns an error for each trait that the run states and that
// neither etrace nor an examined property knows: a word of somebody else, or a
// slip of the pen, for which the error suggests the nearest.
func (r *RunReport) unknownTraits() []error {
	known := tracefmt.Traits().Names()
	for _, result := range r.Results {
		p := result.Property
		known = append(known, p.Traits()...)
	}
	slices.Sort(known)
	known = slices.Compact(known)
	var all []error
	for _, t := range r.Run.Traits {
		if !slices.Contains(known, t) {
			all = append(all, text.Unknown("trait", t, known))
		}
	}
	return all
}

// restarts are those of a run that its recording does not tell.
type restarts struct {
	count int
	first string // in words
}

// add takes in a step of a process that is down, before the state does.
func (r *restarts) add(s *replay.State, e *tracefmt.Event) {
	if r.count++; r.count == 1 {
		down := s.Process(e.Process)
		r.first = fmt.Sprintf("process %s is %s since seq %d and takes a step (%s) at seq %d: it is taken for up again from there on, after a restart that is not recorded",
			s.Run.ProcessName(e.Process), down.Status, down.Since, strings.TrimSpace(e.Kind.String()+" "+e.Type), e.Seq)
	}
}

// remarks is a sentence on the first restart, which says how many more there are.
func (r *restarts) remarks() []string {
	switch {
	case r.count == 0:
		return nil
	case r.count == 1:
		return []string{r.first}
	}
	return []string{fmt.Sprintf("%s; so in %s", r.first, text.Counted(r.count-1, "other place", "other places"))}
}
