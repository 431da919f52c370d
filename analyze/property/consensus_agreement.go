package property

import (
	"fmt"

	"etrace/analyze"
	"etrace/replay"
	"etrace/tracefmt"
)

var consensusAgreement = analyze.Property{
	Name: "consensus-agreement",
	Kind: analyze.Safety,
	Doc: `No two processes decide differently.

This is the uniform reading: it holds processes that crash after their decision
to it, too. Each decision is compared with the first of the run; values are equal
if they are equal numbers, 1 and "1" among them, or if their JSON texts are.`,
	Needs:    "state events that assign decided",
	Source:   reliableProgramming + ", 5.2: UC4, uniform agreement",
	Problem:  "consensus",
	Convicts: decisionFacts,
	New: func(run *tracefmt.Run) analyze.Monitor {
		return &consensusAgreementMonitor{decisions: newDecisions(run)}
	},
}

type consensusAgreementMonitor struct {
	decisions decisions
	// among says which values are decisions at all, nil for all.
	among func(value []byte) bool
	first decision
	by    tracefmt.ProcessID
}

func (m *consensusAgreementMonitor) Step(r *analyze.Result, s *replay.State, e *tracefmt.Event) {
	value, _, decides := m.decisions.step(e)
	if !decides || isNull(value) || m.among != nil && !m.among(value) {
		return
	}
	r.Examined++
	switch {
	case m.first.at == 0:
		m.first, m.by = m.decisions.of[e.Process], e.Process
	case !sameValue(value, m.first.value):
		r.Violate(func() string {
			return fmt.Sprintf("process %s decides %s at seq %d, process %s decided %s at seq %d",
				s.Run.ProcessName(e.Process), short(value), e.Seq, s.Run.ProcessName(m.by), short(m.first.value), m.first.at)
		}, m.first.at, e.Seq)
	}
}

func (m *consensusAgreementMonitor) End(r *analyze.Result, _ *replay.State, _ analyze.Ending) {
	m.decisions.nothingTold(r)
}
