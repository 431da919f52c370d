package property

import (
	"bytes"

	"etrace/analyze"
	"etrace/replay"
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

// decisions is the fold that keeps the decision of each process but those that do not take part: a
// client, or a Byzantine process, may say that it has decided anything.
type decisions struct {
	of    []decision     // by process; the one made last, which neither a crash nor null takes away
	held  []tracefmt.Seq // by process: where it wrote that down last, 0 once it has forgotten it or taken it back
	aside []bool         // by process: it does not take part
	told  bool           // some process has the variable
	// decided is what the event at hand decides.
	decided decided
}

// decided is what a process decides at an event.
type decided struct {
	// value is nil where it decides nothing, null where it takes a decision back. A value that is written down
	// again is no decision, and null takes nothing back after a process went down or came up: it has forgotten
	// what it decided, until it writes that down again.
	value []byte
	// before is its decision before, and heldBefore where it wrote that down.
	before     decision
	heldBefore tracefmt.Seq
}

func newDecisions(run *tracefmt.Run) *decisions {
	n := len(run.Members) + 1
	return &decisions{of: make([]decision, n), held: make([]tracefmt.Seq, n), aside: standingBy(run)}
}

// nothingTold states that the run has no decisions, if so, and reports whether the property does not apply for that.
func (d *decisions) nothingTold(r *analyze.Result) bool {
	return !d.told && r.NothingTold(noDecisions, decisionFacts...)
}

// Step takes in an event.
func (d *decisions) Step(_ *replay.State, e *tracefmt.Event) {
	d.decided = decided{before: d.of[e.Process], heldBefore: d.held[e.Process]}
	if forgets(e) {
		d.held[e.Process] = 0
	}
	value, ok := assigned(e, decidedVariable)
	if !ok {
		return
	}
	d.told = true
	if d.aside[e.Process] {
		return
	}
	switch held := d.held[e.Process] != 0; {
	case isNull(value):
		d.held[e.Process] = 0
		if held {
			d.decided.value = null
		}
		return
	case !sameValue(value, d.decided.before.value):
		d.decided.value = bytes.Clone(value)
		d.of[e.Process] = decision{d.decided.value, e.Seq}
	}
	d.held[e.Process] = e.Seq
}

var null = []byte("null")

// decider is the part of a monitor that reads decisions.
type decider struct{ *decisions }

// Follow implements [analyze.Follower].
func (d *decider) Follow(f *analyze.Folds) { d.decisions = analyze.Shared(f, newDecisions) }

// forgets reports whether a process loses there what it does not have on stable storage: it goes down,
// or comes up. What is only inferred may not have happened.
func forgets(e *tracefmt.Event) bool {
	switch e.Kind {
	case tracefmt.Crash, tracefmt.Halt:
		return !e.Inferred()
	case tracefmt.Start, tracefmt.Recover:
		return true
	}
	return false
}
