package network

import (
	"cmp"
	"slices"

	"etrace/tracefmt"
)

// Class is the kind of a future event. The classes order the events of one instant.
type Class uint8

// The classes, in their order.
const (
	// Fault is an action of the plan that comes first, such as a crash.
	Fault Class = iota
	// Delivery is a message that arrives.
	Delivery
	// Round is the step of a process at the beginning of a round: those of one
	// instant come in the order of the processes.
	Round
	// Timer is a timer that expires.
	Timer
	// Start is an action of the plan that comes last.
	Start
)

// Item is a scheduled event.
type Item struct {
	// At is the instant. Order distinguishes events of one instant: it grows with each send, timer and action.
	At    tracefmt.Time
	Order uint64
	// Number is the user's number of the timer or the action. For a delivery it is a place of the network.
	Number int64
	// Process is the process of the event, 0 for none.
	Process tracefmt.ProcessID
	Class   Class
}

// before reports whether x happens before y.
func (x *Item) before(y *Item) bool {
	if x.At != y.At {
		return x.At < y.At
	}
	if x.Class != y.Class {
		return x.Class < y.Class
	}
	return x.Order < y.Order
}

// timed reports whether the item waits only for the clock.
func (x *Item) timed() bool { return x.Class == Timer || x.Class == Round }

// compareTime compares two items by the order in which they happen.
func compareTime(x, y Item) int {
	if x.before(&y) {
		return -1
	}
	return 1
}

// compareOrder compares two items by the order in which they were scheduled.
func compareOrder(x, y Item) int { return cmp.Compare(x.Order, y.Order) }

// queue holds the scheduled items. Deliveries that arrive in the order of their sends, as all do with equal
// delays, are in a line; all other items are in a heap.
type queue struct {
	line  []Item // deliveries in the order of time
	first int    // the index of the first item in line that was not removed
	heap  heap
	list  []Item // memory for sorted
}

// len returns the number of items.
func (q *queue) len() int { return len(q.line) - q.first + len(q.heap) }

// push adds an item: a delivery that is later than the line to the line, any other item to the heap.
func (q *queue) push(item Item) {
	last := len(q.line) - 1
	switch {
	case item.Class != Delivery || last >= q.first && !q.line[last].before(&item):
		q.heap.push(item)
	// The line has no room, and at least half of it is removed items: move the others to the front.
	case len(q.line) == cap(q.line) && 2*q.first >= len(q.line):
		q.line, q.first = append(q.line[:copy(q.line, q.line[q.first:])], item), 0
	default:
		q.line = append(q.line, item)
	}
}

// firstInLine reports whether the first item of the queue is in the line. The queue must not be empty.
func (q *queue) firstInLine() bool {
	return len(q.heap) == 0 || q.first < len(q.line) && q.line[q.first].before(&q.heap[0])
}

// top returns the first item. The queue must not be empty.
func (q *queue) top() *Item {
	if q.firstInLine() {
		return &q.line[q.first]
	}
	return &q.heap[0]
}

// drop removes the first item.
func (q *queue) drop() {
	if q.firstInLine() {
		q.first++
	} else {
		q.heap.drop()
	}
}

// clear removes all items.
func (q *queue) clear() { q.line, q.first, q.heap = q.line[:0], 0, q.heap[:0] }

// remove removes the items that fit.
func (q *queue) remove(fits func(Item) bool) {
	q.line = q.line[:q.first+len(slices.DeleteFunc(q.line[q.first:], fits))]
	q.heap = slices.DeleteFunc(q.heap, fits)
	slices.SortFunc(q.heap, compareTime) // a sorted slice is a heap
}

// contains reports whether any item fits.
func (q *queue) contains(fits func(Item) bool) bool {
	return slices.ContainsFunc(q.line[q.first:], fits) || slices.ContainsFunc(q.heap, fits)
}

// sorted returns all items in the order of time. The result is valid until the queue changes.
func (q *queue) sorted() []Item {
	if len(q.heap) == 0 {
		return q.line[q.first:]
	}
	q.list = append(append(q.list[:0], q.line[q.first:]...), q.heap...)
	slices.SortFunc(q.list, compareTime)
	return q.list
}

// heap is a binary heap of values, without interfaces and allocations.
type heap []Item

// push adds an item.
func (q *heap) push(item Item) {
	h := append(*q, item)
	i := len(h) - 1
	for i > 0 {
		parent := (i - 1) / 2
		if !item.before(&h[parent]) {
			break
		}
		h[i] = h[parent]
		i = parent
	}
	h[i] = item
	*q = h
}

// drop removes the first item.
func (q *heap) drop() {
	h := *q
	last := h[len(h)-1]
	h = h[:len(h)-1]
	*q = h
	if len(h) == 0 {
		return
	}
	i := 0
	for {
		child := 2*i + 1
		if child >= len(h) {
			break
		}
		if child+1 < len(h) && h[child+1].before(&h[child]) {
			child++
		}
		if !h[child].before(&last) {
			break
		}
		h[i] = h[child]
		i = child
	}
	h[i] = last
}
