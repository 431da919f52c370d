package raft

import (
	"fmt"
	"iter"
	"math"
	"slices"

	"etrace/analyze"
	"etrace/analyze/property/election"
	"etrace/analyze/property/memory"
	"etrace/analyze/property/paper"
	"etrace/analyze/property/unrecorded"
	"etrace/replay"
	"etrace/tracefmt"
)

var raftLeaderCompleteness = analyze.Property{
	Name:  "raft-leader-completeness",
	Kind:  analyze.Safety,
	About: []string{tracefmt.Raft},
	Doc: `An entry that was committed in some term is in the logs of the leaders of all higher terms.

An entry counts as committed in the term of the server whose commit index passes it, and in the lowest such term if there are
several servers. A term below that of the entry counts as that of the entry, since a server may record its term late. When a
process becomes leader, its log is compared with all entries known to be committed; while it leads, with each further one. A
missing entry at or below its own commit index counts as part of a snapshot. Each time that a leader lacks entries counts once,
and the explanation names the lowest index.

In an incomplete recording, a leader certainly lacks an entry only if its log is recorded without gaps from below the entry up
to its commit index. Otherwise the property is unknown. It is also unknown if the term of the leader or of the commitment is not
recorded.

The memory is 48 bytes for each index; a run with more than four million of them is not decided.`,
	Needs:        raftLeaderNeeds + "; " + raftLogNeeds + "; " + raftCommitNeeds,
	Source:       paper.Raft + ", figure 3: Leader Completeness; 5.4",
	WitnessOmits: "how the logs came to have their entries, and the processes to commit and to lead",
	ViolatedBy:   appendFacts, ExcusedBy: appendFacts, Triggers: []tracefmt.Fact{logFact, commitFact},
	New: func(run *tracefmt.Run) analyze.Monitor {
		n := len(run.Members) + 1
		return &completenessMonitor{
			low: math.MaxInt64, top: -1, fine: make([]int64, n),
			committers: make([]raftTerms, n), committed: make([]bool, n),
		}
	},
}

// raftCommitted is an entry that is known to be committed.
type raftCommitted struct {
	entry raftEntry
	term  replay.Term // the lowest term of a server that knew it
	actor tracefmt.ProcessID
	at    tracefmt.Seq
}

// completenessMonitor stores the entries that are known to be committed, and compares the logs of leaders with them.
type completenessMonitor struct {
	raftMonitor
	done     memory.Indexed[raftCommitted]
	low, top int64 // the lowest and the highest index in done
	// fine has, by process, the lowest index not yet examined: below it the log has the committed entries. An entry
	// is examined again only after a change.
	fine  []int64
	tries int
	// committers are the terms in which a process has committed; committed is set if it has, in any term. differ is
	// set if several entries of one index were committed.
	committers []raftTerms
	committed  []bool
	differ     bool
}

// Step records newly committed entries, and examines a process that becomes leader.
func (m *completenessMonitor) Step(r *analyze.Result, s *replay.State, e *tracefmt.Event) {
	c := m.stepCommit(r)
	if c == nil {
		return
	}
	m.revise(s, e, c)
	m.newlyCommitted(e.Process, c, func(index int64, entry raftEntry) { m.commit(r, s, e, index, entry) })
	if c.begins {
		m.examineNew(r, s, e.Process)
	}
}

// revise withdraws the result for entries that the event changed in the process's log.
func (m *completenessMonitor) revise(s *replay.State, e *tracefmt.Event, c *raftChange) {
	completeUpTo := &m.fine[e.Process]
	if s.NextLife() {
		*completeUpTo = 0
	}
	if commit := m.server(e.Process).commit; commit < c.commit {
		*completeUpTo = min(*completeUpTo, commit+1)
	}
	if c.cut < *completeUpTo {
		*completeUpTo = c.cut
	}
	for _, at := range c.at {
		if done, ok := m.done.Get(at.index); ok && at.index < *completeUpTo &&
			m.presence(e.Process, at.index, done.entry) != present {
			*completeUpTo = at.index
			return
		}
	}
}

// commit records that the server of e knows an entry to be committed, and examines the present leaders for it.
func (m *completenessMonitor) commit(
	r *analyze.Result, s *replay.State, e *tracefmt.Event, index int64, entry raftEntry,
) {
	committed := raftCommitted{entry, m.server(e.Process).term, e.Process, e.Seq}
	if self := replay.NumberedTerm(entry.term); committed.term.Before(self) {
		committed.term = self
	}
	// The entry is stored with the lowest term in which it was committed: all leaders of higher terms must have it.
	former, ok := m.done.Get(index)
	m.committers[e.Process].add(committed.term)
	m.committed[e.Process] = true
	m.differ = m.differ || ok && !former.entry.possiblyEqual(entry)
	switch {
	// The stored entry stays, unless this one is the same entry in an earlier term.
	case ok && (!former.entry.possiblyEqual(entry) || !earlier(committed.term, former.term)) ||
		!ok && !memory.RoomFor(r, m.done.Length+1, raftEntries):
		return
	case !ok:
		m.low, m.top = min(m.low, index), max(m.top, index)
	}
	m.done.Set(index, committed)
	for i := range s.Run.Members {
		p := tracefmt.ProcessID(i + 1)
		if m.presence(p, index, entry) == present {
			continue
		}
		m.fine[p] = min(m.fine[p], index)
		// A process that begins to lead by this event is examined by examineNew.
		if p != e.Process || !m.changed.begins {
			m.examine(r, s, p, index, committed)
		}
	}
}

