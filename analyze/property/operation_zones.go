package property

import (
	"fmt"

	"etrace/replay"
	"etrace/tracefmt"
)

// zones decide the history of an object that is only read and assigned to, where
// no value is assigned again while an earlier assignment of it can still be read:
// which write a read has read is then certain (Gibbons and Korach, Testing Shared
// Memories, 1997).
//
// A write and the reads of its value are a cluster. One comes before another if an
// operation of it ends before one of the other's is invoked. An order of all
// operations exists if and only if no two clusters come before each other, and no
// read ends before its write is invoked. (From the first end of a cluster to its
// last invocation is its forward zone, or its backward zone if the invocation is the
// earlier one. Two forward zones that overlap, and a backward zone within a forward
// one, are two clusters that come before each other.)
//
// Clusters have numbers in the order of their first ends, and operations have for the
// time of their invocation the number of clusters that had an end by then. So one
// cluster comes before another if its number is below the rank of the other, and each
// operation costs a look-up of its value and, all in all, one step.
type zones struct {
	byValue  map[string]*cluster // the last one of each value
	clusters []*cluster          // by number, but for those that were dropped
	dropped  int
	reads    []*operation // in the order of their invocations; the first one is open
	// Clusters below stale cannot be read any more, or two would come before each
	// other; those below settled have had their say in that.
	stale, settled int
	kept           int // values, as the budget knows
}

// cluster is a write and the reads of what it wrote.
type cluster struct {
	value  string
	number int // -1 before its first end
	rank   int // of the operation that was invoked last
	// first is the operation that ended first, last the one that was invoked last;
	// nil for what the object held at first.
	first, last *operation
	// within is the cluster whose forward zone contains the first end; it may be
	// one that was dropped.
	within *cluster
	shown  string // the value, for explanations
}

// conflict is why no order explains the end of an operation: its cluster and
// another one come before each other, or, with none, there is no such cluster.
type conflict struct {
	op         *operation
	one, other *cluster
	// forgotten: there may have been one, long ago.
	forgotten bool
	// seqs and because say it of a lock: by which events, and why.
	seqs    []tracefmt.Seq
	because func(s *replay.State) string
	// only is the process whose operations alone could have prevented it, 0 for any.
	only tracefmt.ProcessID
	// unless is the name of the operations of which a further one could have, "" for any.
	unless string
	// unsure: if an operation that was taken in and is open fails, an earlier end may be
	// wrong.
	unsure bool
}

// newZones begins with a state, which from left, nil if it was there at first.
func newZones(state, shown string, from *operation) *zones {
	start := &cluster{value: state, shown: shown, first: from}
	return &zones{byValue: map[string]*cluster{state: start}, clusters: []*cluster{start}}
}

// next is the number of the next cluster.
func (z *zones) next() int { return z.dropped + len(z.clusters) }

// invoke takes in an invocation, and reports whether zones still decide.
func (z *zones) invoke(op *operation) bool {
	op.rank = z.next()
	switch {
	case op.model.looks:
		z.reads = append(z.reads, op)
		return true
	case !op.model.assigns:
		return false
	}
	value := op.model.as(op.value)
	if c := z.byValue[value]; c != nil && !z.isStale(c) {
		return false
	}
	op.cluster = &cluster{value: value, number: -1, rank: op.rank, last: op, shown: short([]byte(op.value))}
	z.byValue[value] = op.cluster
	return true
}

func (z *zones) isStale(c *cluster) bool { return 0 <= c.number && c.number < z.stale }

// end takes in the end of an operation, which zones always decide.
func (z *zones) end(op *operation) (why *conflict, decided bool) {
	if op.failed {
		return z.fail(op), true
	}
	return z.succeed(op), true
}

// succeed takes in that an operation had an effect.
func (z *zones) succeed(op *operation) *conflict {
	c := op.cluster
	if op.model.looks && op.result != "" {
		c = z.byValue[op.model.as(op.result)]
		if c == nil {
			return &conflict{op: op, forgotten: z.dropped > 0}
		}
	}
	var other *cluster
	if c != nil {
		other = z.extend(c, op)
	}
	z.settle(op.ended)
	if other != nil {
		return &conflict{op: op, one: c, other: other}
	}
	return nil
}

// fail takes in that an operation failed, after it may have been read.
func (z *zones) fail(op *operation) *conflict {
	c := op.cluster
	if c == nil { // it looks, or was known to fail at its invocation
		return nil
	}
	if z.byValue[c.value] == c {
		delete(z.byValue, c.value)
	}
	if c.number < 0 {
		return nil
	}
	return &conflict{op: c.first}
}

