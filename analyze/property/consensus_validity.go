package property

import (
	"fmt"

	"etrace/analyze"
	"etrace/replay"
	"etrace/tracefmt"
)

var consensusValidity = analyze.Property{
	Name: "consensus-validity",
	Kind: analyze.Safety,
	Doc: `Each value that is decided was proposed before, by some process.

Before is meant in the recorded order. Values are equal if they are equal
numbers, 1 and "1" among them, or if their JSON texts are.
What is kept is a hash of each proposed value; a run with more than four million
different ones is not decided.`,
	Needs:    "state events that assign proposed and decided",
	Source:   reliableProgramming + ", 5.1: C2, validity",
	Problem:  "consensus",
	Convicts: decisionFacts,
	Acquits:  proposalFacts,
	New: func(run *tracefmt.Run) analyze.Monitor {
		return &consensusValidityMonitor{proposed: make(map[uint64]bool)}
	},
}

type consensusValidityMonitor struct {
	decider
	proposed map[uint64]bool // hashes of the values
	told     bool            // some process has the variable proposed
	// wrong are the decisions of what no process proposed. They are violations
	// only if the run tells of proposals at all.
	wrong   int
	explain func() string
	at      tracefmt.Seq
}

func (m *consensusValidityMonitor) Step(r *analyze.Result, s *replay.State, e *tracefmt.Event) {
	if value, ok := assigned(e, proposedVariable); ok {
		m.told = true
		if !isNull(value) && roomFor(r, len(m.proposed)+1, "proposed values") {
			m.proposed[valueHash(value)] = true
		}
	}
	value := m.decisions.decided.value
	if value == nil || isNull(value) {
		return
	}
	r.Examined++
	if m.proposed[valueHash(value)] || len(m.proposed) >= mostKept {
		return
	}
	if m.wrong++; m.wrong == 1 {
		m.at = e.Seq
		text := fmt.Sprintf("process %s decides %s at seq %d, which no process has proposed", s.Run.ProcessName(e.Process), short(value), e.Seq)
		m.explain = func() string { return text }
	}
}

func (m *consensusValidityMonitor) End(r *analyze.Result, s *replay.State, _ analyze.Ending) {
	switch {
	case m.decisions.nothingTold(r):
	case !m.told && r.NothingTold("no process has a variable "+proposedVariable, proposalFacts...):
	case m.wrong > 0:
		for range m.wrong { // what excuses the first, excuses the others
			r.ViolateUnless(analyze.Needs(analyze.EveryProcess, 0, m.at, proposalFacts...), m.explain, m.at)
		}
	}
}
