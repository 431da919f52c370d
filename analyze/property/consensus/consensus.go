package consensus

import (
	"bytes"

	"etrace/analyze"
	"etrace/analyze/property/members"
	"etrace/replay"
	"etrace/tracefmt"
)

// The variables of a consensus run.
const (
	proposedVariable = "proposed"
	decidedVariable  = "decided"
)

// noDecisions is the reason for properties that need the variable decided.
const noDecisions = "no process has a variable decided"

// proposalFacts and decisionFacts are the facts that change these variables, with initial proposals.
var (
	proposalFacts = analyze.Facts("state." + proposedVariable)
	decisionFacts = analyze.Facts("state." + decidedVariable)
)

// decision is the value that a process decided, with its event.
type decision struct {
	value []byte
	at    tracefmt.Seq
}

// decisions is the fold that stores the decision of each participant. Clients and Byzantine processes may record
// any decision.
type decisions struct {
	decisions []decision // by process; the one made last, which neither a crash nor null takes away
	// held has, by process, the last record of its decision. It is 0 once the process has forgotten the decision or
	// taken it back.
	held            []tracefmt.Seq
	nonParticipants []bool // by process: it does not participate
	recorded        bool   // some process has the variable
	// decided is the decision of the current event.
	decided decided
}

// decided is the decision of a process at an event.
type decided struct {
	// value is nil for no decision, null if the process takes a decision back. A repeated record of the same value
	// is no decision. After a crash, null takes nothing back: the process has forgotten its decision until it
	// records it again.
	value []byte
	// before is the former decision, and heldBefore its last record.
	before     decision
	heldBefore tracefmt.Seq
}

// newDecisions returns the fold before the first event.
func newDecisions(run *tracefmt.Run) *decisions {
	n := len(run.Members) + 1
	return &decisions{
		decisions: make([]decision, n), held: make([]tracefmt.Seq, n),
		nonParticipants: members.Bystanders(run),
	}
}

// nothingRecorded reports a run without decisions as not applicable, and returns whether it did.
func (d *decisions) nothingRecorded(r *analyze.Result) bool {
	return !d.recorded && r.NoFacts(noDecisions, decisionFacts...)
}

// Step takes an event.
func (d *decisions) Step(_ *replay.State, e *tracefmt.Event) {
	d.decided = decided{before: d.decisions[e.Process], heldBefore: d.held[e.Process]}
	if forgets(e) {
		d.held[e.Process] = 0
	}
	value, ok := members.Assigned(e, decidedVariable)
	if !ok {
		return
	}
	d.recorded = true
	if d.nonParticipants[e.Process] {
		return
	}
	switch held := d.held[e.Process] != 0; {
	case members.IsNull(value):
		d.held[e.Process] = 0
		if held {
			d.decided.value = null
		}
		return
	case !members.SameValue(value, d.decided.before.value):
		d.decided.value = bytes.Clone(value)
		d.decisions[e.Process] = decision{d.decided.value, e.Seq}
	}
	d.held[e.Process] = e.Seq
}

var null = []byte("null")

// decider is the part of a monitor that reads decisions.
type decider struct{ *decisions }

// Follow implements [analyze.Follower].
func (d *decider) Follow(f *analyze.Folds) { d.decisions = analyze.Shared(f, newDecisions) }

// forgets reports whether a process loses its volatile state at an event: it goes down, or comes up. An inferred
// event may not have happened, so it does not count.
func forgets(e *tracefmt.Event) bool {
	switch e.Kind {
	case tracefmt.Crash, tracefmt.Halt:
		return !e.Inferred()
	case tracefmt.Start, tracefmt.Recover:
		return true
	}
	return false
}
