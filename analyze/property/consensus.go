package property

import (
	"bytes"

	"etrace/analyze"
	"etrace/tracefmt"
)

// The variables in which runs of consensus tell their story.
const (
	proposedVariable = "proposed"
	decidedVariable  = "decided"
)

// noDecisions is the reason for properties of the variable decided.
const noDecisions = "no process has a variable decided"

// proposalFacts and decisionFacts are where these variables change, also where a process
// begins with a proposal.
var (
	proposalFacts = analyze.Facts("state." + proposedVariable)
	decisionFacts = analyze.Facts("state." + decidedVariable)
)

// decision is the value that a process decided, and where.
type decision struct {
	value []byte
	at    tracefmt.Seq
}

// decisions keeps the decision of each process but those that do not take part: a
// client, or a Byzantine process, may say that it has decided anything.
type decisions struct {
	of    []decision // by process; the one made last, which a crash does not take away
	aside []bool     // by process: it does not take part
	told  bool       // some process has the variable
}

func newDecisions(run *tracefmt.Run) decisions {
	return decisions{of: make([]decision, len(run.Members)+1), aside: standingBy(run)}
}

// step takes in an event and reports the value that its process decides
// there: null if it takes a decision back. A value that is written down
// again is no decision, and a recovery without one takes nothing back: the
// process has forgotten it.
func (d *decisions) step(e *tracefmt.Event) (value []byte, before decision, decides bool) {
	value, ok := assigned(e, decidedVariable)
	if !ok {
		return nil, decision{}, false
	}
	if d.told = true; d.aside[e.Process] {
		return nil, decision{}, false
	}
	before = d.of[e.Process]
	if sameValue(value, before.value) || isNull(value) && (before.at == 0 || e.Kind == tracefmt.Recover) {
		return nil, decision{}, false
	}
	d.of[e.Process] = decision{bytes.Clone(value), e.Seq}
	return value, before, true
}
