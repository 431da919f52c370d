package spec

import (
	"fmt"
	"iter"
	"slices"

	"etrace/analyze"
	"etrace/replay"
	"etrace/tracefmt"
)

// compilePreceded compiles "each A was preceded by B was preceded by C ..." to a plan.
func (p *pairMonitor) compilePreceded(c *compiler, first *scope, form *eachForm) (*plan, error) {
	if form.Unless != nil {
		return nil, errorf(form.Unless.Pos, "unless belongs to: each ... leads to ...")
	}
	m := precededMonitor{pairMonitor: *p, itself: form.Itself != ""}
	if m.itself && (len(form.Preceded) > 1 || form.Preceded[0].Quorum != nil) {
		return nil, errorf(form.Pos, "is or was preceded by takes one pattern, without a quorum")
	}
	plan := &plan{kind: analyze.Safety, needs: p.trigger.description, kinds: p.trigger.kinds}
	for i, e := range form.Preceded {
		switch {
		case e.Quorum != nil && len(form.Preceded) > 1:
			return nil, errorf(e.Quorum.Pos, "a rule with a quorum has two patterns, not %d", len(form.Preceded)+1)
		case e.Quorum != nil:
			return p.compileQuorum(c, first, e)
		}
		j, bound, err := c.laterPattern(first, e, false)
		if err != nil {
			return nil, err
		}
		m.stages = append(m.stages, predecessors{pairing: j, window: window{span: bound}})
		if bound.within != forEver {
			m.window.span = bound
		}
		plan.kinds |= j.matcher.kinds
		if i < len(form.Preceded)-1 {
			first = j.earlierScope
			first.earlierEvents = j.currentScope.eventNames()
		}
	}
	// Without joint conditions, only the doubts about the events themselves matter.
	m.equalitiesOnly = true
	for i := range m.stages {
		m.equalitiesOnly = m.equalitiesOnly && m.stages[i].condition == nil
		m.laterFacts = relied{
			distinct(m.laterFacts.events, m.stages[i].matcher.events),
			distinct(m.laterFacts.reads, m.stages[i].matcher.reads),
		}
	}
	plan.relies, plan.excuses = distinct(p.trigger.allFacts(), m.laterFacts.reads),
		distinct(m.laterFacts.allFacts(), p.trigger.reads)
	plan.triggers = p.trigger.triggers()
	var before []*pairing
	for i := range m.stages {
		before = append(before, m.stages[i].pairing)
	}
	plan.split = p.split(before, nil, m.window.within)
	plan.monitor = func(b base) analyze.Monitor {
		monitor := m
		monitor.base, monitor.stages = b, slices.Clone(m.stages)
		return &monitor
	}
	return plan, nil
}

// precededMonitor remembers the events of the later patterns. An event of a later pattern that was not itself
// preceded as demanded does not count.
type precededMonitor struct {
	pairMonitor
	stages     []predecessors
	laterFacts relied // the facts of the later patterns
	// equalitiesOnly is set if the patterns are joined by equalities alone. laterDoubts has the events that may match
	// a later pattern.
	equalitiesOnly bool
	// laterDoubts has the needs by which recorded events may match a later pattern.
	laterDoubts doubtTable
	itself      bool // the event itself may match the second pattern
}

// predecessors stores the events of a later pattern. If only the key matters, it stores that there was an event with
// the key. Otherwise it stores the events, as long as the time bound allows.
type predecessors struct {
	*pairing
	window
	seen       table[struct{}]
	firstMatch tracefmt.Seq // the first event, if no key and no condition matters
	recent     map[key][]pastEvent
	size       int // the number of events in recent
}

// pastEvent is an earlier event of a later pattern: its time, and the values that conditions read.
type pastEvent struct {
	at   tracefmt.Time
	kept []value
}

