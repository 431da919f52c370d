package election

import (
	"fmt"
	"iter"
	"slices"

	"etrace/analyze"
	"etrace/analyze/property/memory"
	"etrace/analyze/property/paper"
	"etrace/analyze/property/unrecorded"
	"etrace/replay"
	"etrace/tracefmt"
)

var uniqueLeaderPerTerm = analyze.Property{
	Name:  "unique-leader-per-term",
	Kind:  analyze.Safety,
	About: []string{tracefmt.Raft, tracefmt.Zab},
	Doc: `In one term at most one process leads.

A process becomes leader with an event that assigns its role, or elected = itself; the state after the event decides:
a process with the role follower does not lead, whatever elected is. Every such event counts, also a start or a
recovery, and also those of processes that have crashed since: a term belongs to its first leader for good. The term
is the last one recorded by the process. If no process records a term, the property is not applicable; if terms are
recorded and no process leads, it is vacuous.`,
	Needs:      "state events that assign role or elected and name a term",
	Source:     paper.Raft + ", figure 3: election safety",
	ViolatedBy: LeaderFacts, ExcusedBy: choiceFacts,
	New: func(*tracefmt.Run) analyze.Monitor {
		return &uniqueLeaderMonitor{
			leaders: make(map[replay.Term]termLeader), excuses: make(map[replay.Term][]analyze.Need),
		}
	},
}

// termLeader is the first leader of a term.
type termLeader struct {
	process    tracefmt.ProcessID
	at, termAt tracefmt.Seq // the events that recorded its leadership and its term
}

// uniqueLeaderMonitor stores the first leader of each term and compares all others with it.
type uniqueLeaderMonitor struct {
	leaders map[replay.Term]termLeader
	excuses map[replay.Term][]analyze.Need // the excuses of the first leaders, by term
	leading *leadershipFold
}

// Follow implements [analyze.Follower].
func (m *uniqueLeaderMonitor) Follow(f *analyze.Folds) {
	m.leading = analyze.Shared(f, newLeadershipFold)
}

// Step compares a process that records its leadership with the first leader of its term.
func (m *uniqueLeaderMonitor) Step(r *analyze.Result, s *replay.State, e *tracefmt.Event) {
	if !e.Kind.AssignsVariables() {
		return
	}
	if !recordsLeading(s, e) {
		return
	}
	term := s.Term(e.Process)
	if !term.Known() {
		r.Undecided(func() string {
			return fmt.Sprintf("process %s leads at seq %d in a term that is not recorded",
				s.Run.ProcessName(e.Process), e.Seq)
		}, unrecorded.DifferenceInTerm(s, e.Process)...)
		return
	}
	r.Examined++
	first, ok := m.leaders[term]
	switch {
	case !ok && memory.RoomFor(r, len(m.leaders)+1, "terms"):
		m.leaders[term] = termLeader{e.Process, e.Seq, s.TermAt(e.Process)}
		// The first leader may turn out not to lead, which excuses each later one.
		if excuses := possiblyNoLeaderInTerm(s, e); excuses != nil {
			m.excuses[term] = excuses
		}
	case ok && first.process != e.Process:
		r.ViolateUnless(append(possiblyNoLeaderInTerm(s, e), m.excuses[term]...), func() string {
			return fmt.Sprintf("process %s leads in %v at seq %d, in which process %s leads since seq %d",
				s.Run.ProcessName(e.Process), term, e.Seq, s.Run.ProcessName(first.process), first.at)
		}, first.termAt, first.at, s.TermAt(e.Process), e.Seq)
	}
}

// possiblyNoLeaderInTerm returns the unrecorded facts that leave it possible that the process of an event does not
// lead, or leads in another term.
func possiblyNoLeaderInTerm(s *replay.State, e *tracefmt.Event) (needs []analyze.Need) {
	if !s.TermIn(e).Known() {
		needs = unrecorded.DifferenceInTerm(s, e.Process)
	}
	if _, said := e.Field("role"); !said {
		needs = append(needs, unrecorded.Difference(s, e.Process, unrecorded.RoleFact)...)
	}
	return needs
}

// Relies implements [analyze.Relying].
func (m *uniqueLeaderMonitor) Relies(s *replay.State, _ analyze.Ending) iter.Seq[analyze.Need] {
	if w := m.leading.result(s); w.sharedTerm {
		return slices.Values(w.needs(s))
	}
	return nil
}

// End reports a run without leaders or terms as not applicable.
func (m *uniqueLeaderMonitor) End(r *analyze.Result, s *replay.State, _ analyze.Ending) {
	switch {
	case !s.HasLeader():
		r.NotApplicable(NoLeaderRecorded)
	case !s.HasTerm():
		r.NotApplicable(noTerm)
	}
}

const noTerm = "no process records a term"

// recordsLeading reports whether a process leads and the event records that.
func recordsLeading(s *replay.State, e *tracefmt.Event) bool {
	return e.Process != 0 && s.Process(e.Process).LeadingAt == e.Seq && s.Leads(e.Process)
}
