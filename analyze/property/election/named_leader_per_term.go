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

var namedLeaderPerTerm = analyze.Property{
	Name:  "named-leader-per-term",
	Kind:  analyze.Safety,
	About: []string{tracefmt.Raft, tracefmt.Zab},
	Doc: `All processes that name the leader of a term name the same one.

A process names a leader with an event that assigns elected and has a term. Itself it names only if it leads. So a
process without a log is shown to lead if the others name it. An event without a term does not count, since its process
may not have recorded the term of that leader.`,
	Needs:      "state events that assign elected and have a term",
	Source:     paper.Raft + ", figure 3: election safety, of the leaders that processes accept",
	ViolatedBy: electedFacts, ExcusedBy: []tracefmt.Fact{unrecorded.RoleFact}, Triggers: electedFacts,
	New: func(*tracefmt.Run) analyze.Monitor {
		return &namedLeaderMonitor{first: make(map[replay.Term]naming)}
	},
}

// naming is an event that names the leader of a term.
type naming struct {
	leader, process tracefmt.ProcessID
	at              tracefmt.Seq
	excuses         []analyze.Need // by which it may name no leader
}

// namedLeaderMonitor stores the first leader that is named in each term and compares all others with it.
type namedLeaderMonitor struct {
	first map[replay.Term]naming
	// assigned is set if an event has assigned elected.
	assigned bool
}

// Step compares the leader that an event names with the first one of the term.
func (m *namedLeaderMonitor) Step(r *analyze.Result, s *replay.State, e *tracefmt.Event) {
	if e.Process == 0 || !e.Kind.AssignsVariables() || s.Run.Part(e.Process) == tracefmt.Bystander {
		return
	}
	_, names := e.Field(unrecorded.ElectedFact.Variable)
	m.assigned = m.assigned || names
	term := s.TermIn(e)
	leader := s.Process(e.Process).Elected
	if !names || !term.Known() || leader <= 0 || leader == e.Process && !s.Leads(leader) {
		return
	}
	r.Examined++
	now := naming{leader: leader, process: e.Process, at: e.Seq}
	// A process with the role follower that has elected itself holds a stale belief.
	if _, hasRole := e.Field(unrecorded.RoleFact.Variable); leader == e.Process && !hasRole {
		now.excuses = unrecorded.Difference(s, e.Process, unrecorded.RoleFact)
	}
	switch first, ok := m.first[term]; {
	case !ok && memory.RoomFor(r, len(m.first)+1, "terms"):
		m.first[term] = now
	case ok && first.leader != now.leader:
		name := s.Run.ProcessName
		r.ViolateUnless(slices.Concat(first.excuses, now.excuses), func() string {
			return fmt.Sprintf("process %s names %s the leader of %v at seq %d, and process %s names %s at seq %d",
				name(now.process), name(now.leader), term, now.at, name(first.process), name(first.leader), first.at)
		}, first.at, now.at)
	}
}

// Relies implements [analyze.Relying]: no process has named another leader.
func (m *namedLeaderMonitor) Relies(s *replay.State, _ analyze.Ending) iter.Seq[analyze.Need] {
	return slices.Values(analyze.Needs(analyze.AnyProcess, 0, 0, unrecorded.ElectedFact))
}

// End reports a run in which no event names the leader of a term as not applicable.
func (m *namedLeaderMonitor) End(r *analyze.Result, s *replay.State, _ analyze.Ending) {
	switch {
	case !m.assigned:
		r.NotApplicable(noElection)
	case !s.HasTerm():
		r.NotApplicable(noTerm)
	}
}
