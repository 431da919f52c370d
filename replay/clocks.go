package replay

import (
	"cmp"
	"fmt"
	"maps"
	"slices"

	"etrace/replay/sparse"
	"etrace/tracefmt"
)

// The bounds of what [Clocks] keep, in words of 8 bytes: clocks in use are those of
// the processes, n words each in a run of n processes that all know of one another,
// and of messages in flight; those of the past are dropped from recentWords on.
const (
	recentWords = 1 << 21
	wordsInUse  = 1 << 24
)

// Clocks follows happened-before through a run (Lamport 1978): an event comes
// after the earlier steps of its process and after its causes, which are the
// send of a receive, [tracefmt.Event.Cause] of other events, and the seqs under
// the payload key [tracefmt.CausesKey].
//
// Partition and heal are steps of no process. Neither is lose, although it
// stands among the events of the intended receiver: that process does not
// learn of the loss. Such events are counted by no clock, and what names one
// as its cause comes after nothing by that.
//
// A step costs what is new to its process: at most as much as a vector has entries,
// and next to nothing where it learns of nothing; a send costs the same for any
// number of processes, and a cause that no message explains a binary search. Kept
// are the clocks of the processes and of the messages in flight, which share what
// they have in common: up to 128 MB and twice the square of the number of processes
// in words, 16 bytes for each two of them. Since any later event may name any
// earlier one as its cause, kept are also the clocks of past events, of the last 16
// to 32 MB that were new.
type Clocks struct {
	space     sparse.Space
	processes []history // by ProcessID; 0 is unused
	flights   map[tracefmt.Seq]Clock
	steps     []pastStep   // since forgotten, in ascending order
	seq       tracefmt.Seq // the latest event
	// Clocks of events up to forgotten are no longer kept, but for those of the last
	// steps of the processes; those up to aging are the next.
	forgotten, aging tracefmt.Seq
	dropped, counted int // what had been kept in all when something was forgotten, and when the words in use were counted
	inUse            int // words, when they were counted
	recent, limit    int // recentWords, and how many may be in use
	incomplete       string
}

// history is what is kept of one process.
type history struct {
	now Clock
	// learnt holds what the process knew of others since certain steps, the
	// first of them the earliest that is kept.
	learnt []lesson
}

// lesson says since which step of a process it knows what.
type lesson struct {
	since  tracefmt.Seq
	others sparse.Vector
}

// pastStep is a step of a process, the count-th one.
type pastStep struct {
	seq     tracefmt.Seq
	process tracefmt.ProcessID
	count   uint32
}

// NewClocks returns the clocks before the first event.
func NewClocks(run *tracefmt.Run) *Clocks {
	n := len(run.Members)
	c := &Clocks{
		space: sparse.NewSpace(n), processes: make([]history, n+1), flights: make(map[tracefmt.Seq]Clock),
		recent: recentWords, limit: wordsInUse + 2*n*n,
	}
	for p := range c.processes {
		c.processes[p].now = Clock{process: tracefmt.ProcessID(p), processes: int32(n)}
	}
	return c
}

// Step takes in the next event of the run. Events that are out of order or of
// a process that the run does not have change nothing.
func (c *Clocks) Step(e *tracefmt.Event) {
	if c.incomplete != "" || e.Seq <= c.seq {
		return
	}
	c.seq = e.Seq
	switch {
	case e.Seq > maxSeq:
		c.incomplete = fmt.Sprintf("seq %d is beyond the %d events that vector clocks are kept for", e.Seq, maxSeq)
	case e.Process < 1 || int(e.Process) >= len(c.processes):
	case e.Kind == tracefmt.Lose:
		delete(c.flights, e.Cause)
	default:
		c.tick(&c.processes[e.Process], e)
	}
}

// tick counts a step of h.
func (c *Clocks) tick(h *history, e *tracefmt.Event) {
	h.now.count++
	h.now.seq = e.Seq
	c.steps = append(c.steps, pastStep{e.Seq, e.Process, h.now.count})
	for cause := range e.Causes() {
		c.follow(h, e, cause)
	}
	switch e.Kind {
	case tracefmt.Send:
		c.flights[e.Seq] = h.now
	case tracefmt.Receive:
		delete(c.flights, e.Cause)
	}
	if c.words()-c.dropped > c.recent {
		c.age()
	}
}

// words returns how many have been kept in all; a past step takes two.
func (c *Clocks) words() int { return c.space.Made() + 2*int(c.seq) }

// Clock returns the clock of the latest step of p, a process of the run.
func (c *Clocks) Clock(p tracefmt.ProcessID) Clock { return c.processes[p].now }

// ClockOf returns the clock of an earlier step; false if there is no such step, or
// its clock is not kept. That of a send is kept until the message is received or
// lost.
func (c *Clocks) ClockOf(step tracefmt.Seq) (Clock, bool) {
	if step < 1 {
		return Clock{}, false
	}
	return c.recall(step)
}

// At returns the clock of the latest step of p, a process of the run, as numbers;
// all zero before its first. The caller may keep it.
func (c *Clocks) At(p tracefmt.ProcessID) Vector { return c.processes[p].now.Vector() }

