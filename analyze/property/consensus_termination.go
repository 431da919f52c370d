package property

import (
	"fmt"

	"etrace/analyze"
	"etrace/replay"
	"etrace/tracefmt"
)

var consensusTermination = analyze.Property{
	Name: "consensus-termination",
	Kind: analyze.Liveness,
	Doc: `Each correct process decides in the end.

A process is correct if it takes part, and neither crashes nor halts in the whole run;
one of which the run does not say whether it takes part does if it has proposed or
decided. The property is vacuous where no process proposes anything. While the run can go on, a
correct process that has not decided is an open obligation.`,
	Needs:    "state events that assign proposed and decided",
	Source:   reliableProgramming + ", 5.1: C1, termination",
	Problem:  "consensus",
	Convicts: append(proposalFacts, decisionFacts...),
	Acquits:  append(analyze.Facts("crash", "halt"), decisionFacts...),
	Triggers: proposalFacts[:1],
	New: func(run *tracefmt.Run) analyze.Monitor {
		n := len(run.Members) + 1
		return &consensusTerminationMonitor{
			decisions: newDecisions(run), faults: newFaults(run), decided: make([]bool, n), proposal: make([]tracefmt.Seq, n),
		}
	},
}

type consensusTerminationMonitor struct {
	decisions decisions
	faults    faults
	decided   []bool         // by process: it decided at some time
	proposal  []tracefmt.Seq // by process: its first proposal
	told      bool           // some process has the variable proposed
	called    bool           // somebody proposed
}

func (m *consensusTerminationMonitor) Step(_ *analyze.Result, _ *replay.State, e *tracefmt.Event) {
	m.faults.step(e)
	if _, ok := assigned(e, decidedVariable); ok {
		m.faults.speaks[e.Process] = true
	}
	if value, ok := assigned(e, proposedVariable); ok {
		m.told, m.faults.speaks[e.Process] = true, true
		if !isNull(value) && m.proposal[e.Process] == 0 {
			m.proposal[e.Process], m.called = e.Seq, true
		}
	}
	if value, _, decides := m.decisions.step(e); decides && !isNull(value) {
		m.decided[e.Process] = true
	}
}

func (m *consensusTerminationMonitor) End(r *analyze.Result, s *replay.State, end analyze.Ending) {
	switch {
	case !m.told:
		r.NotApplicable("no process has a variable proposed")
		return
	case !m.called:
		return
	}
	for _, p := range m.faults.correct(s) {
		r.Examined++
		if !m.decided[p] {
			met := append(analyze.Needs(p, 0, 0, decisionFacts...), analyze.Needs(p, 0, 0, downFacts...)...)
			oweUnless(r, end, met, func() string { return fmt.Sprintf("process %s has not decided", s.Run.ProcessName(p)) },
				m.proposal[p], end.LoopFrom, end.LoopTo, s.Seq)
		}
	}
}

// Relies implements [analyze.Relying]: those who take part have decided, so that only one may
// owe a decision that has not spoken or failed only by inference, or nobody owes any since no process has proposed.
func (m *consensusTerminationMonitor) Relies(s *replay.State, _ analyze.Ending) []analyze.Need {
	if !m.called {
		return analyze.Needs(analyze.EveryProcess, 0, 0, proposalFacts...)
	}
	var needs []analyze.Need
	for _, p := range allProcesses(s.Run) {
		if !m.decided[p] {
			needs = append(needs, m.faults.mayBeCorrect(s, p)...)
		}
	}
	for _, p := range s.LiveProcesses() {
		if m.faults.parts[p] == tracefmt.PartUnknown && !m.faults.speaks[p] && !m.faults.failed[p] {
			needs = append(needs, analyze.Needs(p, 0, 0, proposalFacts[0], decisionFacts[0])...)
		}
	}
	return needs
}