// sooner returns the conflict that an operation which failed later makes of an
// earlier end, a read of what it did not write; c if it does not.
func (c *conflict) sooner(failed *operation) *conflict {
	u := failed.cluster
	if !failed.failed || u == nil || u.number < 0 || u.first.ended >= c.op.ended {
		return c
	}
	return &conflict{op: u.first}
}

// extend adds an operation that has ended to its cluster, and returns one that
// then comes before it and after it.
func (z *zones) extend(c *cluster, op *operation) *cluster {
	if c.number < 0 {
		c.number, c.first = z.next(), op
		z.clusters = append(z.clusters, c)
	}
	if c.last != nil && op.called <= c.last.called {
		return nil
	}
	from := max(c.number+1, c.rank)
	c.rank, c.last = op.rank, op
	if c.within != nil && c.within.number < c.rank {
		return c.within
	}
	for n := from; n < c.rank; n++ {
		u := z.clusters[n-z.dropped]
		if c.number < u.rank {
			return u
		}
		u.within = c
	}
	if c.number < z.settled {
		z.stale = max(z.stale, min(c.rank, c.number))
	}
	return nil
}

// settle finds out what cannot be read any more: what comes before a cluster whose
// first end is before the invocations of all open reads.
func (z *zones) settle(now tracefmt.Seq) {
	for len(z.reads) > 0 && z.reads[0].ended != 0 && z.reads[0].ended <= now {
		z.reads = z.reads[1:]
	}
	settled := z.next()
	if len(z.reads) > 0 {
		settled = z.reads[0].rank
	}
	for ; z.settled < settled; z.settled++ {
		c := z.clusters[z.settled-z.dropped]
		z.stale = max(z.stale, min(c.rank, c.number))
	}
}

// keep drops what need not be remembered, and counts what is.
func (z *zones) keep(b *searchBudget) {
	b.values -= z.kept
	if z.forget(b.remembered); b.values+len(z.byValue) > b.operations {
		z.forget(0)
	}
	z.kept = len(z.byValue)
	b.values += z.kept
}

// drop has the budget forget the values.
func (z *zones) drop(b *searchBudget) { b.values -= z.kept }

// forget drops the oldest clusters beyond a number of them, if they cannot be read.
func (z *zones) forget(most int) {
	for len(z.clusters) > most && z.dropped < z.stale {
		c := z.clusters[0]
		if z.byValue[c.value] == c {
			delete(z.byValue, c.value)
		}
		z.clusters, z.dropped = z.clusters[1:], z.dropped+1
	}
}

// witness lists the events that show the conflict: of each cluster the first end and
// the last invocation; without a cluster, what the stretch began with.
func (c *conflict) witness(from *operation) (seqs []tracefmt.Seq) {
	switch {
	case c.because != nil:
		return c.seqs
	case c.other != nil:
		return []tracefmt.Seq{c.one.first.endedAt(), c.other.last.called, c.other.first.endedAt(), c.one.last.called}
	case from != nil:
		return []tracefmt.Seq{from.ended}
	}
	return nil
}

// endedAt is the event with which the operation ended, 0 for none.
func (op *operation) endedAt() tracefmt.Seq {
	if op == nil {
		return 0
	}
	return op.ended
}

// explain says in words why no order explains the end of the operation.
func (c *conflict) explain(s *replay.State, h *history) string {
	switch {
	case c.because != nil:
		return c.because(s)
	case c.other != nil:
		return fmt.Sprintf("%s comes before %s (%s) and after it (%s)",
			c.one.shown, c.other.shown, c.one.before(s, c.other), c.other.before(s, c.one))
	case c.forgotten:
		return fmt.Sprintf("%s was never assigned, or can no longer be read", short([]byte(c.op.result)))
	}
	held := fmt.Sprintf("it held %s at first", h.shown())
	if h.from != nil {
		held = fmt.Sprintf("it held %s when the %s of process %s ended at seq %d", h.shown(), h.from.name,
			s.Run.ProcessName(h.from.process), h.from.ended)
	}
	return fmt.Sprintf("%s, and no %s of %s that did not fail was invoked since", held, h.object.assign, short([]byte(c.op.result)))
}

// before says why a cluster comes before another one.
func (c *cluster) before(s *replay.State, other *cluster) string {
	if c.first == nil {
		return "it was there at first"
	}
	return fmt.Sprintf("the %s of process %s ended at seq %d, the %s of process %s was invoked at seq %d",
		c.first.name, s.Run.ProcessName(c.first.process), c.first.ended,
		other.last.name, s.Run.ProcessName(other.last.process), other.last.called)
}
