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
// after the earlier steps of its process and after its causes. The causes are the
// send of a receive, [tracefmt.Event.Cause] of other events, and the seqs under
// the payload key [tracefmt.CausesKey].
//
// Partition and heal are steps of no process. Neither is lose, although it
// is among the events of the intended receiver: that process does not
// learn of the loss. No clock counts such events. An event that names one
// as its cause is ordered after nothing by that.
//
// The time of a step grows with the news that its process learns: at most the entries
// of a vector, and almost nothing without news. A send takes the same time for any
// number of processes, and a cause that no message explains takes a binary search.
// The clocks of the processes and of the messages in flight share their common parts.
// They take up to 128 MB and twice the square of the number of processes in words,
// 16 bytes for each pair of processes. Since any later event may name any
// earlier one as its cause, the clocks of past events are kept, too: the last 16
// to 32 MB of new ones.
type Clocks struct {
	space sparse.Space
	// processes is indexed by ProcessID; 0 is unused.
	processes []history
	flights   map[tracefmt.Seq]Clock
	// steps since forgotten are in ascending order.
	steps []pastStep
	// seq is that of the latest event.
	seq tracefmt.Seq
	// Clocks of events up to forgotten are dropped, except those of the last steps of the processes. Those up
	// to aging are dropped next.
	forgotten, aging tracefmt.Seq
	// dropped and counted are the words kept in all, when something was last forgotten and when the words in
	// use were last counted.
	dropped, counted int
	// inUse is the last count, in words.
	inUse int
	// recent is the bound for the past, limit the bound for clocks in use, in words.
	recent, limit int
	incomplete    string
}

// history holds the clock of the latest step of a process, and the changes of its knowledge about others.
type history struct {
	// now is the clock of the latest step.
	now Clock
	// learnt holds the knowledge of the process about others, by the steps at which it changed. The first is
	// the earliest that is kept.
	learnt []lesson
}

// lesson is the knowledge of a process from a step on.
type lesson struct {
	since tracefmt.Seq
	known sparse.Vector
}

// pastStep is a step of a process with its number among the steps of the process.
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

// Step adds the next event of the run. An event out of order, or of a process that the run does not have,
// changes nothing.
func (c *Clocks) Step(e *tracefmt.Event) {
	if c.incomplete != "" || e.Seq <= c.seq {
		return
	}
	c.seq = e.Seq
	switch {
	case e.Seq > maxSeq:
		c.incomplete = fmt.Sprintf("seq %d is beyond the %d events that vector clocks are kept for", e.Seq, maxSeq)
	case e.Process < 1 || int(e.Process) >= len(c.processes): // a process that the run does not have
	case e.Kind == tracefmt.Lose:
		delete(c.flights, e.Cause)
	default:
		c.tick(&c.processes[e.Process], e)
	}
}

// tick adds a step of the process h: it raises the clock by one and joins it with the clocks of the causes.
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
		c.forgetOlderPart()
	}
}

// words returns how many words have been kept in all; a past step takes two.
func (c *Clocks) words() int { return c.space.Made() + 2*int(c.seq) }

// Clock returns the clock of the latest step of p, a process of the run.
func (c *Clocks) Clock(p tracefmt.ProcessID) Clock { return c.processes[p].now }

// ClockOf returns the clock of an earlier step; false if there is no such step, or its clock is not kept. The
// clock of a send is kept until the message is received or lost.
func (c *Clocks) ClockOf(step tracefmt.Seq) (Clock, bool) {
	if step < 1 {
		return Clock{}, false
	}
	return c.recall(step)
}

// At returns the clock of the latest step of p, a process of the run, as numbers;
// all zero before its first. The caller may keep it.
func (c *Clocks) At(p tracefmt.ProcessID) Vector { return c.processes[p].now.Vector() }

// Incomplete explains why the clocks have stopped: something that they need is no longer kept. It returns ""
// as long as they are right.
func (c *Clocks) Incomplete() string { return c.incomplete }

// Clone returns an independent copy.
func (c *Clocks) Clone() *Clocks {
	d := *c
	d.processes = slices.Clone(c.processes)
	for p := range d.processes {
		// Clipped, so that appending to one copy does not overwrite the other's elements.
		d.processes[p].learnt = slices.Clip(d.processes[p].learnt)
	}
	d.steps = slices.Clip(c.steps)
	d.flights = maps.Clone(c.flights)
	return &d
}

