package spec

import (
	"fmt"
	"iter"
	"slices"

	"etrace/analyze"
	"etrace/replay"
	"etrace/tracefmt"
)

// compileLeads compiles "each A leads to B ... since S unless R" to a plan. A rule with a bound on time is a safety
// property: a missed deadline stays missed in every continuation.
func (p *pairMonitor) compileLeads(c *compiler, first *scope, form *eachForm) (*plan, error) {
	m := leadsMonitor{pairMonitor: *p}
	plan := &plan{kind: analyze.Safety, needs: p.trigger.description, kinds: p.trigger.kinds}
	from := first
	for _, e := range form.Answers {
		if e.Quorum != nil {
			return nil, errorf(e.Quorum.Pos, "how many belongs to: each ... was preceded by ...")
		}
		j, bound, err := c.laterPattern(from, e, true)
		if err != nil {
			return nil, err
		}
		m.stages = append(m.stages, answerStage{pairing: j, span: bound})
		if bound.within != forEver {
			m.window.span = bound
		} else {
			plan.kind = analyze.Liveness // what is overdue is so however the run goes on
		}
		plan.kinds |= j.matcher.kinds
		from = j.currentScope
	}
	if form.Since != nil {
		var err error
		m.sinceEvent, err = c.since(first, form, m.stages)
		if err != nil {
			return nil, err
		}
	}
	if form.Unless != nil {
		var err error
		m.release, err = c.scope.join(first, form.Unless, true)
		if err != nil {
			return nil, err
		}
		if len(m.release.first) == 0 && m.release.condition != nil && !c.AllowQuadratic {
			return nil, quadraticError(form.Unless)
		}
		plan.kinds |= m.release.matcher.kinds
	}
	m.equalitiesOnly = m.release == nil || m.release.condition == nil
	for i := range m.stages {
		m.equalitiesOnly = m.equalitiesOnly && m.stages[i].condition == nil
	}
	m.noteFacts(plan)
	var answers []*pairing
	for i := range m.stages {
		answers = append(answers, m.stages[i].pairing)
	}
	plan.split = p.split(answers, m.release, m.window.within)
	if len(answers) > 1 && plan.split.timed {
		plan.split = noSplit("it bounds the time of one step of several")
	}
	plan.monitor = func(b base) analyze.Monitor {
		monitor := m
		monitor.base, monitor.stages, monitor.earlyAnswers = b, slices.Clone(m.stages), map[key]tracefmt.Seq{}
		for i := range monitor.stages {
			monitor.stages[i].ledger = newLedger()
		}
		return &monitor
	}
	return plan, nil
}

// since compiles the expression after "since": the event from which answers count.
func (c *compiler) since(first *scope, form *eachForm, stages []answerStage) (eval, error) {
	if len(stages) != 1 || stages[0].condition != nil || stages[0].within != forEver {
		return nil, errorf(form.Pos, "since belongs to: each ... leads to ... with one answer, joined by equalities, and without a time")
	}
	n, err := lowerSum(form.Since)
	if err != nil {
		return nil, err
	}
	return first.value(first.resolve(n), typNumber)
}

// leadsMonitor keeps the open obligations: the events of the first pattern without an answer. If the answer must
// itself lead to something, the obligation moves to the next stage with the first answer.
type leadsMonitor struct {
	pairMonitor
	stages     []answerStage
	release    *pairing // nil: no pattern releases an obligation
	laterFacts relied   // the facts of the later patterns
	// equalitiesOnly is set if the patterns are joined by equalities alone. laterDoubts has the needs by which recorded
	// events may match a later pattern.
	equalitiesOnly bool
	laterDoubts    doubtTable
	doubts         []analyze.Need // memory
	// sinceEvent computes the event after which an answer counts even if it came before the event that asks for it; nil
	// without "since". earlyAnswers has, by key, the latest answers that no recorded event had asked for.
	sinceEvent   eval
	earlyAnswers map[key]tracefmt.Seq
}

