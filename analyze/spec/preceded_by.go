package spec

import (
	"fmt"
	"iter"
	"slices"

	"etrace/analyze"
	"etrace/replay"
	"etrace/tracefmt"
)

// preceded compiles "each A was preceded by B was preceded by C ..." to a plan.
func (p *pairMonitor) preceded(c *compiler, first *scope, form *eachForm) (*plan, error) {
	if form.Unless != nil {
		return nil, errorf(form.Unless.Pos, "unless belongs to: each ... leads to ...")
	}
	m := precededMonitor{pairMonitor: *p, itself: form.Itself != ""}
	if m.itself && (len(form.Preceded) > 1 || form.Preceded[0].Quorum != nil) {
		return nil, errorf(form.Pos, "is or was preceded by takes one pattern, without a quorum")
	}
	plan := &plan{kind: analyze.Safety, needs: p.trigger.words, kinds: p.trigger.kinds}
	for i, e := range form.Preceded {
		switch {
		case e.Quorum != nil && len(form.Preceded) > 1:
			return nil, errorf(e.Quorum.Pos, "a rule with a quorum has two patterns, not %d", len(form.Preceded)+1)
		case e.Quorum != nil:
			return p.quorum(c, first, e)
		}
		j, within, err := c.stage(first, e, false)
		if err != nil {
			return nil, err
		}
		m.stages = append(m.stages, store{pairing: j, window: window{span: within}})
		if within.within != forEver {
			m.window.span = within
		}
		plan.kinds |= j.matcher.kinds
		if i < len(form.Preceded)-1 {
			first = j.over
			first.firsts = j.atHand.passed()
		}
	}
	// Without joint conditions, only the doubts about the events themselves matter.
	m.plain = true
	for i := range m.stages {
		m.plain = m.plain && m.stages[i].condition == nil
		m.before = relied{distinct(m.before.events, m.stages[i].matcher.events), distinct(m.before.reads, m.stages[i].matcher.reads)}
	}
	plan.relies, plan.excuses = distinct(p.trigger.any(), m.before.reads), distinct(m.before.any(), p.trigger.reads)
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
	stages []store
	before relied // the facts of the later patterns
	// plain is set if the patterns are joined by equalities alone. laterDoubts has the events that may match a later
	// pattern.
	plain bool
	// laterDoubts has the needs by which recorded events may match a later pattern.
	laterDoubts doubtTable
	itself      bool // the event itself may match the second pattern
}

// store has the events of a pattern. If only the key matters, it stores that there was an event with the key.
// Otherwise it stores the events, as long as the time bound allows.
type store struct {
	*pairing
	window
	seen   table[struct{}]
	met    tracefmt.Seq // the first event, if no key and no condition matters
	recent map[key][]past
	size   int // the number of events in recent
}

// past is an earlier event of a later pattern: its time, and the values that conditions read.
type past struct {
	at   tracefmt.Time
	kept []value
}

// Step checks an event of the first pattern, and remembers an event of a later pattern. With "is or was preceded by",
// the event itself counts as its predecessor.
func (m *precededMonitor) Step(r *analyze.Result, s *replay.State, e *tracefmt.Event) {
	if !m.tick(r, e) || !m.wants(s, e) {
		return
	}
	if m.itself {
		m.take(r)
	}
	switch {
	case m.meets(m.trigger):
		if m.share.has(asked) {
			m.look(r)
		}
	case m.trigger.kinds.has(e.Kind) && m.stages[0].met == 0:
		m.noteDoubts(r, m.trigger.test)
	}
	if !m.itself {
		m.take(r)
	}
}

// take remembers the current event if it matches a later pattern.
func (m *precededMonitor) take(r *analyze.Result) {
	for i := range m.stages {
		st := &m.stages[i]
		if st.met != 0 {
			continue
		}
		m.doubtStage(r, st.pairing)
		st.now = m.window.now
		st.expire(st.forget)
		if !st.matcher.matches(m.frame) || i+1 < len(m.stages) && !m.preceded(&m.stages[i+1]) {
			continue
		}
		if k, ok := st.second.key(m.frame); ok && m.share.has(answer+i) {
			m.remember(r, st, k)
		}
	}
}

// doubtStage records the needs on which it rests whether the current event matches a later pattern, with its key.
func (m *precededMonitor) doubtStage(r *analyze.Result, j *pairing) {
	if !m.frame.partial() || len(m.before.reads) == 0 || !m.plain || !j.matcher.kinds.has(m.frame.event.Kind) {
		return
	}
	doubts := m.frame.doubtsOf(j.matcher.test, j.second)
	m.laterDoubts.add(m.frame.event, doubts)
	if _, keyed := j.second.key(m.frame); keyed && j.matcher.matches(m.frame) {
		r.Lacks(doubts...)
	}
}

// preceded reports whether the current event is preceded by an event of the stage st, which is further back and
// has not processed the current event yet.
func (m *precededMonitor) preceded(st *store) bool {
	k, ok := st.first.key(m.frame)
	st.now = m.window.now
	st.expire(st.forget)
	return ok && m.found(st, k)
}

