package operation

import (
	"fmt"
	"hash/maphash"
	"slices"
	"sort"

	"github.com/anishathalye/porcupine"

	"etrace/analyze"
	"etrace/analyze/property/members"
	"etrace/analyze/property/memory"
	"etrace/tracefmt"
)

// searchBudget bounds the searches and memory of all histories of a run.
type searchBudget struct {
	limit, steps int64 // the steps of all searches: the limit, and the rest
	kept         int   // the stored operations
	values       int   // the values stored by zones

	// overlapping bounds the operations in a stretch of one object; operations bounds those of all objects, and the
	// values of zones.
	overlapping, operations int
	// remembered bounds the clusters that the zones of an object store, with the clusters that cannot be read any more,
	// which serve explanations.
	remembered int
}

// newSearchBudget returns a budget of so much search, with the usual bounds on memory.
func newSearchBudget(steps int64) searchBudget {
	return searchBudget{limit: steps, steps: steps, overlapping: 1 << 15, operations: 1 << 20, remembered: 1 << 14}
}

// searchMemory bounds the bytes for the states that a search has visited.
const searchMemory = 256 << 20

// judgement is the result of a search for a linearization.
type judgement uint8

const (
	legal judgement = iota
	illegal
	undecided
)

// history is the history of one object. It stores a stretch that begins in a known state. Whenever an operation
// that overlaps no other leaves a known state, the stretch is judged, and the next one begins. So a history with
// few overlaps is cheap, and an operation that stays open forever makes one stretch of the rest. If too many
// operations overlap, the stretch is judged without a search, in parts.
type history struct {
	*object
	name  string       // the object's name, for explanations
	first tracefmt.Seq // the seq of the first operation
	state string       // the state in which the stretch begins
	from  *operation   // the operation that left that state, nil at first
	ops   []*operation
	order []historyStep
	open  int   // the number of open operations
	lone  bool  // the last operation began when none was open
	judge judge // the judge of the finished parts of the stretch; nil for none

	over     bool       // the history is decided
	wrong    *operation // with its end, no order explains all results
	conflict *conflict  // the reason, nil if the history was searched
	// inexact is set if an earlier end may be the first wrong one.
	inexact bool
	// reason is why the history could not be judged.
	reason string
	// shownBy are the events that show the violation.
	shownBy []tracefmt.Seq
	// isolated is the history of these events alone, nil if that was not found; unshrunk is why the events may be too
	// few or too many.
	isolated *history
	unshrunk string
	// isolates is set for such a history: its own witness does not matter.
	isolates bool
	// places, if not nil, gets the places of the operations in an order that explains the results, by invocation.
	places map[tracefmt.Seq]int
	placed int
	// before has the operations of earlier stretches.
	before pastOperations
	// lastValueShown is the last end of an operation that shows a value.
	lastValueShown tracefmt.Seq
	// assumed are the operations with only a recorded end.
	assumed []assumedOperation
}

// assumedOperation is an operation whose invocation is not recorded. It is treated as if it had been invoked right
// before its end.
type assumedOperation struct {
	name    string
	invoked analyze.Need
}

// historyStep is the invocation or the end of an operation.
type historyStep struct {
	op   *operation
	ends bool
}

// invoke adds the invocation of an operation to the stretch. A stretch with too many operations is judged in parts.
func (h *history) invoke(op *operation, b *searchBudget) {
	if h.over {
		return
	}
	h.lone = h.open == 0
	h.open++
	op.place = len(h.ops)
	h.ops, h.order = append(h.ops, op), append(h.order, historyStep{op, false})
	b.kept++
	if len(h.ops) > b.overlapping || b.kept > b.operations {
		h.endPart(b)
	}
}

// endOperation handles the end of an operation with a known outcome.
func (h *history) endOperation(op *operation, b *searchBudget) {
	if h.over {
		if h.conflict == nil {
			return
		}
		if c := h.conflict.sooner(op); c != h.conflict {
			h.wrong, h.conflict = c.op, c
			h.findEvidence(c.op, c, b.limit)
		}
		return
	}
	h.open--
	h.before.add(op)
	h.order = append(h.order, historyStep{op, true})
	if h.open == 0 && h.lone {
		h.closeStretch(op, b)
	}
}

