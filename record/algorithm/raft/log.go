package raft

import (
	"slices"

	"etrace/record/sim"
	"etrace/tracefmt"
)

// termAt returns the term of the entry at an index, empty if the log has no such entry.
func termAt(log entries, index int) termOf {
	if index == 0 || index > log.Len() {
		return termOf{}
	}
	return sim.ListOf(log.At(index - 1).term)
}

// command makes a leader append a command, and send it to all others.
func (r *raft) command(p *sim.Process) {
	sim.Append(p, r.log, entry{r.term.Get(p), p.ID()})
	r.announce(p)
	r.commitWhatIsHeld(p)
}

// announce makes a leader send to each other server the entries that it lacks.
func (r *raft) announce(p *sim.Process) {
	for _, q := range p.Neighbours() {
		r.sendEntries(p, q)
	}
}

// sendEntries sends the entries from the receiver's next index on.
func (r *raft) sendEntries(p *sim.Process, receiver tracefmt.ProcessID) {
	log, previous := r.log.Get(p), r.next.Get(p).Get(receiver)-1
	r.appendEntries.Send(p, receiver, appendEntries{r.term.Get(p), previous, termAt(log, previous), log.From(previous), r.commit.Get(p)})
}

// handleAppendEntries handles AppendEntries: a server merges the entries, or refuses them if its log does not match.
func (r *raft) handleAppendEntries(p *sim.Process, from tracefmt.ProcessID, m appendEntries) {
	if !r.adoptTerm(p, m.term) {
		r.appended.Send(p, from, appended{term: r.term.Get(p)})
		return
	}
	if r.role.Get(p) == candidate {
		r.role.Set(p, follower)
	}
	if r.elected.Get(p) != from {
		r.elected.Set(p, from)
	}
	r.waitForLeader(p)
	if r.values.Mutant("commits-first") {
		sim.Raise(p, r.commit, m.commit)
	}
	if !r.matches(p, m) {
		r.appended.Send(p, from, appended{term: m.term})
		return
	}
	r.merge(p, m)
	last := m.previousIndex + m.entries.Len()
	sim.Raise(p, r.commit, min(m.commit, last))
	r.appended.Send(p, from, appended{m.term, true, last})
}

// matches reports whether the log of p has the entry that precedes those of the message.
func (r *raft) matches(p *sim.Process, m appendEntries) bool {
	if m.previousIndex == 0 {
		return true
	}
	localTerm := termAt(r.log.Get(p), m.previousIndex)
	return localTerm.Len() > 0 && (localTerm.Last() == m.previousTerm.Last() || r.values.Mutant("no-matching"))
}

// merge replaces the log from the first entry on that differs from those of the message.
func (r *raft) merge(p *sim.Process, m appendEntries) {
	log := r.log.Get(p)
	for i, e := range m.entries.All() {
		if at := m.previousIndex + i; at == log.Len() || log.At(at).term != e.term {
			r.log.Set(p, log.First(at).Append(slices.Collect(m.entries.From(i).Values())...))
			return
		}
	}
}

// handleAppended handles Appended: the leader notes how far the log of the sender matches, or sends again.
func (r *raft) handleAppended(p *sim.Process, from tracefmt.ProcessID, m appended) {
	if !r.adoptTerm(p, m.term) || r.role.Get(p) != leader {
		return
	}
	if !m.success {
		r.goBack(p, from)
		return
	}
	match := max(r.match.Get(p).Get(from), m.match)
	sim.Put(p, r.match, from, match)
	sim.Put(p, r.next, from, match+1)
	r.commitWhatIsHeld(p)
}

// goBack makes a leader that was refused send again, with one more entry.
func (r *raft) goBack(p *sim.Process, receiver tracefmt.ProcessID) {
	next := max(r.match.Get(p).Get(receiver)+1, r.next.Get(p).Get(receiver)-1)
	if r.values.Mutant("gives-way") {
		r.log.Set(p, r.log.Get(p).First(next-1))
	}
	sim.Put(p, r.next, receiver, next)
	r.sendEntries(p, receiver)
}

// commitWhatIsHeld makes a leader commit the last entry that a majority has, if it is of the present term. All
// entries before it are then committed, too.
func (r *raft) commitWhatIsHeld(p *sim.Process) {
	log, match := r.log.Get(p), r.match.Get(p)
	for index := log.Len(); index > r.commit.Get(p); index-- {
		held := 1 + match.Count(func(n int) bool { return n >= index })
		present := log.At(index-1).term == r.term.Get(p) || r.values.Mutant("commits-old-terms")
		if held >= p.Majority() && present {
			r.commit.Set(p, index)
			return
		}
	}
}
