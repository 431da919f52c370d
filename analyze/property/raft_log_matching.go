package property

import (
	"fmt"

	"etrace/analyze"
	"etrace/replay"
	"etrace/tracefmt"
)

var raftLogMatching = analyze.Property{
	Name: "raft-log-matching",
	Kind: analyze.Safety,
	Doc: `If two logs hold an entry with the same index and term, they are identical up to
that entry.

Examined is each entry that a log holds after some event, whether it stays there
or not: all entries of one index and term are equal, and so are the terms of the
entries before them, where the logs have these. Applied along the log, that makes
all that comes before equal. Each entry that differs from the first of its index
and term counts.

What is kept is 48 bytes for each index and term; a run with more than four
million of them is not decided.`,
	Needs:  raftLogNeeds,
	Source: raftPaper + ", figure 3: Log Matching; 5.3",
	New: func(run *tracefmt.Run) analyze.Monitor {
		return &logMatchingMonitor{
			raftServers: newRaftServers(run), contents: make(map[raftID]raftSight), before: make(map[raftID]raftSight),
		}
	},
}

// raftID is what identifies an entry in a correct run.
type raftID struct{ index, term int64 }

// raftSight is what was seen of an entry, in the log of a process after an
// event: its content, or the term of the entry before it.
type raftSight struct {
	what uint64
	of   tracefmt.ProcessID
	at   tracefmt.Seq
}

type logMatchingMonitor struct {
	raftServers
	contents, before map[raftID]raftSight
}

func (m *logMatchingMonitor) Step(r *analyze.Result, s *replay.State, e *tracefmt.Event) {
	c := m.step(r, s, e)
	if c == nil {
		return
	}
	log := m.servers[e.Process].log
	for i, at := range c.at {
		if entry, ok := log[at.index]; ok {
			r.Examined++
			m.examine(r, s, e, at.index, entry)
		}
		// The entry behind has another one before it now.
		if i+1 < len(c.at) && c.at[i+1].index == at.index+1 {
			continue
		}
		if entry, ok := log[at.index+1]; ok {
			m.examine(r, s, e, at.index+1, entry)
		}
	}
}

func (m *logMatchingMonitor) examine(r *analyze.Result, s *replay.State, e *tracefmt.Event, index int64, entry raftEntry) {
	id := raftID{index, entry.term}
	if seen, ok := m.matches(r, m.contents, id, raftSight{entry.content, e.Process, e.Seq}); !ok {
		m.violate(r, s, e, id, seen, "are different entries")
		return
	}
	before, ok := m.servers[e.Process].log[index-1]
	if !ok {
		return
	}
	if seen, ok := m.matches(r, m.before, id, raftSight{uint64(before.term), e.Process, e.Seq}); !ok {
		m.violate(r, s, e, id, seen, fmt.Sprintf("follow entries of terms %d and %d", int64(seen.what), before.term))
	}
}

// matches compares what is seen of an entry with what was seen of it first.
func (m *logMatchingMonitor) matches(r *analyze.Result, all map[raftID]raftSight, id raftID, now raftSight) (seen raftSight, ok bool) {
	seen, ok = all[id]
	if !ok {
		if roomFor(r, len(all)+1, "entries of logs") {
			all[id] = now
		}
		return now, true
	}
	return seen, seen.what == now.what
}

func (m *logMatchingMonitor) violate(r *analyze.Result, s *replay.State, e *tracefmt.Event, id raftID, seen raftSight, differ string) {
	r.Violate(func() string {
		return fmt.Sprintf("the entries log[%d] of term %d in the logs of process %s after seq %d and process %s after seq %d %s",
			id.index, id.term, s.Run.ProcessName(seen.of), seen.at, s.Run.ProcessName(e.Process), e.Seq, differ)
	}, seen.at, e.Seq)
}

func (m *logMatchingMonitor) End(r *analyze.Result, _ *replay.State, _ analyze.Ending) {
	if !m.toldLog {
		r.NotApplicable(noRaftLog)
	}
}
