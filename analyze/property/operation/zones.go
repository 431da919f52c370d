package operation

import (
	"fmt"

	"etrace/analyze/property/members"
	"etrace/replay"
	"etrace/tracefmt"
)

// zones decide the history of an object with only reads and assignments, where no value is assigned again while
// an earlier assignment of it can still be read: then the write of each read is certain (Gibbons and Korach,
// Testing Shared Memories, 1997).
//
// A write and the reads of its value are a cluster. One cluster precedes another if an operation of it ends
// before an operation of the other is invoked. An order of all operations exists if and only if no two clusters
// precede each other, and no read ends before its write is invoked. (The forward zone of a cluster extends from
// its first end to its last invocation; if the invocation is earlier, it is a backward zone. Two overlapping
// forward zones, and a backward zone within a forward zone, are two clusters that precede each other.)
//
// Clusters are numbered in the order of their first ends. The rank of an operation is the number of clusters that
// had an end when it was invoked. So one cluster precedes another if its number is below the other's rank. Each
// operation costs a look-up of its value and, amortized, one step.
type zones struct {
	byValue  map[string]*cluster // the last cluster of each value
	clusters []*cluster          // by number, without dropped ones
	dropped  int
	reads    []*operation // by invocation; the first read is open
	// Clusters below stale cannot be read any more without a violation; clusters below settled have been examined
	// for that.
	stale, settled int
	kept           int // the number of values counted in the budget
}

// cluster is a write and the reads of its value.
type cluster struct {
	value  string
	number int // -1 before its first end
	rank   int // the rank of the operation invoked last
	// write assigned the value, first is the operation that ended first, last the operation invoked last; nil for the
	// initial value.
	write, first, last *operation
	// within is the cluster whose forward zone contains the first end; it may be dropped already.
	within    *cluster
	valueText string // the value, for explanations
}

// conflict is the reason why no order explains the end of an operation: its cluster and another one precede each
// other or, without clusters, no cluster has the value.
type conflict struct {
	op            *operation
	first, second *cluster
	// forgotten is set if the cluster may have existed long ago.
	forgotten bool
	// ops and because explain the conflict of a lock: the other operations, and the reason.
	ops     []*operation
	because func(s *replay.State) string
	// soleOwner is the only process whose operations could have prevented it, 0 for any.
	soleOwner tracefmt.ProcessID
	// unless is the name of the operations that could have prevented it, "" for any.
	unless string
	// mayBeResolved is set if a failure of an operation that is still open would make an earlier end wrong.
	mayBeResolved bool
}

// newZones starts with a state that the operation from left, nil for the initial state.
func newZones(state, shown string, from *operation) *zones {
	start := &cluster{value: state, valueText: shown, first: from}
	return &zones{byValue: map[string]*cluster{state: start}, clusters: []*cluster{start}}
}

// nextNumber returns the number that the next cluster gets.
func (z *zones) nextNumber() int { return z.dropped + len(z.clusters) }

// invoke handles an invocation, and reports whether the zones still decide the history.
func (z *zones) invoke(op *operation) bool {
	op.rank = z.nextNumber()
	switch {
	case op.model.readsOnly:
		z.reads = append(z.reads, op)
		return true
	case !op.model.assigns:
		return false
	}
	value := op.model.convert(op.value)
	if c := z.byValue[value]; c != nil && !z.isStale(c) {
		return false
	}
	op.cluster = &cluster{
		value: value, number: -1, rank: op.rank, write: op, last: op,
		valueText: members.Short([]byte(op.value)),
	}
	z.byValue[value] = op.cluster
	return true
}

// isStale reports whether the cluster can no longer be read without a violation.
func (z *zones) isStale(c *cluster) bool { return 0 <= c.number && c.number < z.stale }

// end handles the end of an operation, which zones always decide.
func (z *zones) end(op *operation) (reason *conflict, decided bool) {
	if op.failed {
		return z.fail(op), true
	}
	return z.succeed(op), true
}

// succeed handles an operation that had an effect.
func (z *zones) succeed(op *operation) *conflict {
	c := op.cluster
	if op.model.readsOnly && op.result != "" {
		c = z.byValue[op.model.convert(op.result)]
		if c == nil {
			return &conflict{op: op, forgotten: z.dropped > 0}
		}
	}
	var second *cluster
	if c != nil {
		second = z.extend(c, op)
	}
	z.settleStale(op.ended)
	if second != nil {
		return &conflict{op: op, first: c, second: second}
	}
	return nil
}

