package property

import (
	"fmt"
	"hash/maphash"
	"sort"

	"github.com/anishathalye/porcupine"

	"etrace/analyze"
	"etrace/tracefmt"
)

// searchBudget is what the histories of a run may take together.
type searchBudget struct {
	limit, steps int64 // of all searches together: at first, and what is left
	kept         int   // operations that are kept
	values       int   // that zones keep

	// overlapping is how many operations a stretch of one object may have, and
	// operations those of all objects together, and the values that zones keep.
	overlapping, operations int
	// remembered is how many clusters the zones of an object keep, those included
	// that cannot be read any more, for the sake of explanations.
	remembered int
}

func newSearchBudget(steps int64) searchBudget {
	return searchBudget{limit: steps, steps: steps, overlapping: 1 << 15, operations: 1 << 20, remembered: 1 << 14}
}

// searchMemory is how many bytes a search may fill with the states that it
// has seen.
const searchMemory = 256 << 20

// judgement is what a search for a linearization finds.
type judgement uint8

const (
	legal judgement = iota
	illegal
	undecided
)

// history is what happens to one object. What is kept of it is a stretch that
// begins with a known state: whenever an operation that nothing overlaps
// leaves a state that follows from it alone, the stretch is judged, and the
// next one begins. So a history of clients that seldom meet costs little, and
// one in which an operation stays open forever is one stretch from there on. If too
// much of it overlaps, it is judged without a search, a part at a time.
type history struct {
	*object
	name  string       // of this object, in explanations
	first tracefmt.Seq // its first operation
	state string       // in which the stretch begins
	from  *operation   // which left that state, nil at first
	ops   []*operation
	order []historyStep
	open  int   // operations that have not ended
	lone  bool  // the last operation began when none was open
	judge judge // of the parts of the stretch that are over; nil if there are none

	over     bool       // nothing more is to be found out
	wrong    *operation // with its end, no order explains all results
	conflict *conflict  // why, unless that was searched
	// inexact: it may be that an earlier end is wrong already.
	inexact bool
	// reason says why the history could not be judged.
	reason string
	// looked is the last end of an operation that says what it found.
	looked tracefmt.Seq
	// supposed are the operations of which only the end is recorded.
	supposed []supposed
}

// supposed is an operation that was taken in as if it had been invoked right before its end,
// and the need of its invocation.
type supposed struct {
	name    string
	invoked analyze.Need
}

// historyStep is the invocation or the end of an operation.
type historyStep struct {
	op   *operation
	ends bool
}

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
		h.part(b)
	}
}

// end takes in the end of an operation whose outcome is known.
func (h *history) end(op *operation, b *searchBudget) {
	if h.over {
		if h.conflict != nil {
			h.conflict = h.conflict.sooner(op)
			h.wrong = h.conflict.op
		}
		return
	}
	h.open--
	h.order = append(h.order, historyStep{op, true})
	if h.open == 0 && h.lone {
		h.rest(op, b)
	}
}

// rest ends the stretch with an operation that nothing overlaps, if the state
// is known then.
func (h *history) rest(op *operation, b *searchBudget) {
	n := len(h.ops)
	if op.failed && n > 0 && h.ops[n-1] == op { // as if it had never been
		h.ops, h.order = h.ops[:n-1], h.order[:len(h.order)-2]
		b.kept--
		return
	}
	if n == 1 && h.judge == nil {
		h.alone(b, op)
		return
	}
	if state, known := op.after(); known && !op.failed {
		if h.decide(b); !h.over {
			h.begin(b, state, op)
		}
	}
}

// alone judges a stretch of one operation.
func (h *history) alone(b *searchBudget, op *operation) {
	next, fits := op.model.step(h.state, op)
	switch {
	case !fits:
		why, _ := h.feed(h.newJudge())
		h.blame(b, op, why)
	case next == h.state:
		h.begin(b, next, h.from)
	default:
		h.begin(b, next, op)
	}
}

// begin begins a new stretch, in a state that an operation left.
func (h *history) begin(b *searchBudget, state string, from *operation) {
	h.release(b)
	h.state, h.from = state, from
}

// release lets go of the stretch.
func (h *history) release(b *searchBudget) {
	b.kept -= len(h.ops)
	h.ops, h.order = h.ops[:0], h.order[:0]
	if h.judge != nil {
		h.judge.drop(b)
		h.judge = nil
	}
}

// shown is the state with which the stretch begins, as a value.
func (h *history) shown() string { return short(h.show(h.state)) }

func (h *history) blame(b *searchBudget, op *operation, why *conflict) {
	h.wrong, h.conflict = op, why
	h.finish(b)
}

func (h *history) giveUp(b *searchBudget, reason string) {
	h.reason = reason
	h.finish(b)
}

func (h *history) finish(b *searchBudget) {
	h.release(b)
	h.over, h.ops, h.order = true, nil, nil
}

