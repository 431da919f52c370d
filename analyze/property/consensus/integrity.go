package consensus

import (
	"fmt"

	"etrace/analyze"
	"etrace/analyze/property/members"
	"etrace/analyze/property/paper"
	"etrace/analyze/property/unrecorded"
	"etrace/replay"
	"etrace/tracefmt"
)

var consensusIntegrity = analyze.Property{
	Name: "consensus-integrity",
	Kind: analyze.Safety,
	Doc: `No process decides twice: a decision is neither changed nor taken back.

A repeated record of the same decision is no second decision. A process that restarts without its decision has forgotten it;
until it records the decision again, a record of null takes nothing back. If it then decides another value, it has decided
twice.`,
	Needs:      "state events that assign decided",
	Source:     paper.ReliableProgramming + ", 5.1: C3, integrity",
	Problem:    "consensus",
	ViolatedBy: decisionFacts,
	ExcusedBy:  analyze.Facts("crash", "recover", "start"),
	New: func(run *tracefmt.Run) analyze.Monitor {
		return new(consensusIntegrityMonitor)
	},
}

// consensusIntegrityMonitor reports each second decision of a process.
type consensusIntegrityMonitor struct{ decider }

// Step compares a decision with the former one of the same process.
func (m *consensusIntegrityMonitor) Step(r *analyze.Result, s *replay.State, e *tracefmt.Event) {
	value, before, held := m.decisions.decided.value, m.decisions.decided.before, m.decisions.decided.heldBefore
	if value == nil {
		return
	}
	r.Examined++
	if before.at == 0 {
		return
	}
	if members.IsNull(value) {
		r.ViolateUnless(unrecorded.Restart(s, e.Process, held), func() string {
			return fmt.Sprintf("process %s takes back at seq %d what it decided at seq %d, %s",
				s.Run.ProcessName(e.Process), e.Seq, before.at, members.Short(before.value))
		}, before.at, e.Seq)
		return
	}
	r.ViolateUnless(nil, func() string {
		return fmt.Sprintf("process %s decides %s at seq %d, after it decided %s at seq %d",
			s.Run.ProcessName(e.Process), members.Short(value), e.Seq, members.Short(before.value), before.at)
	}, before.at, e.Seq)
}

// End reports a run without decisions as not applicable.
func (m *consensusIntegrityMonitor) End(r *analyze.Result, _ *replay.State, _ analyze.Ending) {
	m.decisions.nothingRecorded(r)
}