// fail handles the failure of an operation, after its value may have been read.
func (z *zones) fail(op *operation) *conflict {
	c := op.cluster
	if c == nil { // it looks, or was known to fail when it was invoked
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

// sooner returns the earlier conflict that arises if a late failure explains a read of its value, otherwise c.
func (c *conflict) sooner(failed *operation) *conflict {
	u := failed.cluster
	// The value was never read, or not before the present conflict.
	if !failed.failed || u == nil || u.number < 0 || u.first.ended >= c.op.ended {
		return c
	}
	return &conflict{op: u.first}
}

// extend adds an ended operation to its cluster, and returns a cluster that then precedes it and follows it.
func (z *zones) extend(c *cluster, op *operation) *cluster {
	// The first end of an operation of the cluster gives the cluster its number.
	if c.number < 0 {
		c.number, c.first = z.nextNumber(), op
		z.clusters = append(z.clusters, c)
	}
	// Only a later invocation moves the end of the zone, and so its rank.
	if c.last != nil && op.called <= c.last.called {
		return nil
	}
	from := max(c.number+1, c.rank)
	c.rank, c.last = op.rank, op
	// The first end of c lies within an earlier zone, which c now reaches in turn.
	if c.within != nil && c.within.number < c.rank {
		return c.within
	}
	// c now precedes the clusters whose first ends it has reached. One of them that precedes c as well is the
	// conflict.
	for n := from; n < c.rank; n++ {
		u := z.clusters[n-z.dropped]
		if c.number < u.rank {
			return u
		}
		u.within = c
	}
	// settleStale has passed c already, so its new rank counts at once.
	if c.number < z.settled {
		z.stale = max(z.stale, min(c.rank, c.number))
	}
	return nil
}

// settleStale finds the clusters that cannot be read any more: clusters that precede one whose first end is before
// the invocations of all open reads.
func (z *zones) settleStale(now tracefmt.Seq) {
	// The first open read bounds the clusters that may still be read.
	for len(z.reads) > 0 && z.reads[0].ended != 0 && z.reads[0].ended <= now {
		z.reads = z.reads[1:]
	}
	settled := z.nextNumber()
	if len(z.reads) > 0 {
		settled = z.reads[0].rank
	}
	for ; z.settled < settled; z.settled++ {
		c := z.clusters[z.settled-z.dropped]
		z.stale = max(z.stale, min(c.rank, c.number))
	}
}

// dropOld drops what no longer matters, and counts the rest.
func (z *zones) dropOld(b *searchBudget) {
	b.values -= z.kept
	if z.forget(b.remembered); b.values+len(z.byValue) > b.operations {
		z.forget(0)
	}
	z.kept = len(z.byValue)
	b.values += z.kept
}

// drop subtracts the values from the budget.
func (z *zones) drop(b *searchBudget) { b.values -= z.kept }

// forget drops the oldest clusters beyond limit, if they cannot be read.
func (z *zones) forget(limit int) {
	for len(z.clusters) > limit && z.dropped < z.stale {
		c := z.clusters[0]
		if z.byValue[c.value] == c {
			delete(z.byValue, c.value)
		}
		z.clusters, z.dropped = z.clusters[1:], z.dropped+1
	}
}

// explain describes why no order of the operations permits the result.
func (c *conflict) explain(s *replay.State, h *history) string {
	switch {
	case c.because != nil:
		return c.because(s)
	case c.second != nil:
		return fmt.Sprintf("%s comes before %s (%s) and after it (%s)",
			c.first.valueText, c.second.valueText, c.first.precedenceText(s, c.second),
			c.second.precedenceText(s, c.first))
	case c.forgotten:
		return fmt.Sprintf("%s was never assigned, or can no longer be read", members.Short([]byte(c.op.result)))
	}
	initially := fmt.Sprintf("it held %s at first", h.stateText())
	if h.from != nil {
		initially = fmt.Sprintf("it held %s when the %s of process %s ended at seq %d", h.stateText(), h.from.name,
			s.Run.ProcessName(h.from.process), h.from.ended)
		if _, certain := h.from.stateAfter(); !certain {
			initially = "counting only the operations of the witness, " + initially
		}
	}
	return fmt.Sprintf("%s, and no %s of %s that did not fail was invoked since", initially, h.object.assign,
		members.Short([]byte(c.op.result)))
}

// precedenceText describes why a cluster precedes another one.
func (c *cluster) precedenceText(s *replay.State, second *cluster) string {
	if c.first == nil {
		return "it was there at first"
	}
	return fmt.Sprintf("the %s of process %s ended at seq %d, the %s of process %s was invoked at seq %d",
		c.first.name, s.Run.ProcessName(c.first.process), c.first.ended,
		second.last.name, s.Run.ProcessName(second.last.process), second.last.called)
}
