package election

import (
	"cmp"
	"fmt"
	"iter"
	"maps"
	"slices"

	"etrace/analyze"
	"etrace/analyze/property/members"
	"etrace/analyze/property/paper"
	"etrace/analyze/property/unrecorded"
	"etrace/replay"
	"etrace/tracefmt"
)

var electionSafetyAtAssignment = analyze.Property{
	Name: "election-safety-at-assignment",
	Kind: analyze.Safety,
	Doc: `Each assignment of elected names the best elector that is live at that instant, or no process.

Unlike election-safety, the value is compared with the instant of the assignment, in the recorded order of events. So a value
may be right here and wrong at the end, and vice versa. Initial values in start and recover events are no assignments. Where
terms are recorded, assignments in a lower term than the greatest of that instant are ignored. An elector with an unknown
rank leaves the property undecided.`,
	Needs:        bestNeeds,
	Source:       paper.Slides + ", Problem Specification, Safety, read at the assignment",
	WitnessOmits: "the values by which the run ranks processes",
	Problem:      "election",
	NeedsBest:    true,
	OnRequest:    true,
	ViolatedBy:   choiceFacts, ExcusedBy: choiceFacts, Triggers: electedFacts,
	New: func(*tracefmt.Run) analyze.Monitor {
		return newBestAssigned()
	},
}

// bestNow reports whether p has elected the best process of this instant.
func bestNow(s *replay.State, p tracefmt.ProcessID) (right bool, lacks string) {
	q := s.Process(p).Elected
	if s.Term(p).Before(lastTerm(s)) {
		return true, ""
	}
	best, lacks := s.Best()
	if q == replay.Nobody || !s.Live(q) {
		lacks = "" // the choice is wrong whichever process is best
	}
	return slices.Contains(best, q), lacks
}

// possiblyBestNow returns the needs by which p may have elected the best process of this instant.
func possiblyBestNow(s *replay.State, p tracefmt.ProcessID) []analyze.Need {
	return slices.Concat(possiblyIgnored(s, p), unrecorded.BetterThan(s, s.Process(p).Elected),
		unrecorded.Continuation(s))
}

// possiblyIgnored returns the needs by which p, which has just assigned elected, may not lead, so that its choice
// of itself is a stale belief. After a restart it would lead.
func possiblyIgnored(s *replay.State, p tracefmt.ProcessID) []analyze.Need {
	if s.Process(p).Elected != p {
		return nil
	}
	if s.Coverage().Complete() {
		return nil
	}
	return possibleValue(s, p, unrecorded.RoleFact)
}

// bestAssigned stores, for an incomplete recording, what could make a right choice wrong: the elected process was
// down, or a better one was up.
type bestAssigned struct {
	leaderLive
	// better has the last assignment that would be wrong if a better process, which is down or of unknown
	// participation, was a live elector.
	better map[absence]tracefmt.Seq
	// ignoredAssignment is set if an assignment was ignored: it is of an earlier term, or only a process's belief in
	// itself.
	ignoredAssignment bool
}

// absence is the reason why a process is not among the live electors.
type absence struct {
	process tracefmt.ProcessID
	down    tracefmt.Seq // the event since which it is down, 0 if it is up
	elector bool
}

// newBestAssigned returns the monitor of election-safety-at-assignment.
func newBestAssigned() *bestAssigned {
	return &bestAssigned{
		leaderLive: leaderLive{atAssignment{bestNow, possiblyBestNow}, make(map[tracefmt.ProcessID]namings)},
		better:     make(map[absence]tracefmt.Seq),
	}
}

// Step checks an assignment. For a right choice in an incomplete recording it also stores the processes that would
// have been better.
func (m *bestAssigned) Step(r *analyze.Result, s *replay.State, e *tracefmt.Event) {
	m.leaderLive.Step(r, s, e)
	if s.Coverage().Complete() || e.Kind != tracefmt.State || e.Process == 0 {
		return
	}
	// A process that elects itself without leading only believes in itself.
	if st := s.Process(e.Process); !assigns(s, e) {
		m.ignoredAssignment = m.ignoredAssignment || st.ElectedAt == e.Seq && st.Elected == e.Process
		return
	}
	q := s.Process(e.Process).Elected
	if best, _ := s.Best(); slices.Contains(best, q) {
		m.noteBetter(s, q)
	} else {
		m.ignoredAssignment = m.ignoredAssignment || s.Term(e.Process).Before(lastTerm(s))
	}
}

