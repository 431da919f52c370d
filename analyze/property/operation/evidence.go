package operation

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"etrace/tracefmt"
)

// evidence is a set of operations that together show a violation, in the order of their invocations. It begins with
// the operations of the contradiction, and is completed and then reduced.
type evidence struct {
	history *history
	wrong   *operation
	ops     []*operation
	// pool has all operations that are still known and may count.
	pool []*operation
	// fixed are the operations of a contradiction that a judge found: they show the violation whatever the others
	// are. nil if any operation may be left out.
	fixed []*operation
	// sources are the assignments of what operations found, by their invocations.
	sources map[tracefmt.Seq][]*operation
	// budget bounds all searches.
	budget searchBudget
	// isolated is the judged history of the operations alone.
	isolated *history
}

// evidenceSteps is the part of the steps of a search that the search for the fewest operations may take.
const evidenceSteps = 10

// newEvidence returns the empty set, with the operations that may belong to it: invoked before the wrong one ended,
// and not failed.
func (h *history) newEvidence(wrong *operation, steps int64) *evidence {
	e := &evidence{
		history: h, wrong: wrong, sources: make(map[tracefmt.Seq][]*operation),
		budget: newSearchBudget(steps / evidenceSteps),
	}
	for _, op := range slices.Concat(h.before.latest, h.ops) {
		// An open operation that only reads explains nothing.
		if op.called <= wrong.ended && !op.failed && (e.ended(op) || !op.model.readsOnly) {
			e.pool = insert(e.pool, op)
		}
	}
	return e
}

// ended reports whether an operation ended up to the end of the wrong one.
func (e *evidence) ended(op *operation) bool { return op.hasTakenEffect() && op.ended <= e.wrong.ended }

// add adds operations to the set; nil is ignored.
func (e *evidence) add(ops ...*operation) {
	for _, op := range ops {
		if op != nil {
			e.ops = insert(e.ops, op)
		}
	}
}

// insert adds an operation to a list in the order of invocations, which identify them.
func insert(list []*operation, op *operation) []*operation {
	i, found := find(list, op)
	if found {
		return list
	}
	return slices.Insert(list, i, op)
}

// contains reports whether a list, sorted by invocation, has the operation.
func contains(list []*operation, op *operation) bool {
	_, found := find(list, op)
	return found
}

// find returns the place of the operation in a list sorted by invocation, or the place where it would be.
func find(list []*operation, op *operation) (i int, found bool) {
	return slices.BinarySearchFunc(list, op, func(a, b *operation) int { return cmp.Compare(a.called, b.called) })
}

// events returns the events of operations up to the end of the wrong one.
func (e *evidence) events(ops []*operation) (seqs []tracefmt.Seq) {
	for _, op := range ops {
		seqs = append(seqs, op.called)
		if e.ended(op) {
			seqs = append(seqs, op.ended)
		}
	}
	return seqs
}

// complete adds operations until the set shows the violation by itself, and reports whether it does.
func (e *evidence) complete() bool {
	first := slices.Clone(e.ops)
	if e.fixed != nil && e.violated(e.ops) {
		return true
	}
	for _, more := range []func(*operation) bool{
		func(*operation) bool { return false },
		func(op *operation) bool { return !e.ended(op) },
		func(*operation) bool { return true },
	} {
		for _, op := range e.pool {
			if more(op) {
				e.add(op)
			}
		}
		e.addSources()
		if e.violated(e.ops) {
			return true
		}
	}
	e.ops = first
	return false
}

// addSources adds an assignment of each value that an operation of the set finds, until no assignment is missing.
func (e *evidence) addSources() {
	for added := true; added; {
		added = false
		for _, op := range e.ops {
			for _, source := range e.missing(op, e.ops) {
				e.add(source)
				added = true
			}
		}
	}
}

// missing returns the sources of an operation that are not in the set.
func (e *evidence) missing(op *operation, set []*operation) []*operation {
	sources, known := e.sources[op.called]
	if !known {
		sources = e.sourcesOf(op)
		e.sources[op.called] = sources
	}
	return slices.DeleteFunc(slices.Clone(sources), func(source *operation) bool { return contains(set, source) })
}

