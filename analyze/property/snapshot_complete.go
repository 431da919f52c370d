package property

import (
	"fmt"
	"iter"
	"slices"

	"etrace/analyze"
	"etrace/replay"
	"etrace/tracefmt"
)

var snapshotComplete = analyze.Property{
	Name: "snapshot-complete",
	Kind: analyze.Liveness,
	Doc: `Once some process has recorded its state, each correct process records its own and
what is in its channels in the end.

A process does so by a note record whose payload says under received what has arrived so far,
as Lai and Yang have it, or by a note record and, once it has heard from all its channels, a
note recorded. It is correct if it takes part, and neither crashes nor halts in the
whole run; one of which the run does not say whether it takes part does if it notes one of the
two, may if it starts or has states, timers or other notes, so that the property is unknown, and is else taken for one
that stands by. A run has one snapshot, whoever begins it. While the run can go on, a part that is missing is an open
obligation.`,
	Needs:    snapshotNeeds,
	Source:   chandyLamport + ", 4: termination",
	Problem:  tracefmt.Snapshot,
	Convicts: noteFacts,
	Acquits:  analyze.Facts("note", "crash", "halt"),
	New: func(run *tracefmt.Run) analyze.Monitor {
		return &completeMonitor{faults: newFaults(run)}
	},
}

type completeMonitor struct {
	snapshot *snapshot
	faults   faults
}

// Follow implements [analyze.Follower].
func (m *completeMonitor) Follow(f *analyze.Folds) { m.snapshot = analyze.Shared(f, newSnapshot) }

func (m *completeMonitor) Step(_ *analyze.Result, _ *replay.State, e *tracefmt.Event) {
	m.faults.step(e)
	if e.Kind == tracefmt.Note && (e.Type == recordNote || e.Type == recordedNote) {
		m.faults.speaks[e.Process] = true
	}
}

func (m *completeMonitor) End(r *analyze.Result, s *replay.State, end analyze.Ending) {
	n := m.snapshot
	if !n.end(r) {
		return
	}
	owed := false
	for _, p := range m.faults.correct(s) {
		r.Examined++
		if n.complete[p] != 0 {
			continue
		}
		owed = true
		met := append(analyze.Needs(p, 0, 0, noteFacts...), analyze.Needs(p, 0, 0, downFacts...)...)
		oweUnless(r, end, met, func() string {
			if n.recorded[p] == 0 {
				return fmt.Sprintf("process %s has not recorded its state, as another did at seq %d", s.Run.ProcessName(p), n.first)
			}
			return fmt.Sprintf("process %s, which recorded its state at seq %d, has not recorded its channels", s.Run.ProcessName(p), n.recorded[p])
		}, n.first, n.recorded[p], end.LoopFrom, end.LoopTo)
	}
	if p := m.faults.doubtful(s); p != 0 && n.first != 0 && !owed {
		r.Undecided(func() string { return partNotSaid(s.Run, p) + "; it has not recorded its state" })
	}
}

// Relies implements [analyze.Relying]: those who take part have recorded, so that only one may
// owe a part that has not spoken, or failed only by inference, or nobody owes any. Of a part that is
// whole with the note record another note record before, without its channels, would be the first.
func (m *completeMonitor) Relies(s *replay.State, _ analyze.Ending) iter.Seq[analyze.Need] {
	var needs []analyze.Need
	if m.snapshot.first == 0 {
		return slices.Values(analyze.Needs(analyze.AnyProcess, 0, 0, noteFacts...))
	}
	for _, p := range allProcesses(s.Run) {
		switch complete := m.snapshot.complete[p]; {
		case m.faults.parts[p] == tracefmt.StandsBy:
		case complete != 0 && complete == m.snapshot.recorded[p] && !m.faults.surelyFailed(s, p):
			needs = append(needs, analyze.Needs(p, 0, complete, noteFacts...)...)
		case complete != 0:
		case m.faults.failed[p]:
			needs = append(needs, m.faults.mayBeCorrect(s, p)...)
		case m.faults.parts[p] == tracefmt.PartUnknown && !m.faults.speaks[p]:
			needs = append(needs, analyze.Needs(p, 0, 0, noteFacts...)...)
		}
	}
	return slices.Values(needs)
}
