package operation

import (
	"math"
	"slices"

	"etrace/tracefmt"
)

// The witness of a violation has whole operations. As a history of its own it is violated, for the first time at its
// last event. It has an assignment of each value that its operations find. No other operation can be left out.

// maxRemembered is the number of operations before a stretch that a history stores.
const maxRemembered = 64

// pastOperations are the last operations before the stretch that changed the object.
type pastOperations struct {
	latest []*operation
	// partial is set if earlier ones are forgotten.
	partial bool
}

// add remembers an ended operation, without the zones, which would keep all others in memory.
func (a *pastOperations) add(op *operation) {
	if op.failed || op.model.readsOnly || op.refused() {
		return
	}
	if len(a.latest) == maxRemembered {
		a.latest, a.partial = slices.Delete(a.latest, 0, 1), true
	}
	kept := *op
	kept.cluster = nil
	a.latest = append(a.latest, &kept)
}

// find returns the latest assignment that fits and ended before a seq. It returns nil for a forgotten assignment, and
// without any.
func (a *pastOperations) find(before tracefmt.Seq, fits func(state string) bool) *operation {
	for _, op := range slices.Backward(a.latest) {
		if state, known := op.stateAfter(); known && op.ended < before && fits(state) {
			return op
		}
	}
	return nil
}

// equals returns a test for a state.
func equals(state string) func(string) bool { return func(left string) bool { return left == state } }

// findEvidence finds the operations that show the violation. The steps are the limit of a search.
func (h *history) findEvidence(wrong *operation, cause *conflict, steps int64) {
	e, size := h.newEvidence(wrong, steps), 1
	switch {
	case cause == nil:
		e.add(e.pool...)
		size = max(1, len(e.ops)/2)
	case cause.because != nil:
		e.add(cause.ops...)
		for _, op := range cause.ops {
			if op != nil && op.name == "release" { // it needs its acquire
				e.add(h.before.find(op.ended, equals(op.owner())))
			}
		}
		e.fixed = insert(slices.Clone(e.ops), wrong)
	case cause.second != nil:
		first := cause.first.fewest(cause.second.extent(cause.second.ends()))
		e.add(first...)
		e.add(cause.second.fewest(cause.first.extent(first))...)
		h.addAssignment(e, cause.first)
		h.addAssignment(e, cause.second)
	default:
		h.addEarlier(e, wrong)
	}
	e.add(wrong)
	h.isolated, h.unshrunk = nil, ""
	if e.complete() {
		e.shrink(size)
		h.isolated = e.isolated
	}
	if !h.inexact {
		h.unshrunk = e.incompleteReason()
	}
	h.shownBy = e.events(e.ops)
}

// addAssignment adds the assignment of a value that operations found.
func (h *history) addAssignment(e *evidence, c *cluster) {
	switch {
	case c.write != nil:
		e.add(c.write)
		if c.value == h.initial { // the initial value was gone before it was assigned
			e.add(h.before.find(c.write.called, func(left string) bool { return left != c.value }))
		}
	default:
		h.addFrom(e, 0)
	}
}

// addFrom adds the operation that left the state in which the stretch begins. If that only found the state, the
// assignment is added, which is enough if it follows the end of another one; an initial state needs neither.
func (h *history) addFrom(e *evidence, end tracefmt.Seq) {
	if h.from != nil && h.from.model.readsOnly {
		assigned := h.before.find(h.from.ended, equals(h.state))
		e.add(assigned)
		first := assigned == nil && h.state == h.initial && !h.before.partial
		if first || assigned != nil && end < assigned.called {
			return
		}
	}
	e.add(h.from)
}

// addEarlier adds what an operation found that an assignment before the stretch left, and what it should have found. An
// operation that found a state without an assignment shows a violation by itself.
func (h *history) addEarlier(e *evidence, op *operation) {
	state, known := op.found()
	assigned := h.before.find(op.ended, equals(state))
	if known && (assigned != nil || state == h.initial || h.before.partial) {
		e.add(assigned)
		if h.addFrom(e, assigned.endedAt()); h.from == nil {
			e.add(h.before.find(op.called, func(left string) bool { return left != state }))
		}
	}
}

// found returns the state in which the operation took effect, if its outcome shows that.
func (op *operation) found() (state string, known bool) {
	switch {
	case op.failed || op.refused() || !op.hasTakenEffect():
		return "", false
	case op.model.readsOnly:
		return op.model.convert(op.result), op.result != ""
	}
	return op.old, op.old != ""
}

// extent is the first end, and the last invocation, among operations on one value.
type extent struct{ ended, called tracefmt.Seq }

// contradicts reports whether the operations precede others, and follow them.
func (e extent) contradicts(rival extent) bool {
	return e.ended < rival.called && rival.ended < e.called
}

// extent returns the extent of operations of the cluster. The value with which the stretch begins precedes all others.
func (c *cluster) extent(ops []*operation) (e extent) {
	if c.write != nil {
		e.ended = math.MaxInt64
	}
	for _, op := range ops {
		if op.hasTakenEffect() {
			e.ended = min(e.ended, op.ended)
		}
		e.called = max(e.called, op.called)
	}
	return e
}

// ends returns the operations that bound the extent of the cluster, and its write.
func (c *cluster) ends() (ops []*operation) {
	for _, op := range [...]*operation{c.write, c.first, c.last} {
		// The initial value has no first end that bounds it.
		if op != nil && (c.write != nil || op != c.first) && !slices.Contains(ops, op) {
			ops = append(ops, op)
		}
	}
	return ops
}

// fewest returns as few operations of the cluster as contradict another one.
func (c *cluster) fewest(rival extent) []*operation {
	ops := c.ends()
	for i := range ops {
		if c.extent(ops[i : i+1]).contradicts(rival) {
			return ops[i : i+1]
		}
	}
	for i, a := range ops {
		for _, b := range ops[:i] {
			if pair := []*operation{b, a}; c.extent(pair).contradicts(rival) {
				return pair
			}
		}
	}
	return ops
}