// Step checks an event of the first pattern, and remembers an event of a later pattern. With "is or was preceded by",
// the event itself counts as its predecessor.
func (m *precededMonitor) Step(r *analyze.Result, s *replay.State, e *tracefmt.Event) {
	if !m.tick(r, e) || !m.beginEvent(s, e) {
		return
	}
	if m.itself {
		m.rememberIfMatching(r)
	}
	switch {
	case m.matches(m.trigger):
		if m.share.ownsSide(triggerSide) {
			m.checkTrigger(r)
		}
	// Once an event that precedes all later ones was seen, it does not matter whether this event matches.
	case m.trigger.kinds.has(e.Kind) && m.stages[0].firstMatch == 0:
		m.noteDoubts(r, m.trigger.test)
	}
	if !m.itself {
		m.rememberIfMatching(r)
	}
}

// rememberIfMatching remembers the current event if it matches a later pattern.
func (m *precededMonitor) rememberIfMatching(r *analyze.Result) {
	for i := range m.stages {
		st := &m.stages[i]
		// One event is enough if neither a key nor a condition matters.
		if st.firstMatch != 0 {
			continue
		}
		m.noteStageDoubts(r, st.pairing)
		st.now = m.window.now
		st.expire(st.dropExpired)
		// In a chain, an event counts only if an event of the next stage precedes it.
		if !st.matcher.matches(m.frame) || i+1 < len(m.stages) && !m.isPreceded(&m.stages[i+1]) {
			continue
		}
		if k, ok := st.second.key(m.frame); ok && m.share.ownsSide(answerSide+i) {
			m.remember(r, st, k)
		}
	}
}

// noteStageDoubts records the needs on which it rests whether the current event matches a later pattern, with its key.
func (m *precededMonitor) noteStageDoubts(r *analyze.Result, j *pairing) {
	if !m.frame.partial() || len(m.laterFacts.reads) == 0 || !m.equalitiesOnly ||
		!j.matcher.kinds.has(m.frame.event.Kind) {
		return
	}
	doubts := m.frame.doubtsOf(j.matcher.test, j.second)
	m.laterDoubts.add(m.frame.event, doubts)
	if _, keyed := j.second.key(m.frame); keyed && j.matcher.matches(m.frame) {
		r.Lacks(doubts...)
	}
}

// isPreceded reports whether an event of st precedes the current one. st is the next stage back, and has not stored the
// current event yet.
func (m *precededMonitor) isPreceded(st *predecessors) bool {
	k, ok := st.first.key(m.frame)
	st.now = m.window.now
	st.expire(st.dropExpired)
	return ok && m.isStored(st, k)
}

// checkTrigger checks whether the current event was preceded.
func (m *precededMonitor) checkTrigger(r *analyze.Result) {
	st := &m.stages[0]
	st.now = m.window.now
	st.expire(st.dropExpired)
	k, ok := st.first.key(m.frame)
	if !ok {
		r.Undecided(m.openReason())
		return
	}
	r.Examined++
	m.round.lastExamined = m.frame.event.Seq
	if m.frame.partial() && len(m.program.facts) > 0 {
		r.Lacks(m.frame.missingDoubtsOf(nil, st.first)...)
	}
	if !m.isStored(st, k) && !m.provesItself() {
		r.ViolateUnless(m.unrecordedBefore(k), func() string {
			return m.frame.describe() + "; expected " + m.expectedText() +
				m.frame.nameRemark(m.trigger)
		}, m.frame.event.Seq)
	}
}

// unrecordedBefore returns the needs for unrecorded events before the current one.
func (m *precededMonitor) unrecordedBefore(k key) []analyze.Need {
	if !m.frame.partial() {
		return nil
	}
	first, needs := &m.stages[0], m.frame.doubtsOf(m.trigger.test, m.stages[0].first)
	process := first.processOf(m.frame, k)
	if first.byMessage {
		process = m.frame.event.Peer
	}
	needs = append(needs, m.needsSince(process, 0, first.matcher.events)...)
	for i := range m.stages[1:] {
		process = 0
		needs = append(needs, m.needsAnywhere(m.stages[i+1].matcher.events)...)
	}
	if m.equalitiesOnly {
		return append(needs, m.laterDoubts.since(0, process)...)
	}
	return append(needs, m.needsAnywhere(m.laterFacts.reads)...)
}