// noteFacts sets the facts of the plan. The first of several answers decides, so an unrecorded answer may demand
// a further answer that is missing.
func (m *leadsMonitor) noteFacts(p *plan) {
	for i := range m.stages {
		answer := m.stages[i].matcher
		m.laterFacts = relied{distinct(m.laterFacts.events, answer.events), distinct(m.laterFacts.reads, answer.reads)}
		if i < len(m.stages)-1 {
			p.relies = distinct(p.relies, answer.events)
		}
	}
	if m.release != nil {
		m.laterFacts.reads = distinct(m.laterFacts.reads, m.release.matcher.reads)
		p.excuses = m.release.matcher.events
	}
	p.relies = distinct(m.trigger.allFacts(), p.relies, m.laterFacts.reads)
	p.excuses = distinct(m.laterFacts.allFacts(), p.excuses, m.trigger.reads)
	p.triggers = m.trigger.triggers()
}

// unrecordedAnswers returns the needs for unrecorded events that may have answered or released an obligation.
func (m *leadsMonitor) unrecordedAnswers(stage int, o *obligation) []analyze.Need {
	if !m.frame.partial() {
		return nil
	}
	needs := slices.Clone(o.doubts)
	// A single answer came after its trigger, at a known process perhaps. In a chain, an unrecorded answer of any
	// stage may lead to the missing one.
	if stage == 0 && len(m.stages) == 1 {
		answering := o.peer
		if answering == 0 {
			answering = m.stages[0].processOf(m.frame, o.keys[byAnswer])
		}
		if !o.lost {
			needs = append(needs, m.needsSince(answering, o.countsAfter(), m.stages[0].matcher.events)...)
		}
	} else {
		needs = append(needs, m.needsSince(0, o.origin, m.laterFacts.events)...)
	}
	if m.release != nil {
		needs = append(needs, m.needsSince(m.release.processOf(m.frame, o.keys[byRelease]), o.origin,
			m.release.matcher.events)...)
	}
	if !m.equalitiesOnly {
		return append(needs, m.needsAnywhere(m.laterFacts.reads)...)
	}
	return append(needs, m.laterDoubts.since(o.countsAfter(), m.answeringProcess(stage, o))...)
}

// answeringProcess returns the process of all events that can close an obligation, 0 if there may be several.
func (m *leadsMonitor) answeringProcess(stage int, o *obligation) tracefmt.ProcessID {
	if len(m.stages) > 1 || m.release != nil {
		return 0
	}
	if o.peer != 0 {
		return o.peer
	}
	return m.stages[stage].processOf(m.frame, o.keys[byAnswer])
}

// noteLaterDoubts records the needs on which it rests whether the current event closes an obligation.
func (m *leadsMonitor) noteLaterDoubts(r *analyze.Result, j *pairing) {
	// If other conditions join the events, unrecordedAnswers adds all facts that these read.
	if !m.frame.partial() || len(m.laterFacts.reads) == 0 || !m.equalitiesOnly ||
		!j.matcher.kinds.has(m.frame.event.Kind) {
		return
	}
	doubts := m.frame.doubtsOf(j.matcher.test, j.second)
	m.laterDoubts.add(m.frame.event, doubts)
	if j.matcher.matches(m.frame) {
		r.Lacks(doubts...)
	}
}

// Relies returns the facts that decide whether an unrecorded event opened an obligation that stays unanswered. Step has
// reported the needs of recorded events.
func (m *leadsMonitor) Relies(s *replay.State, end analyze.Ending) iter.Seq[analyze.Need] {
	var needs []analyze.Need
	m.frame.state = s
	if !m.equalitiesOnly || m.unrecordedTrigger() {
		return m.base.Relies(s, end)
	}
	needs = m.possibleEvents(end, m.trigger)
	for i := range m.stages[:len(m.stages)-1] {
		needs = append(needs, m.possibleEvents(end, m.stages[i].matcher)...)
	}
	return slices.Values(needs)
}

// answerStage has the obligations that wait for an event of one pattern.
type answerStage struct {
	*pairing
	span
	ledger      ledger
	loopAnswers loopAnswers
}

