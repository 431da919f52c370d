package analyze

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"etrace/replay"
	"etrace/tracefmt"
	"etrace/tracefmt/text"
)

// remarks returns what is unusual about the run itself, a sentence each: unknown words of its header, and
// declarations that are not believed.
func (r *RunReport) remarks() []string {
	var list []string
	if changes := r.Run.RepairedText(); changes != "" {
		list = append(list, "on repaired data: "+changes)
	}
	list = append(list, r.Run.Account()...)
	if r.Ending.Doubt != "" {
		list = append(list, r.Ending.Doubt)
	}
	for _, err := range slices.Concat(r.unknownProblem(), r.unknownTraits()) {
		list = append(list, fmt.Sprintf("the run states an %v", err))
	}
	list = append(list, r.misspeltRoles()...)
	if r.nothingExamined() {
		about := fmt.Sprintf("the run is about %s, but no property of %[1]s", r.Run.Problem)
		if r.Run.Problem == "" {
			about = "the run does not say what it is about, and no property"
		}
		if slices.ContainsFunc(r.Results, func(result *Result) bool { return result.Named }) {
			about += " that was examined"
		}
		reason := cmp.Or(r.idleReason(), "docs/vocabulary.md lists the words that show it")
		list = append(list, fmt.Sprintf("%s found anything to examine: %s", about, reason))
	}
	return list
}

// misspeltRoles describes members whose role resembles a role of non-participants, such as "cliet".
func (r *RunReport) misspeltRoles() (list []string) {
	seen := make(map[string]bool)
	for p := range r.Run.Members {
		role := r.Run.Role(tracefmt.ProcessID(p + 1))
		if near := tracefmt.RoleMeant(role); near != "" && !seen[role] {
			seen[role] = true
			list = append(list, fmt.Sprintf("process %s has the role %s and so is a participant, did you mean %q, which is none?",
				r.Run.ProcessName(tracefmt.ProcessID(p+1)), text.Quote(role), near))
		}
	}
	return list
}

// nothingExamined reports whether properties of the run's problem were checked and none found anything to
// examine. The recording may then use other words than etrace. Without a declared problem, all properties
// count.
func (r *RunReport) nothingExamined() bool {
	if r.Run.Source == tracefmt.Simulated || r.Run.Problem != "" && !knownProblem(r.Run.Problem, nil) {
		return false
	}
	checked := false
	for _, result := range r.Results {
		applies := result.Property.isAbout(r.Run)
		if !applies && r.Run.Problem != "" {
			continue
		}
		if result.Verdict != NotApplicable && result.Verdict != Vacuous {
			return false
		}
		// Without a declared problem, a named property that applies to no run gets a remark of its own.
		if applies && (r.Run.Problem != "" || !result.Named) {
			checked = true
		}
	}
	return checked
}

// isAbout reports whether the property is about the run's problem; without a declared problem, whether it is
// about any.
func (p *Property) isAbout(run *tracefmt.Run) bool {
	if run.Problem == "" {
		return p.Problem != "" || p.About != nil
	}
	return p.Problem != "" && !p.otherProblem(run) || slices.Contains(p.About, run.Problem)
}

// idleReason returns the reason why a property of the run's problem had nothing to examine; "" if none gives a
// reason.
func (r *RunReport) idleReason() string {
	for _, result := range r.Results {
		if result.Verdict == Vacuous && result.Property.Problem == r.Run.Problem && result.Explanation != "" {
			return result.Explanation
		}
	}
	return ""
}

// unknownProblem returns an error if neither etrace nor an examined property knows the run's problem. Such a run
// is examined for all problems.
func (r *RunReport) unknownProblem() []error {
	if word := r.Run.Problem; word != "" && !knownProblem(word, r.problems()) {
		return []error{tracefmt.UnknownProblem(word, r.problems()...)}
	}
	return nil
}

// problems returns the problems of the properties that etrace itself does not know.
func (r *RunReport) problems() []string {
	var remaining []string
	for _, result := range r.Results {
		if p := result.Property.Problem; p != "" && !knownProblem(p, remaining) {
			remaining = append(remaining, p)
		}
	}
	return remaining
}

// knownProblem reports whether etrace knows the problem, or it is among the others.
func knownProblem(word string, remaining []string) bool {
	_, err := tracefmt.Problems().Lookup(word)
	return err == nil || slices.Contains(remaining, word)
}

