package snapshot

import (
	"fmt"
	"iter"
	"slices"

	"etrace/analyze"
	"etrace/analyze/property/members"
	"etrace/analyze/property/paper"
	"etrace/analyze/property/unrecorded"
	"etrace/replay"
	"etrace/tracefmt"
)

var snapshotComplete = analyze.Property{
	Name: "snapshot-complete",
	Kind: analyze.Liveness,
	Doc: `Once some process has recorded its state, each correct process eventually records its own state and its channels.

A process records both with one note "record" whose field "received" has the messages so far, as in the algorithm of
Lai and Yang. Or it notes "record" for its state and, once it has heard from all its channels, "recorded" for the
channels. A process is correct if it participates, and neither crashes nor halts in the whole run. If the run does not
state whether a process participates, it participates if it notes one of the two. If it only starts or has states,
timers or other notes, the property is unknown; otherwise the process counts as a non-participant. A run has one
snapshot, by any initiator. While the run can go on, a missing part is an open obligation.`,
	Needs:      snapshotNeeds,
	Source:     paper.ChandyLamport + ", 4: termination",
	Problem:    tracefmt.Snapshot,
	ViolatedBy: unrecorded.NoteFacts,
	ExcusedBy:  analyze.Facts("note", "crash", "halt"),
	New: func(run *tracefmt.Run) analyze.Monitor {
		return &completeMonitor{faults: unrecorded.NewFaults(run)}
	},
}

// completeMonitor checks at the end that each correct process has completed its part of the snapshot.
type completeMonitor struct {
	snapshot *snapshot
	faults   unrecorded.Faults
}

// Follow implements [analyze.Follower].
func (m *completeMonitor) Follow(f *analyze.Folds) { m.snapshot = analyze.Shared(f, newSnapshot) }

// Step records failures, and which processes take part in the snapshot.
func (m *completeMonitor) Step(_ *analyze.Result, _ *replay.State, e *tracefmt.Event) {
	m.faults.Step(e)
	if e.Kind == tracefmt.Note && (e.Type == recordNote || e.Type == recordedNote) {
		m.faults.Speaks[e.Process] = true
	}
}

// End reports the correct processes without a complete part.
func (m *completeMonitor) End(r *analyze.Result, s *replay.State, end analyze.Ending) {
	n := m.snapshot
	if !n.end(r) {
		return
	}
	owed := false
	for _, p := range m.faults.Correct(s) {
		r.Examined++
		if n.complete[p] != 0 {
			continue
		}
		owed = true
		met := append(analyze.Needs(p, 0, 0, unrecorded.NoteFacts...),
			analyze.Needs(p, 0, 0, unrecorded.DownFacts...)...)
		unrecorded.OweUnless(r, end, met, func() string {
			if n.recorded[p] == 0 {
				return fmt.Sprintf("process %s has not recorded its state, as another did at seq %d",
					s.Run.ProcessName(p), n.first)
			}
			return fmt.Sprintf("process %s, which recorded its state at seq %d, has not recorded its channels",
				s.Run.ProcessName(p), n.recorded[p])
		}, n.first, n.recorded[p], end.LoopFrom, end.LoopTo)
	}
	// A process of unknown participation may owe its state.
	if p := m.faults.Doubtful(s); p != 0 && n.first != 0 && !owed {
		r.Undecided(func() string { return members.PartUnknown(s.Run, p) + "; it has not recorded its state" })
	}
}

// Relies implements [analyze.Relying]: all participants have recorded, so only a process that never recorded
// anything, or failed only by inference, may owe a part. Without a snapshot no process owes one. If a note record
// completes a part, an unrecorded earlier note, without channels, would be the first.
func (m *completeMonitor) Relies(s *replay.State, _ analyze.Ending) iter.Seq[analyze.Need] {
	var needs []analyze.Need
	if m.snapshot.first == 0 {
		return slices.Values(analyze.Needs(analyze.AnyProcess, 0, 0, unrecorded.NoteFacts...))
	}
	for _, p := range members.All(s.Run) {
		switch complete := m.snapshot.complete[p]; {
		case m.faults.Parts[p] == tracefmt.Bystander:
		case complete != 0 && complete == m.snapshot.recorded[p] && !m.faults.CertainlyFailed(s, p):
			needs = append(needs, analyze.Needs(p, 0, complete, unrecorded.NoteFacts...)...)
		case complete != 0: // it owes nothing
		case m.faults.Failed[p]:
			needs = append(needs, m.faults.PossiblyCorrect(s, p)...)
		case m.faults.Parts[p] == tracefmt.PartUnknown && !m.faults.Speaks[p]:
			needs = append(needs, analyze.Needs(p, 0, 0, unrecorded.NoteFacts...)...)
		}
	}
	return slices.Values(needs)
}