// sourcesOf returns the known operations that may have assigned the value which an operation found. If several have,
// it returns the operation that ended last, since an order can place that operation most freely.
func (e *evidence) sourcesOf(op *operation) (parts []*operation) {
	found := *op
	if !e.ended(op) { // it has an effect, or does not matter
		found.ended, found.result = e.wrong.ended, ""
	}
	if op.model.mute() || op.model.readsOnly && op.result == "" {
		return nil
	}
	var last *operation
	for _, source := range e.pool {
		if source.model.readsOnly || source.called == op.called || source.called >= e.endOf(op) {
			continue
		}
		left, certain := source.stateAfter()
		if certain {
			_, certain = op.model.step(left, &found)
		}
		switch {
		case certain && (last == nil || e.endOf(source) >= e.endOf(last)):
			last = source
		case source.model.leaves == nil && e.budget.steps >= 0:
			e.budget.steps--
			// A get returns what several appends left, one after the other.
			if text := asText(source.value); text != "" && strings.Contains(asText(op.result), text) {
				parts = append(parts, source)
			}
		}
	}
	if last != nil {
		return []*operation{last}
	}
	return parts
}

// endOf returns the end of an operation. For an open operation it is later than all others.
func (e *evidence) endOf(op *operation) tracefmt.Seq {
	if e.ended(op) {
		return op.ended
	}
	return math.MaxInt64
}

// violated reports whether a set shows the violation by itself: as a history of its own it is violated, for the first
// time with the end of the wrong operation.
func (e *evidence) violated(ops []*operation) bool {
	if e.budget.steps < 0 {
		return false
	}
	h := &history{object: e.history.object, name: e.history.name, state: e.history.initial, isolates: true}
	var steps []historyStep
	for _, op := range ops {
		// An operation that ended after the wrong one was still open at that moment.
		copied := *op
		copied.cluster = nil
		if !e.ended(op) {
			copied.ended = 0
		}
		steps = append(steps, historyStep{&copied, false})
		if copied.hasTakenEffect() {
			steps = append(steps, historyStep{&copied, true})
		}
	}
	slices.SortStableFunc(steps, func(a, b historyStep) int { return cmp.Compare(a.seq(), b.seq()) })
	b := newSearchBudget(e.budget.limit)
	b.steps = e.budget.steps
	for _, s := range steps {
		if s.ends {
			h.endOperation(s.op, &b)
		} else {
			h.invoke(s.op, &b)
		}
	}
	if len(h.order) > 0 {
		h.decide(&b)
	}
	e.budget.steps = b.steps
	// Another violation, or an undecided one, does not show this violation.
	if h.wrong.endedAt() != e.wrong.ended || h.inexact {
		return false
	}
	e.isolated = h
	return true
}

// shrink leaves out operations as long as the rest shows the violation and has an assignment of each value that it
// finds. Operations that only look come first, and earlier operations before later ones: the last contradiction
// remains. The size is the number of operations of the first attempt.
func (e *evidence) shrink(size int) {
	for {
		left := e.leaveOut(size)
		if !left && size == 1 {
			return
		}
		size = max(1, size/2)
	}
}

// leaveOut tries to leave out groups of operations of a size, and reports whether it left out an operation.
func (e *evidence) leaveOut(size int) (some bool) {
	// Operations that only read are tried first, since no other operation depends on them.
	order := slices.Clone(e.ops)
	slices.SortStableFunc(order, func(a, b *operation) int { return cmp.Compare(looking(b), looking(a)) })
	for chunk := range slices.Chunk(order, size) {
		if e.budget.steps < 0 {
			return false
		}
		remaining := slices.DeleteFunc(slices.Clone(e.ops), func(op *operation) bool {
			return op.called != e.wrong.called && slices.Contains(chunk, op) && !contains(e.fixed, op)
		})
		if len(remaining) < len(e.ops) && (e.fixed != nil || e.grounded(remaining)) && e.violated(remaining) {
			e.ops, some = remaining, true
		}
	}
	return some
}

// grounded reports whether a set has an assignment of each value that its operations find.
func (e *evidence) grounded(set []*operation) bool {
	return !slices.ContainsFunc(set, func(op *operation) bool { return len(e.missing(op, set)) > 0 })
}

// incompleteReason explains why the set may have too few or too many operations; "" if it has not.
func (e *evidence) incompleteReason() string {
	switch {
	case e.budget.steps < 0:
		return fmt.Sprintf("the search for the fewest operations takes more than %d steps, which --max-steps raises", e.budget.limit)
	case e.isolated == nil:
		return "the witness lacks earlier operations, which are too many to be remembered"
	}
	return ""
}

// looking returns 1 for an operation that changes nothing, else 0: a key for sorting.
func looking(op *operation) int {
	if op.model.readsOnly {
		return 1
	}
	return 0
}