// Incomplete says why the clocks stand still: something that would be needed
// is no longer kept. It is "" as long as they are right.
func (c *Clocks) Incomplete() string { return c.incomplete }

// Clone returns a copy that goes its own way from here.
func (c *Clocks) Clone() *Clocks {
	d := *c
	d.processes = slices.Clone(c.processes)
	for p := range d.processes {
		// Clipped, so that what one of the two appends the other does not see.
		d.processes[p].learnt = slices.Clip(d.processes[p].learnt)
	}
	d.steps = slices.Clip(c.steps)
	d.flights = maps.Clone(c.flights)
	return &d
}

// follow makes the event, the latest step of h, come after its cause.
func (c *Clocks) follow(h *history, e *tracefmt.Event, cause tracefmt.Seq) {
	if cause < 1 {
		return
	}
	if past, ok := c.recall(cause); ok {
		c.learn(h, past)
		return
	}
	duplicate := e.Kind == tracefmt.Receive && e.Peer > 0 && int(e.Peer) < len(c.processes) && h.now.Latest(e.Peer) >= cause
	if cause <= c.forgotten && !duplicate {
		c.incomplete = fmt.Sprintf("seq %d names seq %d as its cause, which lies too far back for its clock to be kept", e.Seq, cause)
	}
}

// recall returns the clock of an earlier step, if there is one of that seq
// and it is kept.
func (c *Clocks) recall(seq tracefmt.Seq) (Clock, bool) {
	if clock, ok := c.flights[seq]; ok {
		return clock, true
	}
	if seq <= c.forgotten {
		return c.recallLast(seq)
	}
	at, ok := slices.BinarySearchFunc(c.steps, seq, func(s pastStep, seq tracefmt.Seq) int { return cmp.Compare(s.seq, seq) })
	if !ok {
		return Clock{}, false
	}
	s := c.steps[at]
	h := &c.processes[s.process]
	return Clock{seq: seq, process: s.process, processes: h.now.processes, count: s.count, others: h.knew(seq)}, true
}

// recallLast returns the clock of a step that is the last one of its process.
func (c *Clocks) recallLast(seq tracefmt.Seq) (Clock, bool) {
	for p := range c.processes {
		if now := &c.processes[p].now; now.seq == seq {
			return *now, true
		}
	}
	return Clock{}, false
}

// knew returns what the process knew of others at a step that is kept.
func (h *history) knew(seq tracefmt.Seq) sparse.Vector {
	if after := h.after(seq); after > 0 {
		return h.learnt[after-1].others
	}
	return sparse.Vector{}
}

// after returns how many lessons the process had learnt up to seq.
func (h *history) after(seq tracefmt.Seq) int {
	after, _ := slices.BinarySearchFunc(h.learnt, seq+1, func(l lesson, seq tracefmt.Seq) int { return cmp.Compare(l.since, seq) })
	return after
}

// learn adds to the latest step of h what was known at an earlier step.
func (c *Clocks) learn(h *history, past Clock) {
	if h.now.Latest(past.process) >= past.seq {
		return // who knows an event knows all that happened before it
	}
	known := h.now.others
	if n := len(h.learnt); n > 0 && past.Latest(h.now.process) >= h.learnt[n-1].since {
		known = sparse.Vector{} // for the same reason, it is all known to the other
	}
	h.now.others = c.space.JoinWith(known, past.others, int(past.process)-1, packed(past.seq, past.count))
	if n := len(h.learnt); n > 0 && h.learnt[n-1].since == h.now.seq {
		h.learnt[n-1].others = h.now.others // by a further cause of the same step
		return
	}
	h.learnt = append(h.learnt, lesson{h.now.seq, h.now.others})
}

// age forgets the older one of two parts of the past, so that there is always one
// of the length that is to be kept, and gives up if the clocks in use are too many.
func (c *Clocks) age() {
	c.forget(c.aging)
	c.aging = c.seq
	if c.dropped-c.counted >= c.inUse {
		c.count()
	}
}

// forget drops the clocks of events up to seq, but for those in use.
func (c *Clocks) forget(seq tracefmt.Seq) {
	c.forgotten, c.dropped = seq, c.words()
	old, _ := slices.BinarySearchFunc(c.steps, seq+1, func(s pastStep, seq tracefmt.Seq) int { return cmp.Compare(s.seq, seq) })
	c.steps = slices.Clone(c.steps[old:])
	for p := range c.processes {
		h := &c.processes[p]
		if after := h.after(seq); after > 1 {
			h.learnt = slices.Clone(h.learnt[after-1:])
		}
	}
}

// count counts the words in use.
func (c *Clocks) count() {
	c.inUse = Words(func(yield func(Clock) bool) {
		for p := range c.processes[1:] {
			if !yield(c.processes[p+1].now) {
				return
			}
		}
		for _, clock := range c.flights {
			if !yield(clock) {
				return
			}
		}
	})
	c.counted = c.words()
	if c.inUse > c.limit {
		const mega = 1 << 20 / 8.0
		c.incomplete = fmt.Sprintf("at seq %d the vector clocks of the %d processes and of the %d messages in flight take %.1f MB, more than the %.1f MB that are kept for so many processes",
			c.seq, len(c.processes)-1, len(c.flights), float64(c.inUse)/mega, float64(c.limit)/mega)
	}
}
