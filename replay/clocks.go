package replay

import (
	"cmp"
	"fmt"
	"maps"
	"slices"

	"etrace/tracefmt"
)

// Vector is a vector clock (Fidge 1988, Mattern 1989): the entry at p-1 counts
// the steps of process p that happened before an event or are the event
// itself. Two clocks are comparable if they are of events of one run.
type Vector []int32

// Before reports whether the event of v happened before that of w: no entry
// of v is greater and some entry is less. An event is not before itself.
func (v Vector) Before(w Vector) bool {
	less := false
	for i := range v {
		if v[i] > w[i] {
			return false
		}
		less = less || v[i] < w[i]
	}
	return less
}

// Concurrent reports whether neither event happened before the other and they
// are not the same.
func (v Vector) Concurrent(w Vector) bool {
	return !v.Before(w) && !w.Before(v) && !slices.Equal(v, w)
}

// maxClockEntries bounds what [Clocks] keeps: so many entries of clocks that
// later events may ask for, of 12 bytes, and as many again in use.
const maxClockEntries = 1 << 21

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
// A step costs what a vector has entries, and only where a process learns
// something; a send costs the same for any number of processes, and a cause that
// no message explains a binary search at each. Kept are the clocks of the
// processes and of the messages in flight. Since any later event may name any
// earlier one as its cause, kept are also, within a bound of two million
// entries, the clocks of past events, where a process learnt something; those
// between follow by counting.
type Clocks struct {
	processes []history // by ProcessID; 0 is unused
	flights   map[tracefmt.Seq]moment
	seq       tracefmt.Seq // the latest event
	// Clocks of events up to forgotten are no longer kept.
	forgotten  tracefmt.Seq
	kept       int // entries that the histories keep
	limit      int // maxClockEntries
	incomplete string
}

// history is what is kept of one process.
type history struct {
	now moment
	// learnt holds what the process knew of others since certain steps, the
	// first of them the earliest that is kept; steps are all since then.
	learnt []lesson
	steps  []tracefmt.Seq
}

// moment is the clock of one event: the process's own entry, and what it knows
// of others.
type moment struct {
	process tracefmt.ProcessID
	count   int32
	seq     tracefmt.Seq
	others  *knowledge // nil for nothing
}

// lesson says since which step of a process it knows what.
type lesson struct {
	since  tracefmt.Seq
	others *knowledge
}

// knowledge is a vector clock but for the entry of its own process, which
// changes with each step; so it is never changed and shared by the steps of a
// process and the messages that it sends. last are the events that the counts
// end in.
type knowledge struct {
	counts Vector
	last   []tracefmt.Seq
}

