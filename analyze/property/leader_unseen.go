package property

import (
	"iter"
	"slices"

	"etrace/analyze"
	"etrace/replay"
	"etrace/tracefmt"
)

// What leader-has-quorum cannot know of a run that does not tell everything: who may have
// voted or led without that being recorded.

// doubt is what a recorded event that a process leads rests on, or that it votes: since when
// it has its term and its role, as far as is recorded.
type doubt struct {
	at, term, role tracefmt.Seq
	down           tracefmt.Seq // where it went down last, if it is not recorded how it came up
	inTerm         bool         // the event says the term itself
	byRole         bool         // it has told that it leads, by its role
}

func newDoubt(s *replay.State, p tracefmt.ProcessID, at tracefmt.Seq) doubt {
	if s.Coverage().Complete() {
		return doubt{}
	}
	d := doubt{at: at, role: s.AssignedAt(p, roleFact.Variable), byRole: s.Process(p).Role == replay.RoleLeads}
	if f := s.TermFact(); f != stateFact {
		d.term = s.AssignedAt(p, f.Variable)
	}
	d.inTerm = d.term == at
	d.down = s.Process(p).Down
	return d
}

// otherTerm is that the event was in another term than is recorded, or in none.
func (d doubt) otherTerm(s *replay.State, p tracefmt.ProcessID) []analyze.Need {
	if d.inTerm {
		return nil
	}
	return append(analyze.Needs(p, d.term, d.at, s.TermFact()), d.restart(p, d.term))
}

// restart is that the process came up again since, without what it had.
func (d doubt) restart(p tracefmt.ProcessID, since tracefmt.Seq) analyze.Need {
	if d.down > since {
		return analyze.Needs(p, d.down, d.at, recoverFact)[0]
	}
	return analyze.MayRestart(p, since, d.at)
}

// noLeader is that the process did not lead then. One that has restarted leads by what the
// event says, unless that is its term only.
func (d doubt) noLeader(s *replay.State, p tracefmt.ProcessID) []analyze.Need {
	if d.byRole && d.role == d.at {
		return nil
	}
	return append(analyze.Needs(p, d.role, d.at, roleFact, electedFact), d.restart(p, d.role))
}

// unseenVotes are, by process, what it told that may come to something else.
type unseenVotes struct {
	candidates []map[tracefmt.ProcessID]doubt // whom it voted for first, whatever the term
	claims     []bool                         // it has said that it leads, whatever the term
	believes   []bool                         // it has elected itself, and does not lead
}

func newUnseenVotes(run *tracefmt.Run) unseenVotes {
	n := len(run.Members) + 1
	return unseenVotes{make([]map[tracefmt.ProcessID]doubt, n), make([]bool, n), make([]bool, n)}
}

// step takes in an event in which a process says that it leads, or votes.
func (u *unseenVotes) step(s *replay.State, e *tracefmt.Event, leads, votes bool) {
	p := e.Process
	u.claims[p] = u.claims[p] || leads
	u.believe(s, e)
	q := vote(s, e)
	if !votes || q == 0 {
		return
	}
	if u.candidates[p] == nil {
		u.candidates[p] = make(map[tracefmt.ProcessID]doubt)
	}
	if _, known := u.candidates[p][q]; !known {
		u.candidates[p][q] = newDoubt(s, p, e.Seq)
	}
}

// believe takes in that a process has elected itself, and does not lead.
func (u *unseenVotes) believe(s *replay.State, e *tracefmt.Event) {
	p := e.Process
	if p != 0 && s.Process(p).ElectedAt == e.Seq && s.Process(p).Elected == p && !s.Leads(p) {
		u.believes[p] = true
	}
}

// mayBeElected is that a leader may have votes that are not recorded, or lead in another
// term, or not at all. Where too few can have voted for it, whatever the term, only the last
// excuses it.
func (m *quorumMonitor) mayBeElected(s *replay.State, l leadership, n int) []analyze.Need {
	if s.Coverage().Complete() {
		return nil
	}
	doubts := append(l.doubt.otherTerm(s, l.process), l.doubt.noLeader(s, l.process)...)
	if m.lacksVotes(s, l, n) {
		return doubts
	}
	return slices.Concat(doubts, mayBe(s, votedFact, s.TermFact()))
}

// lacksVotes reports whether a leader cannot have the votes of a majority by the time that it
// leads: those that are recorded, and those that may have been given.
func (m *quorumMonitor) lacksVotes(s *replay.State, l leadership, n int) bool {
	votes := 0
	for _, q := range allProcesses(s.Run) {
		if m.aside[q] {
			continue
		}
		hidden := !certain(s, analyze.Needs(q, 0, l.at, votedFact))
		if hidden && !s.Elector(q) && !m.voted[q] {
			n++
		}
		if hidden || m.mayVoteFor(s, q, l) {
			votes++
		}
	}
	return votes <= n/2
}

// mayVoteFor reports whether q has voted for a leader before, in the term in which it leads
// as far as is known.
func (m *quorumMonitor) mayVoteFor(s *replay.State, q tracefmt.ProcessID, l leadership) bool {
	if at := m.ballots[ballot{l.candidacy, q}]; at != 0 && at <= l.at {
		return true
	}
	d, voted := m.unseen.candidates[q][l.process]
	if !voted || d.at > l.at {
		return false
	}
	terms := append(analyze.Needs(q, 0, l.at, s.TermFact()), analyze.Needs(l.process, 0, l.at, s.TermFact())...)
	return !certain(s, terms)
}

// Relies implements [analyze.Relying]: where all that lead have their votes, no other has led
// in a known term, none of them earlier, or with other votes.
func (m *quorumMonitor) Relies(s *replay.State, _ analyze.Ending) iter.Seq[analyze.Need] {
	if s.Coverage().Complete() {
		return nil
	}
	n, _ := m.electors(s)
	for _, l := range m.leaders {
		if l.votes <= m.most(s, n)/2 {
			return slices.Values(mayBe(s, electedFact, roleFact, votedFact, s.TermFact()))
		}
	}
	var voted []analyze.Need // they are sorted later
	for b, at := range m.ballots {
		if b.process == 0 || !m.led[b.candidacy] {
			continue
		}
		d := m.unseen.candidates[b.voter][b.process]
		if d.at != at {
			d = doubt{at: at}
		}
		voted = append(voted, d.otherTerm(s, b.voter)...)
	}
	return inTurn(needsOfEach(mayElect(s), func(p tracefmt.ProcessID) []analyze.Need { return m.mayLead(s, p) }), slices.Values(voted))
}

// most is how many elect or vote at most.
func (m *quorumMonitor) most(s *replay.State, n int) int {
	for _, p := range mayElect(s) {
		if !s.Elector(p) && !m.voted[p] && !certain(s, analyze.Needs(p, 0, 0, electedFact, roleFact, votedFact)) {
			n++
		}
	}
	return n
}

// mayLead is that p has led in a known term in which it is not recorded to.
func (m *quorumMonitor) mayLead(s *replay.State, p tracefmt.ProcessID) []analyze.Need {
	needs := analyze.Needs(p, 0, 0, electedFact, roleFact)
	if m.unseen.claims[p] || m.unseen.believes[p] {
		needs = append(needs, analyze.Needs(p, 0, 0, s.TermFact())...)
	}
	if m.unseen.believes[p] {
		needs = append(needs, mayRestart(s, p, 0)...)
	}
	return needs
}
