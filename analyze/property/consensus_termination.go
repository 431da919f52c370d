package property

import (
	"cmp"
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
decided, may if it starts or has other states, timers or notes, or may without a record, so that the property is unknown, and is else
taken for one that stands by. The property is vacuous where no process proposes anything. While the run can go on, a
correct process that has not decided is an open obligation.`,
	Needs:    "state events that assign proposed and decided",
	Source:   reliableProgramming + ", 5.1: C1, termination",
	Problem:  "consensus",
	Convicts: append(proposalFacts, decisionFacts...),
	Acquits:  append(analyze.Facts("crash", "halt"), decisionFacts...),
	Triggers: proposalFacts[:1],
	New: func(run *tracefmt.Run) analyze.Monitor {
		return newTermination(run, proposedVariable, proposalFacts, isSome, isSome)
	},
}

// consensusTerminationMonitor asks for decisions once some process has assigned the variable
// that calls for them: it proposes, or votes.
type consensusTerminationMonitor struct {
	variable string
	facts    []tracefmt.Fact // where that changes
	// calls says which of its values call for decisions, and decides which of the variable decided
	// are some.
	calls, decides func(value []byte) bool
	decider
	faults  faults
	decided []bool         // by process: it decided at some time
	call    []tracefmt.Seq // by process: where it first assigned the variable
	told    bool           // some process has the variable
	called  bool           // somebody assigned it
}

func newTermination(run *tracefmt.Run, variable string, facts []tracefmt.Fact, calls,
	decides func(value []byte) bool) *consensusTerminationMonitor {
	n := len(run.Members) + 1
	return &consensusTerminationMonitor{
		variable: variable, facts: facts, calls: calls, decides: decides, faults: newFaults(run), decided: make([]bool, n), call: make([]tracefmt.Seq, n),
	}
}

func (m *consensusTerminationMonitor) Step(_ *analyze.Result, _ *replay.State, e *tracefmt.Event) {
	m.faults.step(e)
	if value, ok := assigned(e, decidedVariable); ok && m.decides(value) {
		m.faults.speaks[e.Process] = true
	}
	if value, ok := assigned(e, m.variable); ok {
		m.told = true
		if m.calls(value) {
			m.faults.speaks[e.Process], m.called = true, true
			m.call[e.Process] = cmp.Or(m.call[e.Process], e.Seq)
		}
	}
	if value := m.decisions.decided.value; value != nil && m.decides(value) {
		m.decided[e.Process] = true
	}
}

func (m *consensusTerminationMonitor) End(r *analyze.Result, s *replay.State, end analyze.Ending) {
	if !m.told && r.NothingTold("no process has a variable "+m.variable, m.facts...) || !m.called {
		return
	}
	owed := false
	for _, p := range m.faults.correct(s) {
		r.Examined++
		if !m.decided[p] {
			owed = true
			met := append(analyze.Needs(p, 0, 0, decisionFacts...), analyze.Needs(p, 0, 0, downFacts...)...)
			oweUnless(r, end, met, func() string { return fmt.Sprintf("process %s has not decided", s.Run.ProcessName(p)) },
				m.call[p], end.LoopFrom, end.LoopTo, s.Seq)
		}
	}
	if p := m.faults.doubtful(s); p != 0 && !owed {
		r.Undecided(func() string { return partNotSaid(s.Run, p) + "; it has not decided" })
	}
}

// Relies implements [analyze.Relying]: those who take part have decided, so that only one may
// owe a decision that has not spoken or failed only by inference, or nobody owes any since no process has called for it.
func (m *consensusTerminationMonitor) Relies(s *replay.State, _ analyze.Ending) []analyze.Need {
	if !m.called {
		return analyze.Needs(analyze.EveryProcess, 0, 0, m.facts...)
	}
	var needs []analyze.Need
	for _, p := range allProcesses(s.Run) {
		if !m.decided[p] {
			needs = append(needs, m.faults.mayBeCorrect(s, p)...)
		}
	}
	for _, p := range s.LiveProcesses() {
		if m.faults.parts[p] == tracefmt.PartUnknown && !m.faults.speaks[p] && !m.faults.failed[p] {
			needs = append(needs, analyze.Needs(p, 0, 0, m.facts[0], decisionFacts[0])...)
		}
	}
	return needs
}