// Step closes the obligations that the event answers or releases, then opens one if the event matches the first
// pattern. Overdue obligations are reported before.
func (m *leadsMonitor) Step(r *analyze.Result, s *replay.State, e *tracefmt.Event) {
	for i := range m.stages {
		m.stages[i].loopAnswers.answered, m.stages[i].loopAnswers.released = false, false
	}
	if r.Examined == 0 {
		m.now = m.timeOf(e) // no obligation is open, so a clock that went back before makes no difference
	}
	if !m.tick(r, e) {
		return
	}
	for i := range m.stages {
		m.overdue(r, &m.stages[i], e.Seq)
	}
	if !m.beginEvent(s, e) {
		return
	}
	for i := len(m.stages) - 1; i >= 0; i-- { // backwards, so that one event moves an obligation only once
		m.noteLaterDoubts(r, m.stages[i].pairing)
		c := &m.stages[i].loopAnswers
		c.answer, c.answered = m.discharge(r, i, m.stages[i].pairing, byAnswer)
	}
	m.loseMessage()
	if m.release != nil {
		m.noteLaterDoubts(r, m.release)
	}
	for i := range m.stages {
		if c := &m.stages[i].loopAnswers; m.release != nil {
			c.release, c.released = m.discharge(r, i, m.release, byRelease)
		}
	}
	if m.trigger.kinds.has(e.Kind) {
		m.occurred = true
		if m.share.ownsSide(triggerSide) {
			m.openIfTriggered(r)
		}
	}
}

// overdue reports the obligations whose deadline has passed at an event.
func (m *leadsMonitor) overdue(r *analyze.Result, st *answerStage, seq tracefmt.Seq) {
	for st.within != forEver && st.ledger.first != 0 {
		o := &st.ledger.entries[st.ledger.first]
		if o.deadline >= m.now {
			return
		}
		if r.Parted() { // the event that shows it may belong to another part
			r.ViolateLate(o.count, o.seq, o.deadline, func() string { return m.expected(m.stageNumber(st), o) },
				o.origin, o.seq)
		} else {
			m.violate(r, m.stageNumber(st), o, m.latenessText(o.deadline, m.now, seq), seq)
		}
		st.ledger.close(st.ledger.first)
	}
}

// latenessText returns the reason why an event after the deadline breaks an obligation.
func (m *leadsMonitor) latenessText(deadline, now tracefmt.Time, seq tracefmt.Seq) string {
	return fmt.Sprintf("but the run is at %v at seq %d, %s too late", now, seq, m.durationText(now-deadline))
}

// discharge closes the obligations of a stage that the current event answers or releases, if it matches the
// pattern, and returns its key.
func (m *leadsMonitor) discharge(r *analyze.Result, stage int, j *pairing, list int) (k key, matched bool) {
	if !j.matcher.matches(m.frame) {
		return key{}, false
	}
	k, matched = j.second.key(m.frame)
	if !matched {
		return key{}, false
	}
	l := &m.stages[stage].ledger
	asked := l.heads[list][k] != 0
	for i := l.heads[list][k]; i != 0; {
		o := &l.entries[i]
		// close reuses the memory of the obligation, so its link is read before.
		next := o.next[list]
		if m.holds(j, o.keptFor(list)) {
			if list == byAnswer && stage+1 < len(m.stages) {
				m.advance(r, stage+1, o)
			}
			l.close(i)
		}
		i = next
	}
	if m.sinceEvent != nil && list == byAnswer {
		m.earlyAnswers[k] = m.frame.event.Seq
		// An answer that closed an obligation does not count as early for a later one.
		if asked {
			delete(m.earlyAnswers, k)
		}
	}
	return k, true
}

// keptFor returns the values that one of the lists keeps.
func (o *obligation) keptFor(list int) []value {
	if list == byRelease {
		return o.keptToRelease
	}
	return o.kept
}

// loseMessage marks the obligations of a lost message: it cannot arrive.
func (m *leadsMonitor) loseMessage() {
	st := &m.stages[0]
	if !m.frame.partial() || m.frame.event.Kind != tracefmt.Lose || !st.byMessage {
		return
	}
	k, _ := st.second.key(m.frame)
	for i := st.ledger.heads[byAnswer][k]; i != 0; i = st.ledger.entries[i].next[byAnswer] {
		st.ledger.entries[i].lost = true
	}
}