// follow orders the event, the latest step of h, after its cause.
func (c *Clocks) follow(h *history, e *tracefmt.Event, cause tracefmt.Seq) {
	if cause < 1 {
		return
	}
	if past, ok := c.recall(cause); ok {
		c.learn(h, past)
		return
	}
	// The receiver of a duplicate knows the send already, from the first copy.
	duplicate := e.Kind == tracefmt.Receive && e.Peer > 0 && int(e.Peer) < len(c.processes) &&
		h.now.Latest(e.Peer) >= cause
	if cause <= c.forgotten && !duplicate {
		c.incomplete = fmt.Sprintf("seq %d names seq %d as its cause, which lies too far back for its clock to be kept", e.Seq, cause)
	}
}

// recall returns the clock of an earlier step, if it is kept.
func (c *Clocks) recall(seq tracefmt.Seq) (Clock, bool) {
	if clock, ok := c.flights[seq]; ok {
		return clock, true
	}
	if seq <= c.forgotten {
		return c.recallLast(seq)
	}
	index, ok := slices.BinarySearchFunc(c.steps, seq,
		func(s pastStep, seq tracefmt.Seq) int {
			return cmp.Compare(s.seq, seq)
		})
	if !ok {
		return Clock{}, false
	}
	s := c.steps[index]
	h := &c.processes[s.process]
	return Clock{seq: seq, process: s.process, processes: h.now.processes, count: s.count, known: h.knew(seq)}, true
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

// knew returns the knowledge of the process about others at a step that is kept.
func (h *history) knew(seq tracefmt.Seq) sparse.Vector {
	if after := h.lessonsUpTo(seq); after > 0 {
		return h.learnt[after-1].known
	}
	return sparse.Vector{}
}

// lessonsUpTo returns the number of changes of the knowledge of the process up to seq.
func (h *history) lessonsUpTo(seq tracefmt.Seq) int {
	after, _ := slices.BinarySearchFunc(h.learnt, seq+1,
		func(l lesson, seq tracefmt.Seq) int { return cmp.Compare(l.since, seq) })
	return after
}

// learn adds the knowledge of an earlier step to the latest step of h.
func (c *Clocks) learn(h *history, past Clock) {
	if h.now.Latest(past.process) >= past.seq {
		// A process that knows an event knows everything that happened before it.
		return
	}
	known := h.now.known
	if n := len(h.learnt); n > 0 && past.Latest(h.now.process) >= h.learnt[n-1].since {
		// past has seen this process since it last learnt something, so past.known includes all that it knows.
		known = sparse.Vector{}
	}
	h.now.known = c.space.JoinWith(known, past.known, int(past.process)-1, packed(past.seq, past.count))
	if n := len(h.learnt); n > 0 && h.learnt[n-1].since == h.now.seq {
		// The same step has a further cause.
		h.learnt[n-1].known = h.now.known
		return
	}
	h.learnt = append(h.learnt, lesson{h.now.seq, h.now.known})
}

// forgetOlderPart forgets the older of two parts of the past, so that one part of the required length always remains.
// It gives up if the clocks in use are too large.
func (c *Clocks) forgetOlderPart() {
	c.forget(c.aging)
	c.aging = c.seq
	if c.dropped-c.counted >= c.inUse {
		c.count()
	}
}

// forget drops the clocks of events up to seq, except those in use.
func (c *Clocks) forget(seq tracefmt.Seq) {
	c.forgotten, c.dropped = seq, c.words()
	old, _ := slices.BinarySearchFunc(c.steps, seq+1,
		func(s pastStep, seq tracefmt.Seq) int {
			return cmp.Compare(s.seq, seq)
		})
	c.steps = slices.Clone(c.steps[old:])
	for p := range c.processes {
		h := &c.processes[p]
		if after := h.lessonsUpTo(seq); after > 1 {
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
		c.incomplete = fmt.Sprintf("at seq %d the vector clocks of the %d processes and of the %d messages in flight take %.1f MB, "+
			"more than the %.1f MB that are kept for so many processes",
			c.seq, len(c.processes)-1, len(c.flights), float64(c.inUse)/mega, float64(c.limit)/mega)
	}
}
