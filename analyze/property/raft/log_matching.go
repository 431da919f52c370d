package raft

import (
	"fmt"
	"iter"

	"etrace/analyze"
	"etrace/analyze/property/members"
	"etrace/analyze/property/memory"
	"etrace/analyze/property/paper"
	"etrace/replay"
	"etrace/tracefmt"
)

var raftLogMatching = analyze.Property{
	Name:  "raft-log-matching",
	Kind:  analyze.Safety,
	About: []string{tracefmt.Raft},
	Doc: `If two logs have an entry with the same index and term, they are identical up to that entry.

The property compares all entries with the same index and term, also entries that are removed later. Their contents must be
equal, and the terms of the entries right before them. By induction all earlier entries are then equal. If a recording has only
the term of an entry, only terms are compared. Each entry that differs from the first of its index and term counts.

The memory is 74 bytes for each index and term; a run with more than four million of them is not decided.`,
	Needs:        raftLogNeeds,
	Source:       paper.Raft + ", figure 3: Log Matching; 5.3",
	WitnessOmits: "how the logs came to have the entries before",
	ViolatedBy:   []tracefmt.Fact{logFact}, ExcusedBy: loseFacts, Triggers: []tracefmt.Fact{logFact},
	New: func(*tracefmt.Run) analyze.Monitor {
		return &logMatchingMonitor{entries: make(map[raftID]raftSights), before: make(map[raftID]raftSight)}
	},
}

// raftID identifies an entry in a correct run.
type raftID struct{ index, term int64 }

// raftSight is an observation of an entry, in the log of a process after an event: its content, or the term of
// the entry before it.
type raftSight struct {
	contentHash uint64
	owner       tracefmt.ProcessID
	at          tracefmt.Seq
}

// raftSights has the first observations of an entry. The entry before it is stored here if it was observed
// together with the content, as is usual, and otherwise separately.
type raftSights struct {
	content  raftSight
	before   int64
	together bool
}

// logMatchingMonitor stores the first observation of each index and term, and compares all later ones with it.
type logMatchingMonitor struct {
	raftMonitor
	entries map[raftID]raftSights
	before  map[raftID]raftSight
}

// Step examines the entries that the event puts into a log, and those right after a changed entry.
func (m *logMatchingMonitor) Step(r *analyze.Result, s *replay.State, e *tracefmt.Event) {
	c := m.step(r)
	if c == nil {
		return
	}
	log := &m.server(e.Process).log
	for i, at := range c.at {
		if entry, ok := log.Get(at.index); ok {
			r.Examined++
			m.examine(r, s, e, at.index, entry)
		}
		// The next entry now follows another one.
		if i+1 < len(c.at) && c.at[i+1].index == at.index+1 {
			continue
		}
		if entry, ok := log.Get(at.index + 1); ok {
			m.examine(r, s, e, at.index+1, entry)
		}
	}
}

// examine compares an entry with the first observation of the same index and term.
func (m *logMatchingMonitor) examine(
	r *analyze.Result, s *replay.State, e *tracefmt.Event, index int64, entry raftEntry,
) {
	id, sight := raftID{index, entry.term}, raftSight{entry.content, e.Process, e.Seq}
	predecessor, follows := m.server(e.Process).log.Get(index - 1)
	first, ok := m.entries[id]
	switch {
	case !ok && memory.RoomFor(r, len(m.entries)+1, raftEntries):
		m.entries[id] = raftSights{sight, predecessor.term, follows}
	// The first observation had only index and term. This one has the content, too, and replaces it.
	case ok && first.content.contentHash == 0 && sight.contentHash != 0:
		if first.together {
			m.before[id] = raftSight{uint64(first.before), first.content.owner, first.content.at}
		}
		first = raftSights{content: sight}
		m.entries[id] = first
	case ok && !equalOrUnknown(first.content.contentHash, sight.contentHash):
		m.violate(r, s, e, mismatch{id: id, seen: first.content, differ: "are different entries"})
		return
	}
	if ok && follows {
		m.examineBefore(r, s, e, id, first)
	}
}

// examineBefore compares the entry before an observed entry with the entry that was before it at the first
// observation.
func (m *logMatchingMonitor) examineBefore(
	r *analyze.Result, s *replay.State, e *tracefmt.Event, id raftID, seen raftSights,
) {
	predecessor, _ := m.server(e.Process).log.Get(id.index - 1)
	first, ok := m.before[id]
	if seen.together {
		first, ok = seen.content, true
		first.contentHash = uint64(seen.before)
	}
	switch {
	case !ok:
		m.before[id] = raftSight{uint64(predecessor.term), e.Process, e.Seq}
	case first.contentHash != uint64(predecessor.term):
		excuses := append(m.possibleEntryLoss(s, first.owner, first.at), m.possibleEntryLoss(s, e.Process, e.Seq)...)
		differ := fmt.Sprintf("follow entries of terms %d and %d", int64(first.contentHash), predecessor.term)
		m.violate(r, s, e, mismatch{id, first, excuses, differ})
	}
}

// mismatch is a difference between an entry that was seen before and the entry of the current event.
type mismatch struct {
	id      raftID
	seen    raftSight
	excuses []analyze.Need
	differ  string
}

// violate reports two different observations.
func (m *logMatchingMonitor) violate(r *analyze.Result, s *replay.State, e *tracefmt.Event, c mismatch) {
	r.ViolateUnless(c.excuses, func() string {
		return fmt.Sprintf("the entries log[%d] of term %d in the logs of process %s after seq %d and process %s after seq %d %s",
			c.id.index, c.id.term, s.Run.ProcessName(c.seen.owner), c.seen.at, s.Run.ProcessName(e.Process), e.Seq,
			c.differ)
	}, c.seen.at, e.Seq)
}

// End reports a run without logs as not applicable.
func (m *logMatchingMonitor) End(r *analyze.Result, _ *replay.State, _ analyze.Ending) {
	if !m.hasLog {
		r.NotApplicable(noRaftLog)
	}
}

// Relies implements [analyze.Relying]: no log had another entry than is recorded.
func (m *logMatchingMonitor) Relies(s *replay.State, _ analyze.Ending) iter.Seq[analyze.Need] {
	return members.NeedsOfEach(possibleReplicas(s), func(p tracefmt.ProcessID) []analyze.Need { return analyze.Needs(p, 0, 0, logFact) })
}