// examineNew examines a process that becomes leader.
func (m *completenessMonitor) examineNew(r *analyze.Result, s *replay.State, p tracefmt.ProcessID) {
	if m.done.Length > 0 {
		r.Examined++
	}
	fine := true
	for index, done := range m.done.Between(max(m.fine[p], m.low), m.top) {
		if m.tries++; m.tries > maxTries {
			r.Undecided(func() string {
				return fmt.Sprintf("more than %d entries of logs would have to be looked at", maxTries)
			})
			return
		}
		fine = fine && m.presence(p, index, done.entry) == present
		if fine {
			m.fine[p] = index + 1
		} else if m.examine(r, s, p, index, done) {
			return
		}
	}
}

// maxTries bounds the entries that are examined in all.
const maxTries = 1 << 27

// earlier reports whether a term is before another one, or known while the other is not.
func earlier(t, u replay.Term) bool { return t.Before(u) || t.Known() && !u.Known() }

// examine examines a leader for a committed entry, and reports whether the leader violates the property.
func (m *completenessMonitor) examine(
	r *analyze.Result, s *replay.State, p tracefmt.ProcessID, index int64, done raftCommitted,
) bool {
	server, lowest := m.server(p), done.term
	if !lowest.Known() {
		lowest = replay.NumberedTerm(done.entry.term) // the entry was committed in its own term or a later one
	}
	has := m.presence(p, index, done.entry)
	if has == present || !server.leads() || server.term == lowest || server.term.Before(lowest) {
		return false
	}
	if has == notRecorded || !done.term.Known() || !lowest.Before(server.term) {
		r.Undecided(func() string { return m.lacks(s, p, index, done, has) }, m.possibleEntry(s, p, done)...)
		return false
	}
	r.ViolateUnless(m.possibleEntry(s, p, done), func() string { return m.lacks(s, p, index, done, has) },
		server.since, done.at)
	return true
}

// lacks describes the committed entry that a leader does not have.
func (m *completenessMonitor) lacks(
	s *replay.State, p tracefmt.ProcessID, index int64, done raftCommitted, has presence,
) string {
	server, name := m.server(p), s.Run.ProcessName
	lacks := "does not have"
	if has == notRecorded {
		lacks = "does not record whether it has"
	}
	return fmt.Sprintf("process %s, leader of %v since seq %d, %s the entry log[%d] of term %d, which process %s "+
		"knows at seq %d to be committed, in %v",
		name(p), server.term, server.since, lacks, index, done.entry.term, name(done.actor), done.at, done.term)
}

// End reports a run without logs, leaders or commit indices as not applicable.
func (m *completenessMonitor) End(r *analyze.Result, _ *replay.State, _ analyze.Ending) {
	switch {
	case !m.hasLog:
		r.NotApplicable(noRaftLog)
	case !m.hasLeader:
		r.NotApplicable(election.NoLeaderRecorded)
	case !m.hasCommit:
		r.NotApplicable(noRaftCommit)
	}
}

// possibleEntry returns the needs by which a leader may have an entry, not lead, or another entry was committed
// in its place.
func (m *completenessMonitor) possibleEntry(s *replay.State, p tracefmt.ProcessID, done raftCommitted) []analyze.Need {
	now := s.Now()
	needs := slices.Concat(analyze.Needs(p, 0, now, logFact, commitFact), m.possiblyNoLeader(s, p, now),
		unrecorded.Crash(s, p), unrecorded.DifferenceInTerm(s, p),
		m.possibleEntryLoss(s, done.actor, done.at), analyze.Needs(done.actor, 0, done.at, s.TermFact()))
	for _, q := range possibleReplicas(s) {
		needs = append(needs, analyze.Needs(q, 0, done.at, commitFacts...)...)
	}
	return needs
}

// Relies implements [analyze.Relying]. A violation takes a server that commits an entry and a server, possibly
// the same, that leads in a later term.
func (m *completenessMonitor) Relies(s *replay.State, _ analyze.Ending) iter.Seq[analyze.Need] {
	var needs []analyze.Need
	if s.Coverage().Complete() {
		return nil
	}
	committing := make(map[tracefmt.ProcessID][]analyze.Need) // the processes that may commit, with the missing facts
	for _, q := range possibleReplicas(s) {
		if commits := m.possibleCommit(s, q); commits != nil || m.committed[q] {
			committing[q] = commits
		}
	}
	if len(committing) == 0 && !m.differ {
		return nil
	}
	for _, p := range unrecorded.ElectorsNow(s) {
		lead := m.possibleRaftLeader(p)
		if !m.server(p).past.led && unrecorded.None(s, lead) {
			continue
		}
		lead = append(lead, analyze.Needs(p, 0, 0, logFact, commitFact, s.TermFact())...)
		lead = append(lead, m.possibleLoss(p, 0, 0)...)
		for _, q := range possibleReplicas(s) {
			if commits, may := committing[q]; may && m.possibleFollower(s, p, q, commits) {
				needs = append(append(needs, lead...), analyze.Needs(q, 0, 0, logFact, commitFact, s.TermFact())...)
			}
			if m.differ {
				needs = append(needs, m.possibleLoss(q, 0, 0)...)
			}
		}
	}
	return slices.Values(needs)
}

// possibleFollower reports whether p may lead in a later term than one in which q committed, or may have
// committed by the needs.
func (m *completenessMonitor) possibleFollower(s *replay.State, p, q tracefmt.ProcessID, commits []analyze.Need) bool {
	if !unrecorded.None(s, append(analyze.Needs(p, 0, 0, s.TermFact()), analyze.Needs(q, 0, 0, s.TermFact())...)) {
		return true
	}
	first, last := m.committers[q].low, m.server(p).past.ledIn.high
	if commits != nil {
		first = m.server(q).past.low
	}
	if !unrecorded.None(s, m.possibleRaftLeader(p)) {
		last = m.server(p).past.high
	}
	return first.Before(last)
}