// noteBetter adds the processes that are better than q, which was just elected.
func (m *bestAssigned) noteBetter(s *replay.State, q tracefmt.ProcessID) {
	keys := s.Run.BestKeys()
	for i := range s.Run.Members {
		b := tracefmt.ProcessID(i + 1)
		a := absence{process: b, elector: s.Elector(b)}
		// A live elector was compared already, and a non-participant is never an elector.
		if b == q || s.Live(b) && a.elector || s.Run.Part(b) == tracefmt.Bystander {
			continue
		}
		if !s.Live(b) {
			a.down = s.Process(b).Since
		}
		if order, lacks := s.Compare(b, q, keys); order > 0 || lacks != "" {
			m.better[a] = s.Seq
		}
	}
}

// Relies implements [analyze.Relying]: no process elected another process than recorded, each elected process was
// up, and no better process was.
func (m *bestAssigned) Relies(s *replay.State, end analyze.Ending) iter.Seq[analyze.Need] {
	if merits := unrecorded.Variables(s); m.ignoredAssignment || len(merits) > 0 {
		return slices.Values(analyze.Needs(analyze.AnyProcess, 0, 0, append(merits, choiceFacts...)...))
	}
	var needs []analyze.Need
	for _, a := range slices.SortedFunc(maps.Keys(m.better), absence.compare) {
		needs = append(needs, a.possibleEnd(s, m.better[a])...)
	}
	return members.InTurn(m.leaderLive.Relies(s, end), slices.Values(needs))
}

// compare orders absences by process, then by the time of the crash.
func (a absence) compare(b absence) int {
	return cmp.Or(cmp.Compare(a.process, b.process), cmp.Compare(a.down, b.down))
}

// possibleEnd returns the needs by which the process may have been a live elector before an event.
func (a absence) possibleEnd(s *replay.State, before tracefmt.Seq) (needs []analyze.Need) {
	if !a.elector {
		needs = analyze.Needs(a.process, 0, before, unrecorded.ElectedFact, unrecorded.RoleFact)
		if unrecorded.None(s, needs) {
			return nil
		}
	}
	if a.down == 0 {
		return needs
	}
	rises := append(analyze.Needs(a.process, a.down, before, unrecorded.RecoverFact), unrecorded.Absence(s, a.down)...)
	if unrecorded.None(s, rises) {
		return nil
	}
	return append(needs, rises...)
}

// atAssignment compares each value assigned to elected with the state at that instant. right is called for p when
// it has elected some process; lacks is the reason why the answer is unknown.
type atAssignment struct {
	right func(s *replay.State, p tracefmt.ProcessID) (right bool, lacks string)
	// excuses returns the needs by which p's wrong choice may be right.
	excuses func(s *replay.State, p tracefmt.ProcessID) []analyze.Need
}

// Step checks the value that an event assigns to elected.
func (m atAssignment) Step(r *analyze.Result, s *replay.State, e *tracefmt.Event) {
	if e.Kind != tracefmt.State || !assigns(s, e) {
		return
	}
	r.Examined++
	right, lacks := m.right(s, e.Process)
	switch {
	case lacks != "":
		r.Undecided(func() string { return lacks }, rankingNeeds(s)...)
		return
	case right:
		return
	}
	best, lacks := s.Best()
	reason, since := wrongChoice(s, s.Process(e.Process), best, lacks)
	r.ViolateUnless(m.excuses(s, e.Process), func() string {
		return fmt.Sprintf("process %s assigns elected = %s, %s", s.Run.ProcessName(e.Process),
			elected(s, e.Process), reason)
	}, e.Seq, since)
}

// End reports a run without the variable elected as not applicable.
func (atAssignment) End(r *analyze.Result, s *replay.State, _ analyze.Ending) {
	if !s.HasElected() {
		r.NotApplicable(noElection)
	}
}