// unknownTraits returns an error for each trait of the run that neither etrace nor an examined property knows. It
// may be misspelt, so the error suggests the nearest one.
func (r *RunReport) unknownTraits() []error {
	known := tracefmt.Traits().Names()
	for _, result := range r.Results {
		p := result.Property
		known = append(known, p.Traits()...)
	}
	slices.Sort(known)
	known = slices.Compact(known)
	var list []error
	for _, t := range r.Run.Traits {
		if !slices.Contains(known, t) {
			list = append(list, text.Unknown("trait", t, known))
		}
	}
	return list
}

// oddRole describes a role that a process records and etrace does not know, in a run that may be about an
// election. Such a role does not show whether the process leads.
func oddRole(s *replay.State) []string {
	role := s.OddRole()
	if role == "" || s.Run.Problem != "" && !s.Run.Solves(tracefmt.Election) {
		return nil
	}
	near := ""
	if word := text.Nearest(strings.Trim(role, `"`), replay.RoleWords()); word != "" {
		near = fmt.Sprintf(", did you mean %q?", word)
	}
	return []string{fmt.Sprintf(
		"a process records the role %s, which etrace does not know: it does not show who leads%s",
		text.Short(role, 41), near,
	)}
}

// statements are the events that the user has stated.
type statements []string

// add notes an event that the user stated; before is the seq of the event before it.
func (s *statements) add(run *tracefmt.Run, e *tracefmt.Event, before tracefmt.Seq) {
	if !e.Stated() {
		return
	}
	at := fmt.Sprintf("at seq %d", e.Seq)
	// A crash that is stated without a number keeps the seq of the event before it.
	if e.Seq == before {
		at = fmt.Sprintf("after seq %d", e.Seq)
	}
	*s = append(*s, fmt.Sprintf("%s of process %s %s", e.Kind, run.ProcessName(e.Process), at))
}

// remarks lists the stated events in a sentence.
func (s statements) remarks() []string {
	if len(s) == 0 {
		return nil
	}
	return []string{"stated by the user, and not recorded: " + text.Some(s, 8)}
}

// restarts are the unrecorded restarts of a run.
type restarts struct {
	count int
	first string // a sentence about the first restart
}

// add takes a step of a process that is down, before the state is updated.
func (r *restarts) add(s *replay.State, e *tracefmt.Event) {
	if r.count++; r.count == 1 {
		down := s.Process(e.Process)
		r.first = fmt.Sprintf("process %s is %s since seq %d and takes a step (%s) at seq %d: it is taken for up "+
			"again from there on, after a restart that is not recorded",
			s.Run.ProcessName(e.Process), down.Status, down.Since, strings.TrimSpace(e.Kind.String()+" "+e.Type), e.Seq)
	}
}

// remarks describes the first restart, with the number of further ones.
func (r *restarts) remarks() []string {
	switch {
	case r.count == 0:
		return nil
	case r.count == 1:
		return []string{r.first}
	}
	return []string{fmt.Sprintf("%s; so in %s", r.first, text.Counted(r.count-1, "other place", "other places"))}
}

// participation reports, by process, whether it records other events than sends, receives and losses.
type participation []bool

// step takes the next event.
func (ps participation) step(e *tracefmt.Event) {
	switch e.Kind {
	case tracefmt.Send, tracefmt.Receive, tracefmt.Lose:
	default:
		ps[e.Process] = true
	}
}

// remarks lists processes that are assumed not to participate, in a recording of a known problem with other
// participants. It omits processes with possibly missing states, which may participate.
func (ps participation) remarks(s *replay.State) []string {
	var silent []string
	run, states := s.Run, tracefmt.Fact{Kind: tracefmt.State}
	for i := range run.Members {
		p := tracefmt.ProcessID(i + 1)
		if !ps[p] && run.Part(p) == tracefmt.PartUnknown && !s.Coverage().DeclaredMissing(p, states, 0, 0) {
			silent = append(silent, run.ProcessName(p))
		}
	}
	if len(silent) == 0 || len(silent) == len(run.Members) || !knownProblem(run.Problem, nil) {
		return nil
	}
	plural, does := "process", "records nothing of itself and has no role: it is assumed not to take part, and owes nothing"
	if len(silent) > 1 {
		plural, does = "processes", "record nothing of themselves and have no role: they are assumed not to take part, and owe nothing"
	}
	return []string{fmt.Sprintf("%s %s %s", plural, text.Some(silent, 8), does)}
}