// NewClocks returns the clocks before the first event.
func NewClocks(run *tracefmt.Run) *Clocks {
	c := &Clocks{processes: make([]history, len(run.Members)+1), flights: make(map[tracefmt.Seq]moment), limit: maxClockEntries}
	for p := range c.processes {
		c.processes[p].now.process = tracefmt.ProcessID(p)
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
	h.steps = append(h.steps, e.Seq)
	for cause := range e.Causes() {
		c.follow(h, e, cause)
	}
	switch e.Kind {
	case tracefmt.Send:
		c.flights[e.Seq] = h.now
	case tracefmt.Receive:
		delete(c.flights, e.Cause)
	}
	if c.kept++; c.kept > c.limit {
		c.forget()
	}
}

// At returns the clock of the latest step of p, a process of the run; all
// zero before its first. The caller may keep it.
func (c *Clocks) At(p tracefmt.ProcessID) Vector {
	now := &c.processes[p].now
	v := make(Vector, len(c.processes)-1)
	if now.others != nil {
		copy(v, now.others.counts)
	}
	v[p-1] = now.count
	return v
}

// Cut returns the same as seqs, at p-1 for process p: the least consistent cut
// that holds the latest step of p, as the last event of each process in it, 0
// for none. The caller may keep it.
func (c *Clocks) Cut(p tracefmt.ProcessID) []tracefmt.Seq {
	return c.processes[p].now.cut(len(c.processes) - 1)
}

// CutOf returns the least consistent cut that holds an earlier step, as
// [Clocks.Cut] does; false if there is no such step, or its clock is not kept.
// The clock of a send is kept until the message is received or lost.
func (c *Clocks) CutOf(step tracefmt.Seq) ([]tracefmt.Seq, bool) {
	if step < 1 {
		return nil, false
	}
	m, ok := c.recall(step)
	if !ok {
		return nil, false
	}
	return m.cut(len(c.processes) - 1), true
}

// Latest returns the latest step of q that happened before the latest step of
// p or is that step, 0 for none.
func (c *Clocks) Latest(p, q tracefmt.ProcessID) tracefmt.Seq { return c.processes[p].now.latest(q) }

// Incomplete says why the clocks stand still: something that would be needed
// is no longer kept. It is "" as long as they are right.
func (c *Clocks) Incomplete() string { return c.incomplete }

// Clone returns a copy that goes its own way from here.
func (c *Clocks) Clone() *Clocks {
	d := *c
	d.processes = slices.Clone(c.processes)
	for p := range d.processes {
		// Clipped, so that what one of the two appends the other does not see.
		h := &d.processes[p]
		h.learnt, h.steps = slices.Clip(h.learnt), slices.Clip(h.steps)
	}
	d.flights = maps.Clone(c.flights)
	return &d
}

func (m *moment) cut(processes int) []tracefmt.Seq {
	cut := make([]tracefmt.Seq, processes)
	if m.others != nil {
		copy(cut, m.others.last)
	}
	cut[m.process-1] = m.seq
	return cut
}

func (m *moment) latest(q tracefmt.ProcessID) tracefmt.Seq {
	switch {
	case q == m.process:
		return m.seq
	case m.others == nil:
		return 0
	}
	return m.others.last[q-1]
}

// follow makes the event, the latest step of h, come after its cause.
func (c *Clocks) follow(h *history, e *tracefmt.Event, cause tracefmt.Seq) {
	if cause < 1 {
		return
	}
	if m, ok := c.recall(cause); ok {
		c.learn(h, m)
		return
	}
	duplicate := e.Kind == tracefmt.Receive && e.Peer > 0 && int(e.Peer) < len(c.processes) && h.now.latest(e.Peer) >= cause
	if cause <= c.forgotten && !duplicate {
		c.incomplete = fmt.Sprintf("seq %d names seq %d as its cause, which lies too far back for its clock to be kept", e.Seq, cause)
	}
}

// recall returns the clock of an earlier step, if there is one of that seq
// and it is kept.
func (c *Clocks) recall(seq tracefmt.Seq) (moment, bool) {
	if m, ok := c.flights[seq]; ok {
		return m, true
	}
	for i := range c.processes {
		h := &c.processes[i]
		if at, ok := slices.BinarySearch(h.steps, seq); ok {
			later := int32(len(h.steps) - 1 - at)
			return moment{h.now.process, h.now.count - later, seq, h.knew(seq)}, true
		}
	}
	return moment{}, false
}

// knew returns what the process knew of others at a step that is kept.
func (h *history) knew(seq tracefmt.Seq) *knowledge {
	after, _ := slices.BinarySearchFunc(h.learnt, seq+1, func(l lesson, seq tracefmt.Seq) int { return cmp.Compare(l.since, seq) })
	if after == 0 {
		return nil
	}
	return h.learnt[after-1].others
}

// learn adds to the latest step of h what was known at m.
func (c *Clocks) learn(h *history, m moment) {
	if h.now.latest(m.process) >= m.seq {
		return // who knows an event knows all that happened before it
	}
	n := len(c.processes) - 1
	k := &knowledge{counts: make(Vector, n), last: make([]tracefmt.Seq, n)}
	if old := h.now.others; old != nil {
		copy(k.counts, old.counts)
		copy(k.last, old.last)
	}
	if m.others != nil {
		for i, seq := range m.others.last {
			if seq > k.last[i] {
				k.last[i], k.counts[i] = seq, m.others.counts[i]
			}
		}
	}
	k.last[m.process-1], k.counts[m.process-1] = m.seq, m.count
	h.now.others = k
	h.learnt = append(h.learnt, lesson{h.now.seq, k})
	c.kept += n
}

// forget drops the clocks of the past, and gives up if those in use are too
// many.
func (c *Clocks) forget() {
	inUse := make(map[*knowledge]bool)
	for p := range c.processes {
		h := &c.processes[p]
		h.learnt, h.steps = nil, []tracefmt.Seq{h.now.seq}
		if k := h.now.others; k != nil {
			h.learnt = []lesson{{0, k}}
			inUse[k] = true
		}
	}
	for _, m := range c.flights {
		if m.others != nil {
			inUse[m.others] = true
		}
	}
	c.kept, c.forgotten = 0, c.seq
	if entries := len(inUse) * (len(c.processes) - 1); entries > c.limit {
		c.incomplete = fmt.Sprintf("at seq %d the vector clocks of the processes and of the messages in flight have %d entries, more than the %d that are kept", c.seq, entries, c.limit)
	}
}
