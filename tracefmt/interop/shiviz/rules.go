package shiviz

import (
	"cmp"
	"fmt"
	"slices"

	"etrace/tracefmt/interop"
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
func (h *history) checkRules() {
	for id := range h.events {
		e := &h.events[id]
		h.checkKnownEvents(eventID(id))
		if e.previous != noEvent {
			h.checkKnows(eventID(id), e.previous, ruleMonotone)
		}
		for _, parent := range e.parents {
			h.checkKnows(eventID(id), parent, ruleTransitive)
		}
	}
	slices.SortStableFunc(h.report.Findings, func(a, b interop.Finding) int { return cmp.Compare(a.Line, b.Line) })
}

func (h *history) checkKnownEvents(id eventID) {
	e := &h.events[id]
	for _, x := range e.clock {
		events := h.hosts[x.host].events
		switch {
		case len(events) == 0:
			h.report.Find(ruleKnownEvents, int(e.line), "%s knows event %d of %q, which has no events", h.name(id), x.value, h.hosts[x.host].name)
		case x.value > h.events[events[len(events)-1]].own:
			h.report.Find(ruleKnownEvents, int(e.line), "%s knows event %d of %q, whose last is %s", h.name(id), x.value, h.hosts[x.host].name, h.name(events[len(events)-1]))
		}
	}
}

// checkKnows finds an entry that is less than in an event of the past.
func (h *history) checkKnows(id, past eventID, rule string) {
	e, p := &h.events[id], &h.events[past]
	less, found := e.clock.firstLess(p.clock, e.host)
	if !found {
		return
	}
	h.report.Find(rule, int(e.line), "%s knows %s (line %d), which has %s:%d, but has %s:%d itself; expected clock %s",
		h.name(id), h.name(past), p.line, h.hosts[less].name, p.clock.at(less), h.hosts[less].name, e.clock.at(less), h.expected(e))
}

// expected writes the clock that the rules demand: the maximum over the
// previous event and the direct causes, and one own tick.
func (h *history) expected(e *logEvent) string {
	own := entry{e.host, 1}
	past := e.parents
	if e.previous != noEvent {
		own.value = h.events[e.previous].own + 1
		past = append(slices.Clone(past), e.previous)
	}
	c := clock{own}
	for _, id := range past {
		for _, x := range h.events[id].clock {
			if x.host != e.host {
				c = append(c, x)
			}
		}
	}
	// Equal hosts by ascending value: normalise keeps the last.
	slices.SortFunc(c, func(a, b entry) int { return cmp.Compare(a.value, b.value) })
	c, _ = c.normalise()
	const most = 40
	if len(c) > most {
		return fmt.Sprintf("%s and %d more entries", h.appendClock(nil, c[:most]), len(c)-most)
	}
	return string(h.appendClock(nil, c))
}
