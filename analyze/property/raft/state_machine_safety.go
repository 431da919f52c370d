package raft

import (
	"fmt"
	"iter"
	"slices"

	"etrace/analyze"
	"etrace/analyze/property/members"
	"etrace/analyze/property/memory"
	"etrace/analyze/property/paper"
	"etrace/replay"
	"etrace/tracefmt"
)

var raftStateMachineSafety = analyze.Property{
	Name:  "raft-state-machine-safety",
	Kind:  analyze.Safety,
	About: []string{tracefmt.Raft},
	Doc: `If a server has applied an entry at an index, no other server ever applies another entry at that index.

A server counts as applying the entries of its log up to its commit index. If the commit index falls, applied entries
stay applied. Every entry that differs from the first applied at its index is a violation, even on the same server.

The memory is 40 bytes for each index; a run with more than four million of them is not decided.`,
	Needs:        raftLogNeeds + "; " + raftCommitNeeds,
	Source:       paper.Raft + ", figure 3: State Machine Safety; 5.4.3",
	WitnessOmits: "how the logs came to have the entries",
	ViolatedBy:   commitFacts, ExcusedBy: loseFacts, Triggers: []tracefmt.Fact{logFact, commitFact},
	New: func(*tracefmt.Run) analyze.Monitor { return new(stateMachineMonitor) },
}

// raftApplied is the first entry that a server applied at an index.
type raftApplied struct {
	entry    raftEntry
	actor    tracefmt.ProcessID
	recorded bool // the event at has both the entry and its commitment
	at       tracefmt.Seq
}

// possiblyUnapplied returns the needs by which the server may not have applied it.
func (m *stateMachineMonitor) possiblyUnapplied(s *replay.State, a *raftApplied) []analyze.Need {
	if a.recorded {
		return nil
	}
	return m.possibleEntryLoss(s, a.actor, a.at)
}

// stateMachineMonitor stores the first entry that any server applied at each index.
type stateMachineMonitor struct {
	raftMonitor
	applied memory.Indexed[raftApplied]
}

// Step compares each entry that a server newly applies with the first one at its index.
func (m *stateMachineMonitor) Step(r *analyze.Result, s *replay.State, e *tracefmt.Event) {
	c := m.stepCommit(r)
	if c == nil {
		return
	}
	m.newlyCommitted(e.Process, c, func(index int64, entry raftEntry) {
		r.Examined++
		// The event itself puts the entry into the log and commits it.
		recorded := index > c.passed && c.sets(index) && s.AssignedAt(e.Process, commitFact.Variable) == e.Seq
		applied := raftApplied{entry, e.Process, recorded, e.Seq}
		first, ok := m.applied.Get(index)
		switch {
		case !ok && memory.RoomFor(r, m.applied.Length+1, raftEntries):
			m.applied.Set(index, applied)
		// An observation with content replaces one of the same term without.
		case ok && first.entry.term == entry.term && first.entry.content == 0:
			m.applied.Set(index, applied)
		case ok && !first.entry.possiblyEqual(entry):
			r.ViolateUnless(slices.Concat(m.possiblyUnapplied(s, &first), m.possiblyUnapplied(s, &applied)),
				func() string {
					return fmt.Sprintf("process %s applies at seq %d an entry log[%d] of term %d, process %s applied another one, of term %d, at seq %d",
						s.Run.ProcessName(e.Process), e.Seq, index, entry.term, s.Run.ProcessName(first.actor),
						first.entry.term, first.at)
				}, first.at, e.Seq)
		}
	})
}

// End reports a run without logs or commit indices as not applicable.
func (m *stateMachineMonitor) End(r *analyze.Result, _ *replay.State, _ analyze.Ending) {
	switch {
	case !m.hasLog:
		r.NotApplicable(noRaftLog)
	case !m.hasCommit:
		r.NotApplicable(noRaftCommit)
	}
}

// Relies implements [analyze.Relying]. A server that recovers has applied no more than
// before.
func (m *stateMachineMonitor) Relies(s *replay.State, _ analyze.Ending) iter.Seq[analyze.Need] {
	return members.NeedsOfEach(possibleReplicas(s), func(p tracefmt.ProcessID) []analyze.Need { return m.possibleCommit(s, p) })
}
