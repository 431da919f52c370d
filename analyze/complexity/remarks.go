package complexity

import (
	"fmt"
	"maps"
	"slices"

	"etrace/tracefmt"
	"etrace/tracefmt/text"
)

// remarkDetails adds remarks about requested details that the run does not have.
func (r *Report) remarkDetails(s *Stats) {
	if s.Details == nil {
		return
	}
	r.remarkIdle(s)
	for i, b := range s.Breakdowns {
		if !s.hasGroups(i) {
			r.Remarks = append(
				r.Remarks,
				fmt.Sprintf("run %d: no message records its %s, nor does its sender%s", s.Run,
					text.Printable(b.heads[0]), didYouMean(b.meant)),
			)
		}
	}
	for _, p := range s.Per {
		if p.found {
			continue
		}
		r.Remarks = append(r.Remarks, fmt.Sprintf("run %d: there is no %s to count by%s", s.Run, p.Operation,
			didYouMean(p.meant)))
	}
}

// remarkIdle adds a remark about an election without messages, with the reason.
func (r *Report) remarkIdle(s *Stats) {
	idle := slices.IndexFunc(s.Elections, func(e Election) bool { return e.Sent+e.Delivered == 0 })
	if idle < 0 || s.run.Source == tracefmt.Simulated || s.Processes < 2 {
		return
	}
	reason := "none that is recorded names its term, or is sent while it goes on"
	if s.Messages.Sent+s.Messages.Delivered == 0 {
		reason = "the run records none"
	}
	election := "its election"
	if term := s.Elections[idle].Term; term != nil {
		election = "the election of term " + text.Printable(string(term))
	}
	r.Remarks = append(r.Remarks, fmt.Sprintf("run %d: %s has no messages: %s", s.Run, election, reason))
}

// Absent reports whether a requested division or operation applies to no run: the division has no group, though
// messages are sent, or the operation does not occur.
func (r *Report) Absent() bool {
	if len(r.Runs) == 0 || r.Runs[0].Details == nil {
		return false
	}
	inNone := func(i int, applies func(s *Stats, i int) bool) bool {
		return !slices.ContainsFunc(r.Runs, func(s *Stats) bool { return applies(s, i) })
	}
	for i := range r.Runs[0].Breakdowns {
		if inNone(i, (*Stats).hasGroups) {
			return true
		}
	}
	for i := range r.Runs[0].Per {
		if inNone(i, func(s *Stats, i int) bool { return s.Per[i].found }) {
			return true
		}
	}
	return false
}

// hasGroups reports whether the messages of the run, if any, belong to groups of the breakdown.
func (s *Stats) hasGroups(i int) bool { return len(s.Breakdowns[i].Groups) > 0 || s.Messages.Sent == 0 }

// Misspelt returns an error for a name in a budget or an operation that no run has: an undeclared message type,
// or a name that is close to an existing one. It requires that all runs are complete. It returns nil for
// correct names.
func (r *Report) Misspelt(budgets []*Budget) error {
	if len(r.Runs) == 0 || slices.ContainsFunc(r.Runs, func(s *Stats) bool { return !s.complete || s.Details == nil }) {
		return nil
	}
	for i, p := range r.Runs[0].Per {
		if p.meant != "" && !slices.ContainsFunc(r.Runs, func(s *Stats) bool { return s.Per[i].found }) {
			return fmt.Errorf("--per %s: no run has one%s", p.Operation, didYouMean(p.meant))
		}
		// Without the declared types of every run, an unknown type may belong to a run that sent none of it.
	}
	known := map[string]bool{}
	for _, s := range r.Runs {
		if s.declared == nil {
			return nil
		}
		for _, name := range s.declared {
			known[name] = true
		}
	}
	for _, b := range budgets {
		for _, name := range b.types() {
			if !known[name] {
				return fmt.Errorf("budget %q: %w", b,
					text.Unknown("message type", name, slices.Sorted(maps.Keys(known))))
			}
		}
	}
	return nil
}

// didYouMean returns the end of a remark with the probable name, "" for none.
func didYouMean(name string) string {
	if name == "" {
		return ""
	}
	return fmt.Sprintf("; did you mean %q?", name)
}

// seenNames are names that occur in a run, for suggestions.
type seenNames map[string]bool

// maxNames is the limit for the stored names.
const maxNames = 256

// add adds a name, up to maxNames.
func (n seenNames) add(name string) {
	if !n[name] && len(n) < maxNames {
		n[name] = true
	}
}

// nearest returns the name that was probably meant; "" for none.
func (n seenNames) nearest(name string) string {
	return text.Misspelt(name, slices.Sorted(maps.Keys(n)))
}
