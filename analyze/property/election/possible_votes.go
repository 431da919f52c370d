package election

import (
	"iter"
	"slices"

	"etrace/analyze"
	"etrace/analyze/property/members"
	"etrace/analyze/property/unrecorded"
	"etrace/replay"
	"etrace/tracefmt"
)

// This file has what leader-has-quorum does not know of an incomplete recording: unrecorded votes and leaders.

// basis has the events that gave a process its term and its role, on which a recorded vote or leadership depends. If
// one of them is out of date, the vote or leadership may have another meaning.
type basis struct {
	at, term, role tracefmt.Seq
	down           tracefmt.Seq // its last crash, if its recovery is not recorded
	inTerm         bool         // the event itself has the term
	byRole         bool         // the process has recorded the role of a leader
}

// newBasis returns the basis of an event of p; it is empty for a complete recording.
func newBasis(s *replay.State, p tracefmt.ProcessID, at tracefmt.Seq) basis {
	if s.Coverage().Complete() {
		return basis{}
	}
	d := basis{
		at: at, role: s.AssignedAt(p, unrecorded.RoleFact.Variable),
		byRole: s.Process(p).Role == replay.RoleLeads,
	}
	if f := s.TermFact(); f != unrecorded.StateFact {
		d.term = s.AssignedAt(p, f.Variable)
	}
	d.inTerm = d.term == at
	d.down = s.Process(p).Down
	return d
}

// otherTerm returns the needs by which the event was in another term than recorded, or in none.
func (d basis) otherTerm(s *replay.State, p tracefmt.ProcessID) []analyze.Need {
	if d.inTerm {
		return nil
	}
	return append(analyze.Needs(p, d.term, d.at, s.TermFact()), d.restart(p, d.term))
}

// restart returns the need by which the process restarted since, without its state.
func (d basis) restart(p tracefmt.ProcessID, since tracefmt.Seq) analyze.Need {
	if d.down > since {
		return analyze.Needs(p, d.down, d.at, unrecorded.RecoverFact)[0]
	}
	return analyze.MayRestart(p, since, d.at)
}

// noLeader returns the needs by which the process did not lead then. After a restart it leads by the event
// itself, unless the event has only the term.
func (d basis) noLeader(s *replay.State, p tracefmt.ProcessID) []analyze.Need {
	if d.byRole && d.role == d.at {
		return nil
	}
	return append(analyze.Needs(p, d.role, d.at, unrecorded.RoleFact, unrecorded.ElectedFact), d.restart(p, d.role))
}

// possibleVotes has, by process, its recorded votes and claims, which may have another meaning.
type possibleVotes struct {
	candidates []map[tracefmt.ProcessID]basis // the processes it voted for, in any term
	claims     []bool                         // it has recorded that it leads, in any term
	believes   []bool                         // it has elected itself, and does not lead
}

// newPossibleVotes returns the state before the first event.
func newPossibleVotes(run *tracefmt.Run) possibleVotes {
	n := len(run.Members) + 1
	return possibleVotes{make([]map[tracefmt.ProcessID]basis, n), make([]bool, n), make([]bool, n)}
}

// step takes an event with which a process leads or votes.
func (u *possibleVotes) step(s *replay.State, e *tracefmt.Event, leads, votes bool) {
	p := e.Process
	u.claims[p] = u.claims[p] || leads
	u.believe(s, e)
	q := vote(s, e)
	if !votes || q == 0 {
		return
	}
	if u.candidates[p] == nil {
		u.candidates[p] = make(map[tracefmt.ProcessID]basis)
	}
	if _, known := u.candidates[p][q]; !known {
		u.candidates[p][q] = newBasis(s, p, e.Seq)
	}
}

// believe records that a process has elected itself, and does not lead.
func (u *possibleVotes) believe(s *replay.State, e *tracefmt.Event) {
	p := e.Process
	if p != 0 && s.Process(p).ElectedAt == e.Seq && s.Process(p).Elected == p && !s.Leads(p) {
		u.believes[p] = true
	}
}

