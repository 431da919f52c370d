package interop

import (
	"cmp"
	"fmt"
	"slices"
)

// The rules of vector clocks, as findings name them. What breaks the order
// itself (no own entry, an own value twice, a cycle) is an error instead.
//
// That a clock is the maximum of the previous event's and the direct causes'
// clocks plus one own tick needs no rule of its own: it is more than that
// only by an entry which is not known-events, and less only by one which is
// not monotone or not transitive. Findings of these show the maximum.
const (
	// ruleUniqueKeys: a clock names each host once.
	ruleUniqueKeys = "unique-keys"
	// ruleOwnSequence: the own values of a host are 1, 2, …, n.
	ruleOwnSequence = "own-sequence"
	// ruleKnownEvents: an entry names a host that has events, and at most its
	// last one.
	ruleKnownEvents = "known-events"
	// ruleMonotone: no entry is less than in the host's previous event.
	ruleMonotone = "monotone"
	// ruleTransitive: an event that knows another event knows all that the other one knew.
	ruleTransitive = "transitive"
)

// checkRules reports the events whose clocks violate a rule, in the order of the file.
//
// A comparison with the previous event and with the direct causes suffices: if all these comparisons hold, then
// by induction along the order every pair of events is consistent.
func (b *Builder) checkRules() {
	if len(b.memory) == 0 {
		return
	}
	for id, e := range b.entries() {
		if e.clock.len() == 0 {
			continue
		}
		b.checkKnownEvents(id)
		if e.previous != noEvent {
			b.checkKnows(id, e.previous, ruleMonotone)
		}
		for _, parent := range b.causes(e.parents) {
			b.checkKnows(id, parent, ruleTransitive)
		}
	}
}

// checkKnownEvents reports entries of the event's clock that name a host without events, or a later event than
// the last one of the host.
func (b *Builder) checkKnownEvents(id eventID) {
	e := b.at(id)
	for _, x := range b.clockOf(e) {
		events := b.hosts[x.host].events
		if len(events) == 0 {
			b.Find(ruleKnownEvents, int(e.line), "%s knows event %d of %q, which has no events", b.nameOf(id), x.value, b.hosts[x.host].name)
			continue
		}
		last := events[len(events)-1]
		if rank := b.at(last).rank; x.value > rank {
			b.lackAtEnd(x.host, x.value-rank)
			b.Find(
				ruleKnownEvents, int(e.line), "%s knows event %d of %q, whose last is %s", b.nameOf(id), x.value,
				b.hosts[x.host].name, b.nameOf(last),
			)
		}
	}
}

// checkKnows reports entries of the event's clock that are less than in the clock of an event of its past.
func (b *Builder) checkKnows(id, past eventID, rule string) {
	e, p := b.at(id), b.at(past)
	clock, cause := b.clockOf(e), b.clockOf(p)
	less, found := clock.firstLess(cause, e.host)
	if !found {
		return
	}
	b.Find(rule, int(e.line), "%s knows %s (%s), which has %s:%d, but has %s:%d itself; expected clock %s",
		b.nameOf(id), b.nameOf(past), b.r.lineText(int(p.line)), b.hosts[less].name, cause.at(less),
		b.hosts[less].name, clock.at(less), b.expected(e))
}

// expected returns the clock that the rules demand, as text: the maximum over the previous event and the direct
// causes, plus one own tick.
func (b *Builder) expected(e *event) string {
	first := entry{e.host, 1}
	past := b.causes(e.parents)
	if e.previous != noEvent {
		first.value = b.at(e.previous).tick + 1
		past = append(past, e.previous)
	}
	c := clock{first}
	for _, id := range past {
		for _, x := range b.clockOf(b.at(id)) {
			if x.host != e.host {
				c = append(c, x)
			}
		}
	}
	// Equal hosts by ascending value: normalise keeps the last.
	slices.SortFunc(c, func(x, y entry) int { return cmp.Compare(x.value, y.value) })
	c, _ = c.normalise()
	const limit = 40
	if len(c) > limit {
		return fmt.Sprintf("%s and %d more entries", b.appendClock(nil, c[:limit]), len(c)-limit)
	}
	return string(b.appendClock(nil, c))
}
