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
		return &completenessMonitor{
			raftServers: newRaftServers(run), done: make(map[int64]raftCommitted),
			has: make([]int, len(run.Members)+1), since: make([]tracefmt.Seq, len(run.Members)+1),
		}
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
	raftServers
	done map[int64]raftCommitted // by index
	// has counts, by process, the committed entries that its log has, so that
	// most leaders need no search.
	has   []int
	since []tracefmt.Seq // by process: where it became leader, 0 if it does not lead
}

func (m *completenessMonitor) Step(r *analyze.Result, s *replay.State, e *tracefmt.Event) {
	if e.Kind == tracefmt.Recover {
		m.has[e.Process] = 0
	}
	c := m.step(r, s, e)
	if c == nil {
		return
	}
	for _, at := range c.at {
		if done, ok := m.done[at.index]; ok {
			m.has[e.Process] += one(at.has && at.new == done.entry) - one(at.had && at.old == done.entry)
		}
	}
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

func one(when bool) int {
	if when {
		return 1
	}
	return 0
}

// commit notes that the server of e knows an entry to be committed, and holds
// the present leaders to it.
func (m *completenessMonitor) commit(r *analyze.Result, s *replay.State, e *tracefmt.Event, index int64, entry raftEntry) {
	term := m.servers[e.Process].term
	done, ok := m.done[index]
	switch {
	case ok && (done.entry != entry || done.term <= term) || !ok && !roomFor(r, len(m.done)+1, "entries of logs"):
		return
	case !ok:
		for p := range m.servers {
			m.has[p] += one(m.servers[p].holds(index, entry))
		}
	}
	m.done[index] = raftCommitted{entry, term, e.Process, e.Seq}
	for i := range s.Run.Members {
		p := tracefmt.ProcessID(i + 1)
		if m.since[p] != 0 && m.lacks(p, index) {
			m.violate(r, s, p, index)
		}
	}
}

func (server *raftServer) holds(index int64, entry raftEntry) bool {
	e, ok := server.log[index]
	return ok && e == entry
}

// lacks reports whether p leads in a higher term than that of a committed
// entry, and does not have it.
func (m *completenessMonitor) lacks(p tracefmt.ProcessID, index int64) bool {
	server, done := &m.servers[p], m.done[index]
	entry, ok := server.log[index]
	return done.term < server.term && (ok && entry != done.entry || !ok && index > server.commit)
}

// examineNew examines a process that becomes leader.
func (m *completenessMonitor) examineNew(r *analyze.Result, s *replay.State, p tracefmt.ProcessID) {
	if len(m.done) > 0 {
		r.Examined++
	}
	if m.has[p] == len(m.done) {
		return
	}
	lowest := int64(-1)
	for index := range m.done {
		if (lowest < 0 || index < lowest) && m.lacks(p, index) {
			lowest = index
		}
	}
	if lowest >= 0 {
		m.violate(r, s, p, lowest)
	}
}

func (m *completenessMonitor) violate(r *analyze.Result, s *replay.State, p tracefmt.ProcessID, index int64) {
	done := m.done[index]
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
