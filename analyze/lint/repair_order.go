package lint

import (
	"bytes"
	"cmp"
	"container/heap"
	"fmt"
	"slices"
	"strconv"

	"etrace/analyze"
	"etrace/tracefmt"
)

// renumber repairs events whose numbers are not 1, 2, 3, ...: they are sorted by their numbers and get new ones.
// An event with a skipped number may have been of any process.
func renumber(p *repairedRun, _ *Finding) {
	order := make([]int, len(p.events))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(p.events[a].Seq, p.events[b].Seq) })
	// numbers are the old seqs in ascending order, so a binary search finds the new one.
	numbers := make([]tracefmt.Seq, len(order))
	for i, at := range order {
		numbers[i] = p.events[at].Seq
	}
	if !slices.IsSorted(order) {
		p.change(nil, "order", "as in the file", "by seq")
	}
	p.arrange(order, func(seq tracefmt.Seq) tracefmt.Seq {
		i, ok := slices.BinarySearch(numbers, seq)
		if !ok {
			return 0
		}
		return tracefmt.Seq(i + 1)
	})
	for i := range order {
		previous := tracefmt.Seq(0)
		if i > 0 {
			previous = numbers[i-1]
		}
		if seq := tracefmt.Seq(i + 1); numbers[i] != previous+1 {
			p.change(&p.events[i], "order", fmt.Sprintf("seq %d after %d", numbers[i], previous),
				fmt.Sprintf("seq %d", seq))
			p.gapOfAll(seq, max(seq-1, 1))
		}
	}
}

// arrange puts the events into an order and updates the references to their numbers. For an unknown number,
// renumbered returns 0.
func (p *repairedRun) arrange(order []int, renumbered func(tracefmt.Seq) tracefmt.Seq) {
	events, oldSeqs := make([]tracefmt.Event, len(order)), make([]tracefmt.Seq, len(order))
	for i, at := range order {
		events[i], oldSeqs[i] = p.events[at], p.recordedSeq[at]
		events[i].Seq = tracefmt.Seq(i + 1)
		if events[i].Cause != 0 {
			events[i].Cause = renumbered(events[i].Cause)
		}
		events[i].Payload = causesTo(&events[i], renumbered)
	}
	p.events, p.recordedSeq = events, oldSeqs
	if p.run.Completeness == nil {
		return
	}
	for i := range p.run.Completeness.Gaps {
		g := &p.run.Completeness.Gaps[i]
		g.From, g.To = movedEnd(g.From, len(events), renumbered), movedEnd(g.To, len(events), renumbered)
		if g.To != 0 && g.From-1 > g.To {
			g.From, g.To = g.To, g.From
		}
	}
}

// movedEnd returns the new end of a gap; 0 for the end of the run.
func movedEnd(seq tracefmt.Seq, count int, renumbered func(tracefmt.Seq) tracefmt.Seq) tracefmt.Seq {
	if seq == 0 || int(seq) > count {
		return seq
	}
	return renumbered(seq)
}

// causesTo returns the payload with its further causes renumbered.
func causesTo(e *tracefmt.Event, renumbered func(tracefmt.Seq) tracefmt.Seq) []byte {
	if !bytes.Contains(e.Payload, []byte(tracefmt.CausesKey)) {
		return e.Payload
	}
	b := []byte{'{'}
	for name, value := range tracefmt.Fields(e.Payload) {
		if string(name) == tracefmt.CausesKey {
			list := []byte{'['}
			for item := range tracefmt.Items(value) {
				n, ok := tracefmt.ParseInteger(item)
				if seq := renumbered(tracefmt.Seq(n)); ok && seq != 0 {
					if len(list) > 1 {
						list = append(list, ',')
					}
					list = strconv.AppendInt(list, int64(seq), 10)
				}
			}
			value = append(list, ']')
			if len(value) == 2 {
				continue
			}
		}
		b = appendMember(b, string(name), value)
	}
	return append(b, '}')
}

// reorder moves events after their causes, and arrivals after their sends, no further than needed. The true order
// of the moved events is unknown, so other events may be missing among them.
func reorder(p *repairedRun, _ *Finding) {
	g := p.precedence()
	order := g.order(p)
	if order == nil {
		return
	}
	place := make([]tracefmt.Seq, len(order))
	for i, at := range order {
		place[at] = tracefmt.Seq(i + 1)
	}
	p.arrange(order, func(seq tracefmt.Seq) tracefmt.Seq {
		if seq < 1 || int(seq) > len(place) {
			return 0
		}
		return place[seq-1]
	})
	p.linkSends()
	p.doubtOrder(order)
}

// reorderSent repairs an arrival whose send comes later in the file.
func reorderSent(p *repairedRun, f *Finding) {
	e := p.lastEvent(f)
	if at, ok := p.sends()[e.Message]; ok && p.isOf(e, at) {
		reorder(p, f)
	}
}

// reorderCaused repairs an event that names a later or unknown one as its cause.
func reorderCaused(p *repairedRun, f *Finding) {
	e := p.lastEvent(f)
	for cause := range e.Causes() {
		if cause == e.Seq || p.eventAt(cause) == nil {
			p.removeCauses(e)
			return
		}
	}
	reorder(p, f)
}

// isOf reports whether the arrival is that of the message sent there.
func (p *repairedRun) isOf(arrival *tracefmt.Event, send int) bool {
	return p.events[send].Process == arrival.Peer && p.events[send].Peer == arrival.Process
}