// provesItself reports whether the current event proves its predecessor: an arrival proves its send, even an unrecorded
// one.
func (m *precededMonitor) provesItself() bool {
	return m.onlySendOfArrival() && m.frame.partial() && m.frame.event.Cause == 0 &&
		m.frame.state.Coverage().DeclaredMissing(m.frame.event.Peer, tracefmt.Fact{Kind: tracefmt.Send}, 0,
			m.frame.event.Seq)
}

// onlySendOfArrival reports whether the rule demands only that each arriving message was sent.
func (m *precededMonitor) onlySendOfArrival() bool {
	st := &m.stages[0]
	return len(m.stages) == 1 && st.carried && st.within == forEver && m.trigger.kinds&^setOf(arrivals) == 0
}

// Relies returns the facts that decide whether an event of the first pattern happened unrecorded. Step has reported the
// needs of recorded events.
func (m *precededMonitor) Relies(s *replay.State, end analyze.Ending) iter.Seq[analyze.Need] {
	m.frame.state = s
	switch {
	case !m.equalitiesOnly || m.unrecordedTrigger():
		return m.base.Relies(s, end)
	case m.onlySendOfArrival():
		return nil
	}
	needs := m.possibleEvents(end, m.trigger)
	if met := m.stages[0].firstMatch; met != 0 { // every event after met is preceded
		for i := range needs {
			if n := &needs[i]; n.To == 0 || n.To > met {
				n.To = met
			}
		}
		needs = slices.DeleteFunc(needs, func(n analyze.Need) bool { return n.From >= n.To })
	}
	return slices.Values(needs)
}

// expectedText describes the event that should have preceded.
func (m *precededMonitor) expectedText() string {
	text := ""
	for i := range m.stages {
		switch {
		case i > 0:
			text += ", itself preceded by "
		case m.itself:
			text += "this or an earlier event to be "
		default:
			text += "an earlier "
		}
		text += m.stages[i].matcher.source + m.stages[i].text
	}
	return text
}

// isStored reports whether the store has an event with the key of the current event, for which the other conditions
// hold.
func (m *precededMonitor) isStored(st *predecessors, k key) bool {
	if st.keyOnly() {
		return st.seen.get(m.frame.names, &k) != nil
	}
	return slices.ContainsFunc(st.recent[k], func(p pastEvent) bool { return m.holds(st.pairing, p.kept) })
}

// keyOnly reports whether only the key matters.
func (st *predecessors) keyOnly() bool { return st.within == forEver && st.condition == nil }

// remember stores the current event under its key. Without further conditions only the latest event of a key is kept.
func (m *precededMonitor) remember(r *analyze.Result, st *predecessors, k key) {
	if st.keyOnly() {
		if st.seen.get(m.frame.names, &k) == nil {
			st.seen.put(m.frame.names, &k, struct{}{})
			if k == (key{}) && len(m.stages) == 1 {
				st.firstMatch = m.frame.event.Seq
			}
		}
		return
	}
	if st.recent == nil {
		st.recent = map[key][]pastEvent{}
	}
	list := st.recent[k]
	if st.condition == nil {
		st.size -= len(list)
		list = list[:0] // without a condition, the latest event is enough
	}
	if st.size++; st.size > maxPast {
		m.giveUp(r, fmt.Sprintf("more than %d events would have to be kept at seq %d", maxPast, m.frame.event.Seq))
		return
	}
	st.recent[k] = append(list, pastEvent{st.now, appendKept(m.frame, nil, st.keep)})
	if st.within != forEver {
		st.add(dated{st.now, k, m.frame.event.Seq})
	}
}

// dropExpired drops the events that are at least as old as d, which is too old to count.
func (st *predecessors) dropExpired(d dated) {
	list := st.recent[d.key]
	for len(list) > 0 && list[0].at <= d.at {
		list = list[1:]
		st.size--
	}
	st.recent[d.key] = list
	if len(list) == 0 {
		delete(st.recent, d.key)
	}
}

// End closes the rule. In a loop, stored events or times may differ from round to round.
func (m *precededMonitor) End(r *analyze.Result, s *replay.State, end analyze.Ending) {
	changes := m.program.readsGrowing
	for i := range m.stages {
		changes = changes || !m.stages[i].keyOnly()
	}
	m.judgeRound(r, end, changes)
	m.finish(r, s)
}
