package property

import (
	"fmt"
	"hash/maphash"
	"sort"

	"github.com/anishathalye/porcupine"

	"etrace/tracefmt"
)

// mostOverlapping is how many operations of one object a stretch may have, and
// mostOperations those of all objects together.
const (
	mostOverlapping = 1 << 15
	mostOperations  = 1 << 20
)

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
// one in which an operation stays open forever is one stretch from there on.
type history struct {
	name  string // of the object, in explanations
	state string // in which the stretch begins
	ops   []*operation
	order []historyStep
	open  int  // operations that have not ended
	lone  bool // the last operation began when none was open

	over  bool       // nothing more is to be found out
	wrong *operation // with its end, no order explains all results
	// inexact: it may be that an earlier end is wrong already.
	inexact bool
	// reason says why the history could not be judged.
	reason string
}

// historyStep is the invocation or the end of an operation.
type historyStep struct {
	op   *operation
	ends bool
}

// searchBudget is what the histories of a run may take together.
type searchBudget struct {
	limit, steps int64 // of all searches together: at first, and what is left
	kept         int   // operations that are kept
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
	switch {
	case len(h.ops) > mostOverlapping:
		h.giveUp(b, fmt.Sprintf("more than %d operations overlap", mostOverlapping))
	case b.kept > mostOperations:
		h.giveUp(b, fmt.Sprintf("more than %d operations of all objects overlap", mostOperations))
	}
}

// end takes in the end of an operation whose outcome is known.
func (h *history) end(op *operation, b *searchBudget) {
	if h.over {
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
	if op.failed { // as if it had never been
		h.ops, h.order = h.ops[:op.place], h.order[:len(h.order)-2]
		b.kept--
		return
	}
	if len(h.ops) == 1 {
		next, fits := op.model.step(h.state, op)
		if h.begin(b, next); !fits {
			h.blame(b, op)
		}
		return
	}
	if state, known := op.after(); known {
		h.judge(b)
		h.begin(b, state)
	}
}

// begin begins a new stretch.
func (h *history) begin(b *searchBudget, state string) {
	b.kept -= len(h.ops)
	h.state, h.ops, h.order = state, h.ops[:0], h.order[:0]
}

func (h *history) blame(b *searchBudget, op *operation) {
	h.wrong = op
	h.finish(b)
}

func (h *history) giveUp(b *searchBudget, reason string) {
	h.reason = reason
	h.finish(b)
}

func (h *history) finish(b *searchBudget) {
	b.kept -= len(h.ops)
	h.over, h.ops, h.order = true, nil, nil
}

// judge judges the stretch. If it is illegal, it finds the first end with
// which it is: a history once illegal stays so.
func (h *history) judge(b *searchBudget) {
	if h.over {
		return
	}
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
		h.blame(b, h.order[ends[first]-1].op)
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