// closeStretch ends the stretch with an operation that overlaps no other, if the state is known then.
func (h *history) closeStretch(op *operation, b *searchBudget) {
	n := len(h.ops)
	if op.failed && n > 0 && h.ops[n-1] == op { // an operation that failed is removed
		h.ops, h.order = h.ops[:n-1], h.order[:len(h.order)-2]
		b.kept--
		return
	}
	if n == 1 && h.judge == nil {
		h.judgeSingle(b, op)
		return
	}
	if state, known := op.stateAfter(); known && !op.failed {
		if h.decide(b); !h.over {
			h.beginStretch(b, state, op)
		}
	}
}

// judgeSingle judges a stretch of one operation.
func (h *history) judgeSingle(b *searchBudget, op *operation) {
	next, fits := op.model.step(h.state, op)
	switch {
	case !fits:
		cause, _ := h.judgeSteps(h.newJudge())
		h.blame(b, op, cause)
	case next == h.state:
		h.place(op)
		h.beginStretch(b, next, h.from)
	default:
		h.place(op)
		h.beginStretch(b, next, op)
	}
}

// beginStretch begins a new stretch, in the state that an operation left.
func (h *history) beginStretch(b *searchBudget, state string, from *operation) {
	h.release(b)
	h.state, h.from = state, from
}

// release drops the stretch: the operations since the last known state.
func (h *history) release(b *searchBudget) {
	b.kept -= len(h.ops)
	h.ops, h.order = h.ops[:0], h.order[:0]
	if h.judge != nil {
		h.judge.drop(b)
		h.judge = nil
	}
}

// stateText returns the state with which the stretch begins, as the text of a value.
func (h *history) stateText() string { return members.Short(h.show(h.state)) }

// blame decides that the history is violated with the end of an operation, and finds the operations that show it.
func (h *history) blame(b *searchBudget, op *operation, cause *conflict) {
	h.wrong, h.conflict = op, cause
	if !h.isolates {
		h.findEvidence(op, cause, b.limit)
	}
	h.finish(b)
}

// giveUp leaves the history undecided for a reason.
func (h *history) giveUp(b *searchBudget, reason string) {
	h.reason = reason
	h.finish(b)
}

// finish marks the history as decided, and drops the stretch.
func (h *history) finish(b *searchBudget) {
	h.release(b)
	h.over, h.ops, h.order = true, nil, nil
}

// endPart ends a part of the stretch, and passes it to a judge. A part that no judge decides is too long for a
// search, so the history is given up.
func (h *history) endPart(b *searchBudget) {
	reason := fmt.Sprintf("more than %d operations of all objects overlap", b.operations)
	if len(h.ops) > b.overlapping {
		reason = fmt.Sprintf("more than %d operations overlap", b.overlapping)
	}
	if h.judge == nil {
		h.judge = h.newJudge()
	}
	cause, decided := h.judgeSteps(h.judge)
	h.judge.dropOld(b)
	b.kept -= len(h.ops)
	h.ops, h.order = h.ops[:0], h.order[:0]
	switch {
	case cause != nil:
		h.inexact = cause.mayBeResolved
		h.blame(b, cause.op, cause)
	case !decided:
		h.giveUp(b, reason)
	case b.values > b.operations:
		h.giveUp(b, fmt.Sprintf("more than %d values could still be read", b.operations))
	}
}

// A judge decides some histories without a search.
type judge interface {
	// invoke and end take the steps of the history, as long as it is decided; the conflict is nil unless an end is
	// wrong.
	invoke(op *operation) (decided bool)
	end(op *operation) (cause *conflict, decided bool)
	// dropOld drops what no longer matters and counts the rest; drop subtracts the count.
	dropOld(b *searchBudget)
	drop(b *searchBudget)
}

// newJudge returns the judge for the sort of object: by the order of holders for a lock, by zones for a register.
func (h *history) newJudge() judge {
	if h.assign == "" {
		return newLockOrder(h.from)
	}
	return newZones(h.state, h.stateText(), h.from)
}

// judgeSteps passes the stored steps to a judge. It returns the conflict of a wrong step, and whether the history is
// decided. Failed operations are skipped.
func (h *history) judgeSteps(j judge) (cause *conflict, decided bool) {
	decided = true
	for i, step := range h.order {
		switch {
		case step.ends:
			cause, decided = j.end(step.op)
		case !step.op.failed:
			decided = j.invoke(step.op)
		}
		if !decided {
			return nil, false
		}
		if cause != nil {
			for _, later := range h.order[i+1:] {
				cause = cause.sooner(later.op)
			}
			return cause, true
		}
	}
	return nil, true
}

