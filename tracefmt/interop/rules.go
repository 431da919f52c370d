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
	// ruleTransitive: who knows an event knows what it knew.
	ruleTransitive = "transitive"
)

// checkRules looks at every event by file order, and leaves the findings
// sorted by line.
//
// To compare a clock with the previous one and with those of the direct
// causes is enough to find every log that is not transitive: if all these
// comparisons hold, then by induction along the order so do all others.
func (b *Builder) checkRules() {
	for id := range b.events {
		e := &b.events[id]
		if len(e.clock) == 0 {
			continue
		}
		b.checkKnownEvents(eventID(id))
		if e.previous != noEvent {
			b.checkKnows(eventID(id), e.previous, ruleMonotone)
		}
		for _, parent := range e.parents {
			b.checkKnows(eventID(id), parent, ruleTransitive)
		}
	}
	slices.SortStableFunc(b.Findings, func(one, other Finding) int { return cmp.Compare(one.Line, other.Line) })
}

func (b *Builder) checkKnownEvents(id eventID) {
	e := &b.events[id]
	for _, x := range e.clock {
		events := b.hosts[x.host].events
		switch {
		case len(events) == 0:
			b.Find(ruleKnownEvents, int(e.line), "%s knows event %d of %q, which has no events", b.name(id), x.value, b.hosts[x.host].name)
		case x.value > b.events[events[len(events)-1]].rank:
			b.lackAtEnd(x.host, x.value-b.events[events[len(events)-1]].rank)
			b.Find(ruleKnownEvents, int(e.line), "%s knows event %d of %q, whose last is %s", b.name(id), x.value, b.hosts[x.host].name, b.name(events[len(events)-1]))
		}
	}
}

// checkKnows finds an entry that is less than in an event of the past.
func (b *Builder) checkKnows(id, past eventID, rule string) {
	e, p := &b.events[id], &b.events[past]
	less, found := e.clock.firstLess(p.clock, e.host)
	if !found {
		return
	}
	b.Find(rule, int(e.line), "%s knows %s (%s), which has %s:%d, but has %s:%d itself; expected clock %s",
		b.name(id), b.name(past), b.r.lineText(int(p.line)), b.hosts[less].name, p.clock.at(less), b.hosts[less].name, e.clock.at(less), b.expected(e))
}

// expected writes the clock that the rules demand: the maximum over the
// previous event and the direct causes, and one own tick.
func (b *Builder) expected(e *event) string {
	own := entry{e.host, 1}
	past := e.parents
	if e.previous != noEvent {
		own.value = b.events[e.previous].own + 1
		past = append(slices.Clone(past), e.previous)
	}
	c := clock{own}
	for _, id := range past {
		for _, x := range b.events[id].clock {
			if x.host != e.host {
				c = append(c, x)
			}
		}
	}
	// Equal hosts by ascending value: normalise keeps the last.
	slices.SortFunc(c, func(one, other entry) int { return cmp.Compare(one.value, other.value) })
	c, _ = c.normalise()
	const most = 40
	if len(c) > most {
		return fmt.Sprintf("%s and %d more entries", b.appendClock(nil, c[:most]), len(c)-most)
	}
	return string(b.appendClock(nil, c))
}
