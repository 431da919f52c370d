package property

import (
	"fmt"

	"etrace/analyze"
	"etrace/replay"
	"etrace/tracefmt"
)

var raftLeaderCompleteness = analyze.Property{
	Name: "raft-leader-completeness",
	Kind: analyze.Safety,
	Doc: `An entry that was committed in some term is in the logs of the leaders of all
higher terms.

An entry counts as committed in the term of the server whose commit index passes
it, the lowest such term if there are several. A leader is examined when it
becomes one, with what is known to be committed then, and while it leads with
what becomes known. An entry that its log lacks at or below its own commit index
is taken to be in a snapshot. Each time that a leader is found without such
entries counts once, and the one of the lowest index is named.

What is kept is 48 bytes for each index; a run with more than four million of
them is not decided.`,
	Needs:  raftLeaderNeeds + "; " + raftLogNeeds + "; " + raftCommitNeeds,
	Source: raftPaper + ", figure 3: Leader Completeness; 5.4",
	New: func(run *tracefmt.Run) analyze.Monitor {
		return &completenessMonitor{logs: make([]raftKnown, len(run.Members)+1), since: make([]tracefmt.Seq, len(run.Members)+1)}
	},
}

// raftCommitted is an entry that is known to be committed.
type raftCommitted struct {
	entry raftEntry
	term  int64 // the lowest in which a server knew
	by    tracefmt.ProcessID
	at    tracefmt.Seq
}

type completenessMonitor struct {
	raftMonitor
	done  indexed[raftCommitted]
	top   int64          // the highest index in done
	logs  []raftKnown    // by process
	since []tracefmt.Seq // by process: where it became leader, 0 if it does not lead
}

// raftKnown counts the entries of a log at indices at which an entry is known to
// be committed, so that most leaders need no search.
type raftKnown struct {
	has     int // those that are the committed one
	differs int // those that are not
}

// count adds n entries of an index.
func (k *raftKnown) count(n int, entry raftEntry, done raftCommitted) {
	if entry == done.entry {
		k.has += n
	} else {
		k.differs += n
	}
}

func (m *completenessMonitor) Step(r *analyze.Result, s *replay.State, e *tracefmt.Event) {
	c := m.step(r)
	if c == nil {
		return
	}
	m.countAll(e, c)
	server := &m.servers[e.Process]
	begins := server.leader && (!c.led || c.term != server.term)
	if begins || !server.leader {
		m.since[e.Process] = 0
	}
	m.committed(e.Process, c, func(index int64, entry raftEntry) { m.commit(r, s, e, index, entry) })
	if begins {
		m.since[e.Process] = e.Seq
		m.examineNew(r, s, e.Process)
	}
}

// countAll counts what changes in the log of the process.
func (m *completenessMonitor) countAll(e *tracefmt.Event, c *raftChange) {
	known := &m.logs[e.Process]
	if e.Kind == tracefmt.Recover {
		*known = raftKnown{}
	}
	for _, at := range c.at {
		done, ok := m.done.get(at.index)
		if ok && at.had {
			known.count(-1, at.old, done)
		}
		if ok && at.has {
			known.count(1, at.new, done)
		}
	}
}

// commit notes that the server of e knows an entry to be committed, and holds
// the present leaders to it.
func (m *completenessMonitor) commit(r *analyze.Result, s *replay.State, e *tracefmt.Event, index int64, entry raftEntry) {
	now := raftCommitted{entry, m.servers[e.Process].term, e.Process, e.Seq}
	done, ok := m.done.get(index)
	switch {
	case ok && (done.entry != entry || done.term <= now.term) || !ok && !roomFor(r, m.done.length+1, raftEntries):
		return
	case !ok:
		for p := range m.servers {
			if has, ok := m.servers[p].log.get(index); ok {
				m.logs[p].count(1, has, now)
			}
		}
	}
	m.done.set(index, now)
	m.top = max(m.top, index)
	for i := range s.Run.Members {
		p := tracefmt.ProcessID(i + 1)
		if m.since[p] != 0 && m.lacks(p, index, now) {
			m.violate(r, s, p, index, now)
		}
	}
}

// lacks reports whether p leads in a higher term than that of a committed
// entry, and does not have it.
func (m *completenessMonitor) lacks(p tracefmt.ProcessID, index int64, done raftCommitted) bool {
	server := &m.servers[p]
	entry, ok := server.log.get(index)
	return done.term < server.term && (ok && entry != done.entry || !ok && index > server.commit)
}

// examineNew examines a process that becomes leader.
func (m *completenessMonitor) examineNew(r *analyze.Result, s *replay.State, p tracefmt.ProcessID) {
	if m.done.length > 0 {
		r.Examined++
	}
	if m.logs[p].has == m.done.length {
		return
	}
	lowest := int64(0)
	if m.logs[p].differs == 0 {
		lowest = m.servers[p].commit + 1 // what is missing below is in a snapshot
	}
	for index, done := range m.done.between(max(lowest, 0), m.top) {
		if m.lacks(p, index, done) {
			m.violate(r, s, p, index, done)
			return
		}
	}
}

func (m *completenessMonitor) violate(r *analyze.Result, s *replay.State, p tracefmt.ProcessID, index int64, done raftCommitted) {
	r.Violate(func() string {
		return fmt.Sprintf("process %s, leader of term %d since seq %d, does not have the entry log[%d] of term %d, which process %s knows at seq %d to be committed, in term %d",
			s.Run.ProcessName(p), m.servers[p].term, m.since[p], index, done.entry.term, s.Run.ProcessName(done.by), done.at, done.term)
	}, m.since[p], done.at)
}

func (m *completenessMonitor) End(r *analyze.Result, _ *replay.State, _ analyze.Ending) {
	switch {
	case !m.toldLog:
		r.NotApplicable(noRaftLog)
	case !m.toldLeader:
		r.NotApplicable(noRaftLeader)
	case !m.toldCommit:
		r.NotApplicable(noRaftCommit)
	}
}