// possiblyElected returns the needs by which a leader may have unrecorded votes, lead in another term, or not
// lead. If too few processes can have voted for it in any term, only the last excuses it.
func (m *quorumMonitor) possiblyElected(s *replay.State, l leadership, n int) []analyze.Need {
	doubts := append(l.basis.otherTerm(s, l.process), l.basis.noLeader(s, l.process)...)
	if m.lacksVotes(s, l, n) {
		return doubts
	}
	return slices.Concat(doubts, unrecorded.Anywhere(s, unrecorded.VotedFact, s.TermFact()))
}

// lacksVotes reports whether the recorded and the possible votes for a leader are too few when it begins to lead.
func (m *quorumMonitor) lacksVotes(s *replay.State, l leadership, n int) bool {
	votes := 0
	for _, q := range members.All(s.Run) {
		if m.voteless[q] {
			continue
		}
		voteMissing := !unrecorded.None(s, analyze.Needs(q, 0, l.at, unrecorded.VotedFact))
		// A process with an unrecorded vote may be a further elector, which raises the majority.
		if voteMissing && !s.Elector(q) && !m.voted[q] {
			n++
		}
		if voteMissing || m.possibleVote(s, q, l) {
			votes++
		}
	}
	return votes <= n/2
}

// possibleVote reports whether q may have voted for a leader before, in the leader's term.
func (m *quorumMonitor) possibleVote(s *replay.State, q tracefmt.ProcessID, l leadership) bool {
	if votedAt := m.ballots[ballot{l.candidacy, q}]; votedAt != 0 && votedAt <= l.at {
		return true
	}
	d, voted := m.possibleVotes.candidates[q][l.process]
	if !voted || d.at > l.at {
		return false
	}
	terms := append(analyze.Needs(q, 0, l.at, s.TermFact()), analyze.Needs(l.process, 0, l.at, s.TermFact())...)
	return !unrecorded.None(s, terms)
}

// Relies implements [analyze.Relying]: if all leaders have their votes, no other process led in a known term, and
// no leader led earlier, or with other votes.
func (m *quorumMonitor) Relies(s *replay.State, _ analyze.Ending) iter.Seq[analyze.Need] {
	n, _ := m.electors(s)
	for _, l := range m.leaders {
		if l.votes <= m.maximum(s, n)/2 {
			return slices.Values(unrecorded.Anywhere(s, unrecorded.ElectedFact, unrecorded.RoleFact,
				unrecorded.VotedFact, s.TermFact()))
		}
	}
	var voted []analyze.Need // they are sorted later
	for b, at := range m.ballots {
		if b.process == 0 || m.led[b.candidacy] == 0 {
			continue
		}
		d := m.possibleVotes.candidates[b.voter][b.process]
		if d.at != at {
			d = basis{at: at}
		}
		voted = append(voted, d.otherTerm(s, b.voter)...)
	}
	return members.InTurn(members.NeedsOfEach(unrecorded.ElectorsNow(s),
		func(p tracefmt.ProcessID) []analyze.Need { return m.possibleLeader(s, p) }), slices.Values(voted))
}

// maximum returns the greatest possible number of processes that elect or vote.
func (m *quorumMonitor) maximum(s *replay.State, n int) int {
	for _, p := range unrecorded.ElectorsNow(s) {
		if s.Elector(p) || m.voted[p] {
			continue // counted in n
		}
		mayVote := analyze.Needs(p, 0, 0, unrecorded.ElectedFact, unrecorded.RoleFact, unrecorded.VotedFact)
		if !unrecorded.None(s, mayVote) {
			n++
		}
	}
	return n
}

// possibleLeader returns the needs by which p led in a known term without a record.
func (m *quorumMonitor) possibleLeader(s *replay.State, p tracefmt.ProcessID) []analyze.Need {
	needs := analyze.Needs(p, 0, 0, unrecorded.ElectedFact, unrecorded.RoleFact)
	if m.possibleVotes.claims[p] || m.possibleVotes.believes[p] {
		needs = append(needs, analyze.Needs(p, 0, 0, s.TermFact())...)
	}
	if m.possibleVotes.believes[p] {
		needs = append(needs, unrecorded.Restart(s, p, 0)...)
	}
	return needs
}