// decide judges the stretch.
func (h *history) decide(b *searchBudget) {
	if h.over {
		return
	}
	j := h.judge
	if j == nil {
		j = h.newJudge()
	}
	switch cause, decided := h.judgeSteps(j); {
	case cause != nil:
		h.inexact = cause.mayBeResolved && h.judge != nil
		h.blame(b, cause.op, cause)
	// The judge decides without an order of the operations, which the caller wants.
	case decided && h.places != nil && h.judge == nil:
		ownBudget := newSearchBudget(b.limit)
		h.search(len(h.order), &ownBudget)
	case decided: // all results are explained
	case h.judge != nil:
		h.giveUp(b, fmt.Sprintf("more than %d operations overlap", b.overlapping))
	default:
		h.tryAll(b)
	}
}

// tryAll searches for an order of the stretch. Without one, it finds the first end without an order, by
// bisection: a history once illegal stays so.
func (h *history) tryAll(b *searchBudget) {
	switch found, reason := h.search(len(h.order), b); found {
	case undecided:
		h.giveUp(b, reason)
	case illegal:
		var ends []int // the numbers of steps after the ends
		for i, s := range h.order {
			if s.ends && !s.op.failed {
				ends = append(ends, i+1)
			}
		}
		minimum := 0
		if h.isolates { // whether the last end is the first wrong one
			minimum = max(0, len(ends)-2)
		}
		first := minimum + sort.Search(len(ends)-1-minimum, func(i int) bool {
			found, _ := h.search(ends[minimum+i], b)
			h.inexact = h.inexact || found == undecided
			return found == illegal
		})
		h.blame(b, h.order[ends[first]-1].op, nil)
	}
}

// search searches for an order of the operations that explains all results after the first n steps of the
// stretch.
func (h *history) search(n int, b *searchBudget) (found judgement, reason string) {
	events := h.events(n)
	room := searchMemory
	size := func(state any) int { return len(state.(string)) + len(events)/16 + 200 }
	model := porcupine.Model{
		Init: func() any { return h.state },
		Step: func(state, input, _ any) (bool, any) {
			if b.steps--; b.steps < 0 || room <= 0 { // stop: every further step does so, too
				return false, state
			}
			op := input.(*operation)
			next, fits := op.model.step(state.(string), op)
			if fits {
				room -= size(next)
			}
			return fits, next
		},
		Equal: func(state, kept any) bool {
			if state == kept { // the state was visited before
				room += size(state)
			}
			return state == kept
		},
		Hash: func(state any) uint64 { return maphash.String(memory.HashSeed, state.(string)) },
	}
	exists := false
	if h.places == nil || n < len(h.order) {
		exists = porcupine.CheckEvents(model, events)
	} else {
		result, info := porcupine.CheckEventsVerbose(model, events, 0)
		exists = result == porcupine.Ok
		if exists {
			h.placeAll(events, slices.Concat(slices.Concat(info.PartialLinearizations()...)...))
		}
	}
	switch {
	case exists:
		return legal, ""
	case b.steps < 0:
		return undecided, fmt.Sprintf("the search takes more than %d steps, which --max-steps raises", b.limit)
	case room <= 0:
		return undecided, "the search needs more than 256 MB"
	}
	return illegal, ""
}

// events returns the first n steps of the stretch for porcupine. Operations that fail, even later, are omitted.
// Open operations end after all others: they may take effect at any time, and an effect at the very end is like
// none. An open operation that changes nothing is omitted, too.
func (h *history) events(n int) []porcupine.Event {
	var events, open []porcupine.Event
	last := h.order[n-1].seq()
	for _, step := range h.order[:n] {
		op := step.op
		ended := op.ended != 0 && op.ended <= last
		switch {
		case op.failed || !ended && (op.model.readsOnly || step.ends):
		case step.ends:
			events = append(events, porcupine.Event{Kind: porcupine.ReturnEvent, Id: op.place})
		case ended:
			events = append(events, porcupine.Event{Kind: porcupine.CallEvent, Id: op.place, Value: op})
		default:
			still := *op
			still.ended = 0
			events = append(events, porcupine.Event{Kind: porcupine.CallEvent, Id: op.place, Value: &still})
			open = append(open, porcupine.Event{Kind: porcupine.ReturnEvent, Id: op.place})
		}
	}
	return append(events, open...)
}

// seq returns the event of the step.
func (s historyStep) seq() tracefmt.Seq {
	if s.ends {
		return s.op.ended
	}
	return s.op.called
}
