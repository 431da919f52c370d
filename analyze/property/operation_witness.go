package property

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"etrace/tracefmt"
)

// The witness of a violation has whole operations: operations that contradict each other, and the assignments of the values
// that these operations find. Other operations do not matter: whatever their outcome, no order exists.

// mostAssignments is how many assignments before a stretch a history remembers.
const mostAssignments = 16

// assignment is an ended operation that left a known state.
type assignment struct {
	state         string
	called, ended tracefmt.Seq
}

// assignments are the latest of a history.
type assignments struct {
	latest []assignment
	// partial is set if earlier ones are forgotten.
	partial bool
}

// add remembers what an ended operation left.
func (a *assignments) add(op *operation) {
	if op.failed || op.model.looks {
		return
	}
	state, known := op.after()
	if !known {
		return
	}
	if len(a.latest) == mostAssignments {
		a.latest, a.partial = slices.Delete(a.latest, 0, 1), true
	}
	a.latest = append(a.latest, assignment{state, op.called, op.ended})
}

// find returns the events of the latest assignment that fits and ended before a seq. It returns nil for a forgotten assignment,
// and without any.
func (a *assignments) find(before tracefmt.Seq, fits func(state string) bool) []tracefmt.Seq {
	for _, known := range slices.Backward(a.latest) {
		if known.ended < before && fits(known.state) {
			return []tracefmt.Seq{known.called, known.ended}
		}
	}
	return nil
}

func equals(state string) func(string) bool { return func(left string) bool { return left == state } }

// evidence returns the events of the operations that show the violation. The steps are the limit of a search.
func (h *history) evidence(wrong *operation, cause *conflict, steps int64) []tracefmt.Seq {
	list := evidence{until: wrong.ended}
	switch {
	case cause == nil:
		h.addCore(&list, steps)
	case cause.because != nil:
		list.add(cause.ops...)
		for _, op := range cause.ops {
			if op != nil && op.name == "release" { // it needs its acquire
				list.seqs = append(list.seqs, h.before.find(op.ended, equals(op.owner()))...)
			}
		}
	case cause.second != nil:
		first := cause.first.fewest(cause.second.extent(cause.second.ends()))
		list.add(first...)
		list.add(cause.second.fewest(cause.first.extent(first))...)
		h.addAssignment(&list, cause.first)
		h.addAssignment(&list, cause.second)
	default:
		h.addEarlier(&list, wrong)
	}
	list.add(wrong)
	return list.seqs
}

// evidence collects events up to a seq.
type evidence struct {
	until tracefmt.Seq
	seqs  []tracefmt.Seq
}

func (e *evidence) add(ops ...*operation) {
	for _, op := range ops {
		if op == nil {
			continue
		}
		e.seqs = append(e.seqs, op.called)
		if op.ended <= e.until { // 0 is left out
			e.seqs = append(e.seqs, op.ended)
		}
	}
}

// addAssignment adds the assignment of a value that operations found.
func (h *history) addAssignment(e *evidence, c *cluster) {
	switch {
	case c.write != nil:
		e.add(c.write)
		if c.value == h.initial { // the initial value was gone before it was assigned
			e.seqs = append(e.seqs, h.before.find(c.write.called, func(left string) bool { return left != c.value })...)
		}
	default:
		h.addFrom(e, 0)
	}
}

// addFrom adds the operation that left the state in which the stretch begins. If that only found the state, the assignment is
// added, which is enough if it follows the end of another one; an initial state needs neither.
func (h *history) addFrom(e *evidence, end tracefmt.Seq) {
	if h.from != nil && h.from.model.looks {
		assigned := h.before.find(h.from.ended, equals(h.state))
		e.seqs = append(e.seqs, assigned...)
		first := assigned == nil && h.state == h.initial && !h.before.partial
		if first || assigned != nil && end < assigned[0] {
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
		e.seqs = append(e.seqs, assigned...)
		if h.addFrom(e, slices.Max(append(assigned, 0))); h.from == nil {
			e.seqs = append(e.seqs, h.before.find(op.called, func(left string) bool { return left != state })...)
		}
	}
}

// found returns the state in which the operation took effect, if its outcome shows that.
func (op *operation) found() (state string, known bool) {
	switch {
	case op.failed || op.refused() || !op.done():
		return "", false
	case op.model.looks:
		return op.model.convert(op.result), op.result != ""
	}
	return op.old, op.old != ""
}

// coreSteps is the part of the steps of a search that the search for the fewest operations may take.
const coreSteps = 10

// addCore adds operations of the stretch that contradict each other, whatever the outcome of the others is: without any of
// them there is an order. It also adds the assignments of what they found.
func (h *history) addCore(e *evidence, steps int64) {
	n := slices.IndexFunc(h.order, func(s historyStep) bool { return s.ends && s.op.ended == e.until }) + 1
	if n == 0 {
		return
	}
	left := make(map[*operation]bool)
	var core []*operation
	for _, s := range h.order[:n] {
		if s.ends && !s.op.failed {
			core = append(core, s.op)
		}
	}
	// Operations that only look are left out first: the assignments of what they find stay anyway.
	slices.SortStableFunc(core, func(a, b *operation) int { return cmp.Compare(looking(b), looking(a)) })
	b := newSearchBudget(steps / coreSteps)
	for size := (len(core) + 1) / 2; size > 0; size /= 2 {
		for i := 0; i < len(core); {
			try := core[i:min(i+size, len(core))]
			for _, op := range try {
				left[op] = true
			}
			if found, _ := h.search(n, left, &b); found == illegal {
				core = slices.Delete(core, i, i+len(try))
				continue
			}
			for _, op := range try {
				delete(left, op)
			}
			i += size
		}
	}
	for _, op := range core {
		e.add(op)
		if !h.addSources(e, op, h.order[:n]) {
			h.addEarlier(e, op)
		}
	}
	state := h.state
	h.state = h.initial
	if found, _ := h.search(n, left, &b); found != illegal {
		h.state = state
		h.addFrom(e, e.until)
	}
	h.state = state
}

func looking(op *operation) int {
	if op.model.looks {
		return 1
	}
	return 0
}

// addSources adds the last operation that left what an operation found, or what was added to that, and reports whether there is
// any.
func (h *history) addSources(e *evidence, op *operation, steps []historyStep) (found bool) {
	state, known := op.found()
	if !known {
		return false
	}
	for _, s := range slices.Backward(steps) {
		source := s.op
		if s.ends || source.failed || source == op || source.called >= op.ended {
			continue
		}
		left, certain := source.after()
		// A get returns what several appends left, one after the other.
		switch {
		case certain && left == state && !source.model.looks:
			e.add(source)
			return true
		case source.model.left == nil && strings.Contains(state, asText(source.value)):
			e.add(source)
			found = true
		}
	}
	return found
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
		if op.done() {
			e.ended = min(e.ended, op.ended)
		}
		e.called = max(e.called, op.called)
	}
	return e
}

// ends returns the operations that bound the extent of the cluster, and its write.
func (c *cluster) ends() (ops []*operation) {
	for _, op := range [...]*operation{c.write, c.first, c.last} {
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
