package raft

import (
	"etrace/record/sim"
	"etrace/tracefmt"
)

// campaign makes a server a candidate: it begins the next term, votes for itself, and asks the others for their
// votes.
func (r *raft) campaign(p *sim.Process) {
	if believed := r.elected.Get(p); believed != 0 {
		p.Suspect(believed)
	}
	log := r.log.Get(p)
	r.enter(p, r.term.Get(p)+1)
	r.role.Set(p, candidate)
	r.votedFor.Set(p, p.ID())
	r.votes.Set(p, sim.SetOf(p.ID()))
	r.waitForLeader(p)
	r.requestVote.Broadcast(p, requestVote{r.term.Get(p), termAt(log, log.Len()), log.Len()})
	r.lead(p)
}

// handleRequestVote handles RequestVote: it grants the vote, or denies it.
func (r *raft) handleRequestVote(p *sim.Process, from tracefmt.ProcessID, m requestVote) {
	present := r.adoptTerm(p, m.term)
	voted := r.votedFor.Get(p)
	free := voted == 0 || voted == from || r.values.Mutant("votes-twice")
	granted := present && free && (r.keepsUp(p, m) || r.values.Mutant("any-log"))
	if granted {
		r.votedFor.Set(p, from)
		r.waitForLeader(p)
	}
	r.vote.Send(p, from, vote{r.term.Get(p), granted})
}

// keepsUp reports whether the log of a candidate is at least as up to date as that of p: its last entry has a
// later term, or the same term and no lower index.
func (r *raft) keepsUp(p *sim.Process, m requestVote) bool {
	log := r.log.Get(p)
	switch latest := log.Last().term; {
	case log.Len() == 0 || m.lastTerm.Len() == 0:
		return log.Len() == 0
	case m.lastTerm.Last() == latest:
		return m.lastIndex >= log.Len()
	default:
		return m.lastTerm.Last() > latest
	}
}

// handleVote handles Vote.
func (r *raft) handleVote(p *sim.Process, from tracefmt.ProcessID, m vote) {
	if r.adoptTerm(p, m.term) && m.granted && r.role.Get(p) == candidate {
		sim.Insert(p, r.votes, from)
		r.lead(p)
	}
}

// lead makes a candidate the leader if it has the votes of a majority.
func (r *raft) lead(p *sim.Process) {
	enough := p.Majority()
	if r.values.Mutant("two-votes") {
		enough = 2
	}
	if r.votes.Get(p).Len() < enough {
		return
	}
	r.role.Set(p, leader)
	r.elected.Set(p, p.ID())
	r.match.Clear(p)
	r.next.Set(p, sim.MapOf(func(yield func(tracefmt.ProcessID, int) bool) {
		for _, q := range p.Neighbours() {
			yield(q, r.log.Get(p).Len()+1)
		}
	}))
	p.StopTimer(r.election)
	r.announce(p)
	if r.ticks {
		p.SetTimer(r.heartbeat, heartbeatEvery)
	}
}
