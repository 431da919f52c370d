package property

import (
	"fmt"
	"slices"

	"etrace/analyze"
	"etrace/replay"
	"etrace/tracefmt"
)

var consensusAgreement = analyze.Property{
	Name: "consensus-agreement",
	Kind: analyze.Safety,
	Doc: `No two processes decide differently.

This is the uniform reading: it holds processes that crash after their decision
to it, too. Each decision is compared with those of the other processes before: that one
process decides twice is the business of consensus-integrity. Values are equal
if they are equal numbers, 1 and "1" among them, or if their JSON texts are.`,
	Needs:    "state events that assign decided",
	Source:   reliableProgramming + ", 5.2: UC4, uniform agreement",
	Problem:  "consensus",
	Convicts: decisionFacts,
	New: func(run *tracefmt.Run) analyze.Monitor {
		return new(consensusAgreementMonitor)
	},
}

type consensusAgreementMonitor struct {
	decider
	// among says which values are decisions at all, nil for all.
	among func(value []byte) bool
	// made are decisions: of those so far, enough to find one that another process made with another value.
	made []madeDecision
}

// madeDecision is a decision with its process.
type madeDecision struct {
	decision
	by tracefmt.ProcessID
}

// differs reports whether two processes decide differently.
func (d madeDecision) differs(from madeDecision) bool {
	return d.by != from.by && !sameValue(d.value, from.value)
}

// keep adds a decision unless whatever may differ from it later differs from one that is kept, too. That is so where
// two kept ones have its value, or are by its process: the later decision agrees with at most one of them. It is so of
// five kept ones, of which no three are alike in that way: three of them differ in both from each other.
func (m *consensusAgreementMonitor) keep(d madeDecision) {
	const most = 5
	sameValues, sameProcess := 0, 0
	for _, k := range m.made {
		if sameValue(k.value, d.value) {
			sameValues++
		}
		if k.by == d.by {
			sameProcess++
		}
	}
	if len(m.made) < most && sameValues < 2 && sameProcess < 2 {
		m.made = append(m.made, d)
	}
}

func (m *consensusAgreementMonitor) Step(r *analyze.Result, s *replay.State, e *tracefmt.Event) {
	value := m.decisions.decided.value
	if value == nil || isNull(value) || m.among != nil && !m.among(value) {
		return
	}
	r.Examined++
	now := madeDecision{m.decisions.of[e.Process], e.Process}
	if i := slices.IndexFunc(m.made, now.differs); i >= 0 {
		before := m.made[i]
		r.Violate(func() string {
			return fmt.Sprintf("process %s decides %s at seq %d, process %s decided %s at seq %d",
				s.Run.ProcessName(e.Process), short(value), e.Seq, s.Run.ProcessName(before.by), short(before.value), before.at)
		}, before.at, e.Seq)
	}
	m.keep(now)
}

func (m *consensusAgreementMonitor) End(r *analyze.Result, _ *replay.State, _ analyze.Ending) {
	m.decisions.nothingTold(r)
}