// openIfTriggered opens an obligation if the current event matches the first pattern. The verdict rests on the needs by
// which it may match, or have another key.
func (m *leadsMonitor) openIfTriggered(r *analyze.Result) {
	asks := false
	doubts := m.missingNeeds(func() { asks = m.trigger.matches(m.frame) })
	if !asks {
		r.Lacks(doubts...)
		return
	}
	// With "since", an earlier answer may already count. It is used up, so that it answers only one event.
	m.doubts = append(m.doubts[:0], doubts...)
	o := obligation{eventSummary: m.frame.summary(), count: 1, origin: m.frame.event.Seq}
	if m.stages[0].byMessage {
		o.peer = m.frame.event.Peer
	}
	if m.release != nil {
		// Without a key, nothing releases it.
		var released bool
		o.keys[byRelease], released = m.release.first.key(m.frame)
		if !released {
			o.keys[byRelease] = key{{sort: compound, s: "none"}}
		}
		o.keptToRelease = appendKept(m.frame, nil, m.release.keep)
	}
	keyed := false
	doubts = m.missingNeeds(func() { o.keys[byAnswer], keyed = m.stages[0].first.key(m.frame) })
	r.Lacks(doubts...)
	m.doubts = append(m.doubts, doubts...)
	o.doubts = m.doubts
	if m.sinceEvent != nil && keyed && m.frame.run.Source != tracefmt.Simulated {
		from := m.sinceEvent(m.frame)
		o.since = tracefmt.Seq(from.n)
		if from.sort == integer && m.earlyAnswers[o.keys[byAnswer]] > o.since {
			delete(m.earlyAnswers, o.keys[byAnswer])
			r.Examined++
			m.round.lastExamined = m.frame.event.Seq
			return
		}
	}
	if m.open(r, 0, o, keyed) {
		r.Examined++
		m.round.lastExamined = m.frame.event.Seq
	}
}

// advance opens the obligation that follows an answered one.
func (m *leadsMonitor) advance(r *analyze.Result, stage int, o *obligation) {
	next := obligation{
		eventSummary: m.frame.summary(), count: o.count, origin: o.origin,
		keptToRelease: o.keptToRelease, doubts: o.doubts,
	}
	next.keys[byRelease] = o.keys[byRelease]
	m.frame.kept = o.kept
	var keyed bool
	next.keys[byAnswer], keyed = m.stages[stage].first.key(m.frame)
	m.open(r, stage, next, keyed)
}

// open adds an obligation to a stage; it returns false if its key is absent.
func (m *leadsMonitor) open(r *analyze.Result, stage int, o obligation, keyed bool) bool {
	st := &m.stages[stage]
	if !keyed {
		r.Undecided(m.openReason())
		return false
	}
	o.kept = appendKept(m.frame, nil, st.keep)
	if st.within != forEver {
		o.deadline = addTime(m.now, st.within)
	}
	if st.ledger.open(o); st.ledger.size() > maxPast {
		m.giveUp(r, fmt.Sprintf("more than %d obligations are open at seq %d", maxPast, m.frame.event.Seq))
	}
	return true
}

// stageNumber returns the number of a stage.
func (m *leadsMonitor) stageNumber(st *answerStage) int {
	return slices.IndexFunc(m.stages, func(s answerStage) bool { return s.pairing == st.pairing })
}

// violate reports an obligation that can no longer be met; but is the reason. Obligations that share an entry count one
// by one.
func (m *leadsMonitor) violate(r *analyze.Result, stage int, o *obligation, but string, witness ...tracefmt.Seq) {
	before := r.Violations
	r.Rank(rankOf(stage, o))
	r.ViolateUnless(m.unrecordedAnswers(stage, o), func() string { return m.expected(stage, o) + but },
		append(witness, o.origin, o.seq)...)
	if r.Violations > before {
		r.Violations += o.count - 1
	}
}

// expected describes what an obligation demands; the caller adds why it is not met.
func (m *leadsMonitor) expected(stage int, o *obligation) string {
	st := &m.stages[stage]
	return fmt.Sprintf("%s; expected %s%s, ", m.openedBy(o), st.matcher.source, st.until(o.deadline))
}

// openedBy describes the event that opened the obligation.
func (m *leadsMonitor) openedBy(o *obligation) string {
	if o.origin == o.seq {
		return m.frame.describeEarlier(o.eventSummary) + m.triggerText(o.eventSummary)
	}
	return fmt.Sprintf("%s, which seq %d led to", m.frame.describeEarlier(o.eventSummary), o.origin)
}

// triggerText returns the first pattern for an explanation of a state event, whose payload is not kept.
func (m *leadsMonitor) triggerText(first eventSummary) string {
	if first.kind != tracefmt.State || m.trigger.test == nil {
		return ""
	}
	return ", as in " + m.trigger.source
}