// doubtOrder lists the moved events, and declares a gap for each process with events among them.
func (p *repairedRun) doubtOrder(order []int) {
	for begin := 0; begin < len(order); {
		end, last := begin, order[begin]
		for ; end < last; end++ {
			last = max(last, order[end+1])
		}
		if end > begin {
			seen := make(map[tracefmt.ProcessID]bool)
			for i := begin; i <= end; i++ {
				e := &p.events[i]
				if order[i] < i { // it has moved to a later place
					p.change(e, "order", fmt.Sprintf("seq %d", order[i]+1), fmt.Sprintf("seq %d", e.Seq))
					storeFormer(e, fmt.Sprintf(`"seq":%d`, order[i]+1))
				}
				if e.Process != 0 && !seen[e.Process] {
					seen[e.Process] = true
					p.gap(e.Process, tracefmt.Seq(begin+1), tracefmt.Seq(end+1), 0)
				}
			}
		}
		begin = end + 1
	}
}

// precedence has which events come before which: those of a process in their order, sends before arrivals, causes
// before effects.
type precedence struct {
	after [][]int // by event: the events after it
	waits []int   // by event: the number of events before it
}

// precedence returns which events of the run come before which.
func (p *repairedRun) precedence() *precedence {
	g := &precedence{make([][]int, len(p.events)), make([]int, len(p.events))}
	last := make([]int, len(p.run.Members)+1)
	sends := p.sends()
	for i := range p.events {
		e := &p.events[i]
		if e.Process != 0 {
			// last has the place of the event before, from 1; 0 for none.
			if before := last[e.Process]; before > 0 {
				g.add(before-1, i)
			}
			last[e.Process] = i + 1
		}
		if send, ok := sends[e.Message]; ok && isArrival(e) && p.isOf(e, send) {
			g.add(send, i)
		}
		for cause := range e.Causes() {
			if at := int(cause) - 1; at >= 0 && at < len(p.events) && at != i {
				g.add(at, i)
			}
		}
	}
	return g
}

// add adds that one event comes before another.
func (g *precedence) add(before, after int) {
	g.after[before] = append(g.after[before], after)
	g.waits[after]++
}

// isArrival reports whether the event ends a message: by a receive or a loss.
func isArrival(e *tracefmt.Event) bool { return e.Kind == tracefmt.Receive || e.Kind == tracefmt.Lose }

// sends returns the place of the first send of each message.
func (p *repairedRun) sends() map[tracefmt.MessageID]int {
	sends := make(map[tracefmt.MessageID]int)
	for i := range p.events {
		e := &p.events[i]
		if e.Kind != tracefmt.Send {
			continue
		}
		if _, twice := sends[e.Message]; !twice {
			sends[e.Message] = i
		}
	}
	return sends
}

// ready is a heap of events without open predecessors, the earliest first.
type ready []int

func (r ready) Len() int           { return len(r) }
func (r ready) Less(i, j int) bool { return r[i] < r[j] }
func (r ready) Swap(i, j int)      { r[i], r[j] = r[j], r[i] }
func (r *ready) Push(x any)        { *r = append(*r, x.(int)) }

// Pop implements [heap.Interface].
func (r *ready) Pop() any {
	old := *r
	last := old[len(old)-1]
	*r = old[:len(old)-1]
	return last
}

// order returns the order nearest to that of the file that keeps the precedence; nil if that is the file's. In a
// cycle the first event loses its causes. The loop ends since each pass removes an event or, in a cycle, the causes
// of one.
func (g *precedence) order(p *repairedRun) []int {
	var free ready
	for i, n := range g.waits {
		if n == 0 {
			heap.Push(&free, i)
		}
	}
	order, placed := make([]int, 0, len(g.waits)), make([]bool, len(g.waits))
	for next := 0; len(order) < len(g.waits); {
		for next < len(placed) && placed[next] {
			next++
		}
		// The heap has the events without unplaced causes, the earliest in the file first. Only a cycle empties it.
		i := next
		if len(free) > 0 {
			i = heap.Pop(&free).(int)
		} else {
			p.removeCauses(&p.events[i])
		}
		if placed[i] {
			continue
		}
		placed[i] = true
		order = append(order, i)
		for _, after := range g.after[i] {
			if g.waits[after]--; g.waits[after] == 0 && !placed[after] {
				heap.Push(&free, after)
			}
		}
	}
	if slices.IsSorted(order) {
		return nil
	}
	return order
}

var receiveFacts = analyze.Facts("receive")

// removeCauses removes the causes of an event, which come after it or wait for it.
func (p *repairedRun) removeCauses(e *tracefmt.Event) {
	if isArrival(e) {
		p.withdraw(e)
		return
	}
	for cause := range e.Causes() {
		if c := p.eventAt(cause); c != nil {
			p.lower(c.Process, sendFacts...)
		}
	}
	p.lower(e.Process, receiveFacts...)
	if e.Cause != 0 {
		p.dropCause(e)
	}
	if further, ok := e.Field(tracefmt.CausesKey); ok {
		p.change(e, "cause", string(further), "none")
		before := fmt.Sprintf(`"causes":%s`, further)
		e.Payload = causesTo(e, func(tracefmt.Seq) tracefmt.Seq { return 0 })
		storeFormer(e, before)
	}
}

// linkSends sets the send as the cause of each arrival that was read without one.
func (p *repairedRun) linkSends() {
	sends := p.sends()
	for i := range p.events {
		if e := &p.events[i]; isArrival(e) && e.Cause == 0 {
			if at, ok := sends[e.Message]; ok && at < i && p.isOf(e, at) {
				e.Cause = tracefmt.Seq(at + 1)
			}
		}
	}
}
