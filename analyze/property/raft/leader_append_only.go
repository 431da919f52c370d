package raft

import (
	"fmt"
	"iter"
	"slices"

	"etrace/analyze"
	"etrace/analyze/property/election"
	"etrace/analyze/property/paper"
	"etrace/analyze/property/unrecorded"
	"etrace/replay"
	"etrace/tracefmt"
)

var raftLeaderAppendOnly = analyze.Property{
	Name:  "raft-leader-append-only",
	Kind:  analyze.Safety,
	About: []string{tracefmt.Raft},
	Doc: `A leader never overwrites or deletes entries of its log; it only appends.

The property examines each event that changes the log of a process that leads before and after it, in the same term. Only a snapshot may
remove entries: committed ones, up to the first entry that remains. Every other overwritten or deleted entry counts.`,
	Needs:        raftLeaderNeeds + "; " + raftLogNeeds,
	Source:       paper.Raft + ", figure 3: Leader Append-Only",
	WitnessOmits: "the log before, and how the process came to lead",
	ViolatedBy:   appendFacts, ExcusedBy: appendFacts, Triggers: []tracefmt.Fact{logFact},
	New: func(run *tracefmt.Run) analyze.Monitor {
		return &appendOnlyMonitor{
			changed:   make([]tracefmt.Seq, len(run.Members)+1),
			discarded: make([]tracefmt.Seq, len(run.Members)+1),
		}
	},
}

// appendOnlyMonitor examines each change of the log of a leader.
type appendOnlyMonitor struct {
	raftMonitor
	// changed has, by process, the last event that removed an entry while it did not lead, or led another term;
	// discarded the last event that removed, while it led, what a snapshot may hold.
	changed, discarded []tracefmt.Seq
}

// Step reports each entry that a leader overwrites or deletes, unless a snapshot may hold the entry.
func (m *appendOnlyMonitor) Step(r *analyze.Result, s *replay.State, e *tracefmt.Event) {
	c := m.step(r)
	if c == nil {
		return
	}
	server := m.server(e.Process)
	// A change by the event that begins a leadership is not the leader's.
	leads := c.led && server.leads() && !c.begins
	for _, at := range c.at {
		if at.had == at.has && at.old.possiblyEqual(at.new) {
			continue
		}
		if leads {
			r.Examined++
		}
		switch {
		case !at.had: // a new entry
		case !leads:
			m.changed[e.Process] = e.Seq
		case server.discards(at):
			m.discarded[e.Process] = e.Seq
		default:
			r.ViolateUnless(m.possibleAssignment(s, e, at), func() string {
				return fmt.Sprintf("process %s, leader of %v, %s the entry log[%d] at seq %d",
					s.Run.ProcessName(e.Process), server.term, change(at), at.index, e.Seq)
			}, e.Seq)
		}
	}
}

// possibleAssignment returns the needs by which a leader may remove an entry: it may have lost the entry before,
// have ceased to lead, or know that the entry is committed.
func (m *appendOnlyMonitor) possibleAssignment(s *replay.State, e *tracefmt.Event, at raftPlace) []analyze.Need {
	needs := append(m.possibleEntryLoss(s, e.Process, e.Seq), m.possiblyNoLeader(s, e.Process, e.Seq)...)
	if _, says := e.Field(unrecorded.RoleFact.Variable); says { // it may have led until then by its election of itself
		needs = append(needs, analyze.Needs(e.Process, 0, e.Seq, unrecorded.RoleFact)...)
	}
	if !at.has {
		needs = append(needs, analyze.Needs(e.Process, 0, e.Seq, commitFact)...)
	}
	return needs
}

// Relies implements [analyze.Relying]. A process that never leads may change its log in any way.
func (m *appendOnlyMonitor) Relies(s *replay.State, _ analyze.Ending) iter.Seq[analyze.Need] {
	var needs []analyze.Need
	if s.Coverage().Complete() {
		return nil
	}
	for _, p := range unrecorded.ElectorsNow(s) {
		if lead := m.possibleRaftLeader(p); m.server(p).past.led || !unrecorded.None(s, lead) {
			needs = append(needs, possibleActions(s, analyze.Needs(p, 0, 0, logFact), lead)...)
		}
		// A recorded change was legal since the process did not lead, so its role and term matter.
		if at := m.changed[p]; at != 0 {
			needs = append(needs, analyze.Needs(p, 0, at, unrecorded.RoleFact, unrecorded.ElectedFact, s.TermFact())...)
			if m.server(p).past.chose {
				needs = append(needs, m.possibleLoss(p, 0, at)...)
			}
		}
		// A removed entry was legal since a snapshot may hold it, so the commit index matters.
		if at := m.discarded[p]; at != 0 {
			needs = append(append(needs, analyze.Needs(p, 0, at, commitFact)...), m.possibleLoss(p, 0, at)...)
		}
	}
	return slices.Values(needs)
}

// change returns the verb for a place of the log that lost its entry.
func change(at raftPlace) string {
	if at.has {
		return "overwrites"
	}
	return "deletes"
}

// discards reports whether a change removes what a snapshot may hold.
func (server *raftServer) discards(at raftPlace) bool {
	_, follows := server.log.Get(at.index - 1)
	return !at.has && at.index <= server.commit && !follows
}

// End reports a run without logs or leaders as not applicable.
func (m *appendOnlyMonitor) End(r *analyze.Result, _ *replay.State, _ analyze.Ending) {
	switch {
	case !m.hasLog:
		r.NotApplicable(noRaftLog)
	case !m.hasLeader:
		r.NotApplicable(election.NoLeaderRecorded)
	}
}
