package raft

import (
	"slices"

	"etrace/record/sim"
	"etrace/tracefmt"
)

// termAt is the term of the entry of an index, none where the log has no such entry.
func termAt(log entries, index int) termOf {
	if index == 0 || index > log.Len() {
		return termOf{}
	}
	return sim.ListOf(log.At(index - 1).term)
}

// command has a leader append a command, and send it to all.
func (r *raft) command(p *sim.Process) {
	sim.Append(p, r.log, entry{r.term.Get(p), p.ID()})
	r.announce(p)
	r.commitWhatIsHeld(p)
}

// announce has a leader send to each of the others what this one lacks.
func (r *raft) announce(p *sim.Process) {
	for _, q := range p.Neighbours() {
		r.sendEntries(p, q)
	}
}

func (r *raft) sendEntries(p *sim.Process, receiver tracefmt.ProcessID) {
	log, previous := r.log.Get(p), r.next.Get(p).Get(receiver)-1
	r.appendEntries.Send(p, receiver, appendEntries{r.term.Get(p), previous, termAt(log, previous), log.From(previous), r.commit.Get(p)})
}

// follow handles AppendEntries.
func (r *raft) follow(p *sim.Process, from tracefmt.ProcessID, m appendEntries) {
	if !r.hear(p, m.term) {
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

// matches reports whether a server has the entry before those of a message.
func (r *raft) matches(p *sim.Process, m appendEntries) bool {
	if m.previousIndex == 0 {
		return true
	}
	localTerm := termAt(r.log.Get(p), m.previousIndex)
	return localTerm.Len() > 0 && (localTerm.Last() == m.previousTerm.Last() || r.values.Mutant("no-matching"))
}

// merge takes over the entries of a message, from the first on that the log does not have.
func (r *raft) merge(p *sim.Process, m appendEntries) {
	log := r.log.Get(p)
	for i, e := range m.entries.All() {
		if at := m.previousIndex + i; at == log.Len() || log.At(at).term != e.term {
			r.log.Set(p, log.First(at).Append(slices.Collect(m.entries.From(i).Values())...))
			return
		}
	}
}

// advance handles Appended.
func (r *raft) advance(p *sim.Process, from tracefmt.ProcessID, m appended) {
	if !r.hear(p, m.term) || r.role.Get(p) != leader {
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

// goBack has a leader that was refused send again, one entry more.
func (r *raft) goBack(p *sim.Process, receiver tracefmt.ProcessID) {
	next := max(r.match.Get(p).Get(receiver)+1, r.next.Get(p).Get(receiver)-1)
	if r.values.Mutant("gives-way") {
		r.log.Set(p, r.log.Get(p).First(next-1))
	}
	sim.Put(p, r.next, receiver, next)
	r.sendEntries(p, receiver)
}

// commitWhatIsHeld has a leader commit the last entry that a majority has, if it is of the
// present term, and with it all before.
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