// look checks whether the current event was preceded.
func (m *precededMonitor) look(r *analyze.Result) {
	st := &m.stages[0]
	st.now = m.window.now
	st.expire(st.forget)
	k, ok := st.first.key(m.frame)
	if !ok {
		r.Undecided(m.openReason())
		return
	}
	r.Examined++
	m.round.looked = m.frame.event.Seq
	if m.frame.partial() && len(m.program.reads) > 0 {
		r.Lacks(m.frame.openDoubts(nil, st.first)...)
	}
	if !m.found(st, k) && !m.shown() {
		r.ViolateUnless(m.unrecorded(k), func() string {
			return m.frame.describe() + "; expected " + m.wanted() +
				m.frame.called(m.trigger)
		}, m.frame.event.Seq)
	}
}

// unrecorded returns the needs for unrecorded events before the current one.
func (m *precededMonitor) unrecorded(k key) []analyze.Need {
	if !m.frame.partial() {
		return nil
	}
	first, needs := &m.stages[0], m.frame.doubtsOf(m.trigger.test, m.stages[0].first)
	at := first.place(m.frame, k)
	if first.byMessage {
		at = m.frame.event.Peer
	}
	needs = append(needs, m.between(at, 0, first.matcher.events)...)
	for i := range m.stages[1:] {
		at = 0
		needs = append(needs, m.anywhere(m.stages[i+1].matcher.events)...)
	}
	if m.plain {
		return append(needs, m.laterDoubts.since(0, at)...)
	}
	return append(needs, m.anywhere(m.before.reads)...)
}

// shown reports whether the current event itself shows that it was preceded: an arrival shows its send, though
// that is not recorded.
func (m *precededMonitor) shown() bool {
	return m.implied() && m.frame.partial() && m.frame.event.Cause == 0 &&
		m.frame.state.Coverage().DeclaredMissing(m.frame.event.Peer, tracefmt.Fact{Kind: tracefmt.Send}, 0, m.frame.event.Seq)
}

// implied reports whether the rule demands only that what arrives was sent.
func (m *precededMonitor) implied() bool {
	st := &m.stages[0]
	return len(m.stages) == 1 && st.carried && st.within == forEver && m.trigger.kinds&^setOf(arrivals) == 0
}

// Relies returns the facts that could be missing so that an event of the first pattern happened unrecorded. Needs
// of recorded events were reported for each.
func (m *precededMonitor) Relies(s *replay.State, end analyze.Ending) iter.Seq[analyze.Need] {
	m.frame.state = s
	switch {
	case !m.plain || m.unrecordedTrigger():
		return m.base.Relies(s, end)
	case m.implied():
		return nil
	}
	needs := m.possible(end, m.trigger)
	if met := m.stages[0].met; met != 0 { // every event after met is preceded
		for i := range needs {
			if n := &needs[i]; n.To == 0 || n.To > met {
				n.To = met
			}
		}
		needs = slices.DeleteFunc(needs, func(n analyze.Need) bool { return n.From >= n.To })
	}
	return slices.Values(needs)
}

// wanted describes what should have preceded.
func (m *precededMonitor) wanted() string {
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

// found reports whether the store has an event with the key of the current event, for which the other conditions
// hold.
func (m *precededMonitor) found(st *store, k key) bool {
	if st.keyed() {
		return st.seen.get(m.frame.names, &k) != nil
	}
	return slices.ContainsFunc(st.recent[k], func(p past) bool { return m.holds(st.pairing, p.kept) })
}

// keyed reports whether only the key matters.
func (st *store) keyed() bool { return st.within == forEver && st.condition == nil }

// remember stores the current event under its key. Without further conditions only the latest event of a key is kept.
func (m *precededMonitor) remember(r *analyze.Result, st *store, k key) {
	if st.keyed() {
		if st.seen.get(m.frame.names, &k) == nil {
			st.seen.put(m.frame.names, &k, struct{}{})
			if k == (key{}) && len(m.stages) == 1 {
				st.met = m.frame.event.Seq
			}
		}
		return
	}
	if st.recent == nil {
		st.recent = map[key][]past{}
	}
	list := st.recent[k]
	if st.condition == nil {
		st.size -= len(list)
		list = list[:0] // without a condition, the latest event is enough
	}
	if st.size++; st.size > mostPast {
		m.lose(r, fmt.Sprintf("more than %d events would have to be kept at seq %d", mostPast, m.frame.event.Seq))
		return
	}
	st.recent[k] = append(list, past{st.now, keptOf(m.frame, nil, st.keep)})
	if st.within != forEver {
		st.add(dated{st.now, k, m.frame.event.Seq})
	}
}

// forget drops the events that are at least as old as d, which is too old to count.
func (st *store) forget(d dated) {
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
	changes := m.program.timed
	for i := range m.stages {
		changes = changes || !m.stages[i].keyed()
	}
	m.judgeRound(r, end, changes)
	m.close(r, s)
}
