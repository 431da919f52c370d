package consensus

import (
	"cmp"
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

var consensusTermination = analyze.Property{
	Name: "consensus-termination",
	Kind: analyze.Liveness,
	Doc: `Each correct process eventually decides.

A process is correct if it participates, and neither crashes nor halts in the whole run. If the run does not state
whether a process participates, it participates if it has proposed or decided. If it only starts or has other states,
timers or notes, or if such events may be unrecorded, the property is unknown; otherwise the process counts as a
non-participant. The property is vacuous if no process proposes a value. While the run can go on, a correct process
that has not decided is an open obligation.`,
	Needs:      "state events that assign proposed and decided",
	Source:     paper.ReliableProgramming + ", 5.1: C1, termination",
	Problem:    "consensus",
	ViolatedBy: append(proposalFacts, decisionFacts...),
	ExcusedBy:  append(analyze.Facts("crash", "halt"), decisionFacts...),
	Triggers:   proposalFacts[:1],
	New: func(run *tracefmt.Run) analyze.Monitor {
		return newTermination(run, proposedVariable, proposalFacts, members.IsSome, members.IsSome)
	},
}

// consensusTerminationMonitor checks that processes decide once some process has assigned the variable that calls
// for decisions: a proposal, or a vote.
type consensusTerminationMonitor struct {
	variable string
	facts    []tracefmt.Fact // the facts of that variable
	// calls reports whether a value of the variable calls for decisions, decides whether a value of decided is a
	// decision.
	calls, decides func(value []byte) bool
	decider
	faults   unrecorded.Faults
	decided  []bool         // by process: it decided at some time
	call     []tracefmt.Seq // by process: its first assignment of the variable
	recorded bool           // some process has the variable
	called   bool           // some process assigned it
}

// newTermination returns the monitor for the variable that calls for decisions.
func newTermination(
	run *tracefmt.Run, variable string, facts []tracefmt.Fact, calls, decides func(value []byte) bool,
) *consensusTerminationMonitor {
	n := len(run.Members) + 1
	return &consensusTerminationMonitor{
		variable: variable, facts: facts, calls: calls, decides: decides, faults: unrecorded.NewFaults(run),
		decided: make([]bool, n),
		call:    make([]tracefmt.Seq, n),
	}
}

// Step records proposals or votes, decisions, and failures.
func (m *consensusTerminationMonitor) Step(_ *analyze.Result, _ *replay.State, e *tracefmt.Event) {
	m.faults.Step(e)
	if value, ok := members.Assigned(e, decidedVariable); ok && m.decides(value) {
		m.faults.Speaks[e.Process] = true
	}
	if value, ok := members.Assigned(e, m.variable); ok {
		m.recorded = true
		if m.calls(value) {
			m.faults.Speaks[e.Process], m.called = true, true
			m.call[e.Process] = cmp.Or(m.call[e.Process], e.Seq)
		}
	}
	if value := m.decisions.decided.value; value != nil && m.decides(value) {
		m.decided[e.Process] = true
	}
}

// End reports the correct processes that have not decided.
func (m *consensusTerminationMonitor) End(r *analyze.Result, s *replay.State, end analyze.Ending) {
	if !m.recorded && r.NoFacts("no process has a variable "+m.variable, m.facts...) || !m.called {
		return
	}
	owed := false
	for _, p := range m.faults.Correct(s) {
		r.Examined++
		if !m.decided[p] {
			owed = true
			met := append(analyze.Needs(p, 0, 0, decisionFacts...), analyze.Needs(p, 0, 0, unrecorded.DownFacts...)...)
			unrecorded.OweUnless(r, end, met, func() string {
				return fmt.Sprintf("process %s has not decided", s.Run.ProcessName(p))
			}, m.call[p], end.LoopFrom, end.LoopTo, s.Seq)
		}
	}
	if p := m.faults.Doubtful(s); p != 0 && !owed {
		r.Undecided(func() string { return members.PartUnknown(s.Run, p) + "; it has not decided" })
	}
}

// Relies implements [analyze.Relying]. All participants have decided, so only a process that never recorded
// anything, or failed only by inference, may owe a decision. Without a call no process owes one.
func (m *consensusTerminationMonitor) Relies(s *replay.State, _ analyze.Ending) iter.Seq[analyze.Need] {
	if !m.called {
		return slices.Values(analyze.Needs(analyze.EveryProcess, 0, 0, m.facts...))
	}
	return members.InTurn(members.NeedsOfEach(members.All(s.Run), func(p tracefmt.ProcessID) []analyze.Need {
		if m.decided[p] {
			return nil
		}
		return m.faults.PossiblyCorrect(s, p)
	}), members.NeedsOfEach(s.LiveProcesses(), func(p tracefmt.ProcessID) []analyze.Need {
		if m.faults.Parts[p] == tracefmt.PartUnknown && !m.faults.Speaks[p] && !m.faults.Failed[p] {
			return analyze.Needs(p, 0, 0, m.facts[0], decisionFacts[0])
		}
		return nil
	}))
}