// part ends a part of the stretch, which a judge takes in. What it does not decide is
// too long to be searched.
func (h *history) part(b *searchBudget) {
	reason := fmt.Sprintf("more than %d operations of all objects overlap", b.operations)
	if len(h.ops) > b.overlapping {
		reason = fmt.Sprintf("more than %d operations overlap", b.overlapping)
	}
	if h.judge == nil {
		h.judge = h.newJudge()
	}
	why, decided := h.feed(h.judge)
	h.judge.keep(b)
	b.kept -= len(h.ops)
	h.ops, h.order = h.ops[:0], h.order[:0]
	switch {
	case why != nil:
		h.inexact = why.unsure
		h.blame(b, why.op, why)
	case !decided:
		h.giveUp(b, reason)
	case b.values > b.operations:
		h.giveUp(b, fmt.Sprintf("more than %d values could still be read", b.operations))
	}
}

// A judge decides a history without a search, if it can.
type judge interface {
	// invoke and end take in what happens, as long as it is decided; why is nil unless
	// an end is wrong.
	invoke(op *operation) (decided bool)
	end(op *operation) (why *conflict, decided bool)
	// keep drops what need not be remembered and counts what is; drop counts it off.
	keep(b *searchBudget)
	drop(b *searchBudget)
}

func (h *history) newJudge() judge {
	if h.assign == "" {
		return newLockOrder(h.from)
	}
	return newZones(h.state, h.shown(), h.from)
}

// feed has a judge take in the steps that are kept. It returns why one of them is
// wrong, and whether it is decided. What failed by now is left out.
func (h *history) feed(j judge) (why *conflict, decided bool) {
	decided = true
	for i, step := range h.order {
		switch {
		case step.ends:
			why, decided = j.end(step.op)
		case !step.op.failed:
			decided = j.invoke(step.op)
		}
		if !decided {
			return nil, false
		}
		if why != nil {
			for _, later := range h.order[i+1:] {
				why = why.sooner(later.op)
			}
			return why, true
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
	switch why, decided := h.feed(j); {
	case why != nil:
		h.inexact = why.unsure && h.judge != nil
		h.blame(b, why.op, why)
	case decided:
	case h.judge != nil:
		h.giveUp(b, fmt.Sprintf("more than %d operations overlap", b.overlapping))
	default:
		h.tryAll(b)
	}
}

// tryAll searches for an order of the stretch. If there is none, it finds the first
// end with which there is none: a history once illegal stays so.
func (h *history) tryAll(b *searchBudget) {
	switch found, reason := h.search(len(h.order), b); found {
	case undecided:
		h.giveUp(b, reason)
	case illegal:
		var ends []int // after which step
		for i, s := range h.order {
			if s.ends && !s.op.failed {
				ends = append(ends, i+1)
			}
		}
		first := sort.Search(len(ends)-1, func(i int) bool {
			found, _ := h.search(ends[i], b)
			h.inexact = h.inexact || found == undecided
			return found == illegal
		})
		h.blame(b, h.order[ends[first]-1].op, nil)
	}
}

// search looks for an order of the operations that explains all that is known
// after the first n steps of the stretch.
func (h *history) search(n int, b *searchBudget) (found judgement, reason string) {
	events := h.events(n)
	room := searchMemory
	size := func(state any) int { return len(state.(string)) + len(events)/16 + 200 }
	model := porcupine.Model{
		Init: func() any { return h.state },
		Step: func(state, input, _ any) (bool, any) {
			if b.steps--; b.steps < 0 || room <= 0 { // the search gives up step by step
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
			if state == kept { // it has been here before, and keeps nothing
				room += size(state)
			}
			return state == kept
		},
		Hash: func(state any) uint64 { return maphash.String(hashSeed, state.(string)) },
	}
	switch {
	case porcupine.CheckEvents(model, events):
		return legal, ""
	case b.steps < 0:
		return undecided, fmt.Sprintf("the search takes more than %d steps, which --max-steps raises", b.limit)
	case room <= 0:
		return undecided, "the search needs more than 256 MB"
	}
	return illegal, ""
}

// events returns the first n steps of the stretch for porcupine. What fails,
// also later, is left out, and what is open ends after all else: it may take
// effect at any time, and what takes effect at the very end explains nothing,
// as if it never did. An open operation that changes nothing is left out, too.
func (h *history) events(n int) []porcupine.Event {
	var events, open []porcupine.Event
	last := h.order[n-1].seq()
	for _, step := range h.order[:n] {
		op := step.op
		ended := op.ended != 0 && op.ended <= last
		switch {
		case op.failed || !ended && op.model.looks:
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

func (s historyStep) seq() tracefmt.Seq {
	if s.ends {
		return s.op.ended
	}
	return s.op.called
}
