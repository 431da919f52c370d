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

// remarks says what is odd about the run itself, a sentence each: words of its
// header that nothing knows, and what of it is not believed.
func (r *RunReport) remarks() []string {
	var all []string
	if changes := r.Run.RepairedText(); changes != "" {
		all = append(all, "on repaired data: "+changes)
	}
	all = append(all, r.Run.Account()...)
	if r.Ending.Doubt != "" {
		all = append(all, r.Ending.Doubt)
	}
	for _, err := range slices.Concat(r.unknownProblem(), r.unknownTraits()) {
		all = append(all, fmt.Sprintf("the run states an %v", err))
	}
	all = append(all, r.nearlyStandBy()...)
	if r.nothingExamined() {
		about := fmt.Sprintf("the run is about %s, but no property of %[1]s", r.Run.Problem)
		if r.Run.Problem == "" {
			about = "the run does not say what it is about, and no property"
		}
		if slices.ContainsFunc(r.Results, func(result *Result) bool { return result.Named }) {
			about += " that was examined"
		}
		why := cmp.Or(r.idle(), "docs/vocabulary.md lists the words that show it")
		all = append(all, fmt.Sprintf("%s found anything to examine: %s", about, why))
	}
	return all
}

// nearlyStandBy says of which roles that members have it may be a slip of the pen that
// they take part.
func (r *RunReport) nearlyStandBy() (all []string) {
	seen := make(map[string]bool)
	for p := range r.Run.Members {
		role := r.Run.Role(tracefmt.ProcessID(p + 1))
		if near := tracefmt.RoleMeant(role); near != "" && !seen[role] {
			seen[role] = true
			all = append(all, fmt.Sprintf("process %s has the role %s and so is a participant, did you mean %q, which is none?",
				r.Run.ProcessName(tracefmt.ProcessID(p+1)), text.Quote(role), near))
		}
	}
	return all
}

// nothingExamined reports whether properties of the problem that a recording is about
// were to be examined, and all came to nothing: perhaps it tells its story in other
// words than etrace's. Where it does not say what it is about, these are all properties.
func (r *RunReport) nothingExamined() bool {
	if r.Run.Source == tracefmt.Simulated || r.Run.Problem != "" && !knownProblem(r.Run.Problem, nil) {
		return false
	}
	asked := false
	for _, result := range r.Results {
		of := result.Property.isOf(r.Run)
		if !of && r.Run.Problem != "" {
			continue
		}
		if result.Verdict != NotApplicable && result.Verdict != Vacuous {
			return false
		}
		asked = asked || of && !(r.Run.Problem == "" && result.Named) // of what is named it is said that it applies to no run
	}
	return asked
}

// isOf reports whether the property is one of the problem that the run is about or, where the run does not say that,
// of any.
func (p *Property) isOf(run *tracefmt.Run) bool {
	if run.Problem == "" {
		return p.Problem != "" || p.About != nil
	}
	return p.Problem != "" && !p.elsewhere(run) || slices.Contains(p.About, run.Problem)
}

// idle is why a property of the problem of the run found nothing, as far as one knows.
func (r *RunReport) idle() string {
	for _, result := range r.Results {
		if result.Verdict == Vacuous && result.Property.Problem == r.Run.Problem && result.Explanation != "" {
			return result.Explanation
		}
	}
	return ""
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

// oddRole says which role a process tells that etrace does not know, in a run that may be
// about an election: it counts as not told.
func oddRole(s *replay.State) []string {
	role := s.OddRole()
	if role == "" || s.Run.Problem != "" && !s.Run.Solves(tracefmt.Election) {
		return nil
	}
	near := ""
	if word := text.Nearest(strings.Trim(role, `"`), replay.RoleWords()); word != "" {
		near = fmt.Sprintf(", did you mean %q?", word)
	}
	return []string{fmt.Sprintf("a process records the role %s, which etrace does not know: it does not show who leads%s", text.Short(role, 41), near)}
}

// statements are the events of a run that its user has stated.
type statements []string

func (s *statements) add(run *tracefmt.Run, e *tracefmt.Event, before tracefmt.Seq) {
	if !e.Stated() {
		return
	}
	at := fmt.Sprintf("at seq %d", e.Seq)
	if e.Seq == before { // it has no seq of its own
		at = fmt.Sprintf("after seq %d", e.Seq)
	}
	*s = append(*s, fmt.Sprintf("%s of process %s %s", e.Kind, run.ProcessName(e.Process), at))
}

func (s statements) remarks() []string {
	if len(s) == 0 {
		return nil
	}
	return []string{"stated by who imported or checks it, and not recorded: " + text.Some(s, 8)}
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

// parts are the processes that say something of themselves, by process: those that do
// more than to send and receive.
type parts []bool

func (ps parts) step(e *tracefmt.Event) {
	switch e.Kind {
	case tracefmt.Send, tracefmt.Receive, tracefmt.Lose:
	default:
		ps[e.Process] = true
	}
}

// remarks says who is taken for one that stands by, in a recording of a known problem
// whose other processes take part. It says so of none whose states may be missing, as the
// run says: such a process may take part.
func (ps parts) remarks(s *replay.State) []string {
	var silent []string
	run, states := s.Run, tracefmt.Fact{Kind: tracefmt.State}
	for i := range run.Members {
		p := tracefmt.ProcessID(i + 1)
		if !ps[p] && run.Part(p) == tracefmt.PartUnknown && !s.Coverage().SaidMissing(p, states, 0, 0) {
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
