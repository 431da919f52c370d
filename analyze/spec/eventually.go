package spec

import (
	"fmt"
	"iter"
	"slices"

	"etrace/analyze"
	"etrace/replay"
	"etrace/tracefmt"
)

// compile compiles "eventually C within T", where C is a condition on the state or a pattern.
func (form *eventuallyForm) compile(c *compiler) (*plan, error) {
	m := eventuallyMonitor{window: window{span: endless}}
	plan := &plan{kind: analyze.Liveness}
	var err error
	if form.Within != nil {
		plan.kind = analyze.Safety // a missed deadline stays missed in every continuation
		m.window.span, err = form.Within.span()
		if err != nil {
			return nil, err
		}
	}
	if form.Pattern != nil {
		m.pattern, err = c.scope.matcher(form.Pattern)
		if err != nil {
			return nil, err
		}
		m.subject, plan.needs, plan.kinds = m.pattern.source, m.pattern.description, m.pattern.kinds
	} else {
		n, err := c.scope.lower(form.Expr)
		if err != nil {
			return nil, err
		}
		m.holds, err = c.scope.condition(n)
		if err != nil {
			return nil, c.kindMeant(n, err)
		}
		m.subject, plan.needs, plan.kinds = n.String(), c.stateNeeds(), setOf(stateKinds)
	}
	m.relied = (relied{reads: c.scope.program.factsSince(0)})
	if m.pattern != nil {
		m.relied.events, plan.triggers = m.pattern.events, m.pattern.triggers()
	}
	plan.relies, plan.excuses = m.relied.reads, m.relied.allFacts()
	plan.monitor = func(b base) analyze.Monitor {
		monitor := m
		condition := &m.holds
		if m.pattern != nil {
			condition = nil
		}
		monitor.base, monitor.possibleMoments = b, newPossibleMoments(b, condition)
		return &monitor
	}
	return plan, nil
}

// eventuallyMonitor waits for one state, or event.
type eventuallyMonitor struct {
	base
	pattern     *matcher // nil: a condition on the state
	holds       code
	subject     string
	window      window // begins with the first event of a process
	startTime   tracefmt.Time
	started     bool
	satisfied   bool
	lateEvent   *eventSummary // the event at which the time had passed
	lateTime    tracefmt.Time
	doubtReason func() string // the reason why the condition may have held
	relied      relied
	// satisfiedUnless are the needs on which it rests that the condition held, or the event happened.
	satisfiedUnless []analyze.Need
	firstEvent      tracefmt.Seq // the first event of a process
	// heldMoments has the needs of the moments at which the condition held by the record. possibleMoments has the
	// needs for moments at which it may have held without a record.
	heldMoments     [][]analyze.Need
	possibleMoments *possibleMoments
}

// Relies returns the facts on which it rests that the condition held in time.
func (m *eventuallyMonitor) Relies(*replay.State, analyze.Ending) iter.Seq[analyze.Need] {
	if m.window.within == forEver || m.firstEvent == 0 {
		return slices.Values(m.satisfiedUnless)
	}
	earlier := append(analyze.Needs(analyze.EveryProcess, 0, m.firstEvent, allSteps...),
		analyze.Needs(analyze.EveryProcess, 0, m.firstEvent, factsOf(tracefmt.Lose)...)...)
	return slices.Values(append(earlier, m.satisfiedUnless...))
}

// Step looks for the first event or state that satisfies the rule, until the deadline. In an incomplete recording it
// also collects the moments at which the condition may have held without a record.
func (m *eventuallyMonitor) Step(r *analyze.Result, s *replay.State, e *tracefmt.Event) {
	if m.satisfied || m.lateEvent != nil || m.gaveUp || !m.window.tick(r, &m.base, e) {
		m.beginEvent(s, e) // a variable or field that comes later exists in the run
		return
	}
	// In an incomplete recording the condition may have held before the first event.
	if m.frame.partial() && m.pattern == nil && m.heldMoments == nil {
		m.possibleMoments.evaluateBefore(&m.base, &m.holds)
	}
	examined, first := m.beginEvent(s, e), !m.started && e.Process != 0
	if first {
		m.started, m.startTime, m.firstEvent = true, m.window.now, e.Seq
	}
	if m.started && m.window.within != forEver && m.window.now > m.deadline() {
		m.lateEvent, m.lateTime = &eventSummary{seq: e.Seq}, m.window.now
		m.frame.state = s
		m.satisfiedUnless = m.possibleMoments.needsWithInferred(&m.base, s)
		if m.pattern != nil {
			m.satisfiedUnless = slices.Concat(m.needsAnywhere(m.relied.events), m.needsAnywhere(m.relied.reads))
		}
		return
	}
	switch {
	case m.pattern == nil && (examined || first):
		if !examined {
			m.frame.begin(s, e)
		}
		m.possibleMoments.noteEvaluation(e)
		m.noteMoment(m.holds.test(m.frame))
	case m.pattern == nil && m.frame.partial() && m.heldMoments == nil && m.possibleMoments.beginsGap(e):
		m.frame.begin(s, e)
		m.possibleMoments.evaluate(m.frame, &m.holds)
	case m.pattern != nil && examined && m.pattern.kinds.has(e.Kind):
		m.occurred = true
		m.satisfied = m.pattern.matches(m.frame)
		if m.satisfied {
			m.satisfiedUnless = m.frame.doubtsOf(m.pattern.test)
		}
	}
}

// deadline returns the last time at which the condition still counts.
func (m *eventuallyMonitor) deadline() tracefmt.Time { return addTime(m.startTime, m.window.within) }

// maxHeld bounds the moments at which the condition held by the record; the first certain one is enough.
const maxHeld = 64

// noteMoment records the truth of the condition at the current moment.
func (m *eventuallyMonitor) noteMoment(holds truth) {
	switch {
	// A moment at which the condition holds in every completion decides. Uncertain ones are kept for the end.
	case holds == yes && len(m.heldMoments) < maxHeld:
		rests := m.frame.needsToDifferFrom(&m.holds, yes)
		m.satisfied = rests == nil
		m.heldMoments = append(m.heldMoments, rests)
	case holds == yes:
	// Once the condition held by the record, moments at which it only may have held add nothing.
	case m.heldMoments != nil:
	case m.frame.partial():
		m.possibleMoments.evaluate(m.frame, &m.holds)
		fallthrough
	default:
		if holds == unknown && m.doubtReason == nil {
			reason := m.openReason()()
			m.doubtReason = func() string { return reason }
		}
	}
}

// pickMoment picks the moment with the fewest missing facts, once the completeness of all events is known.
func (m *eventuallyMonitor) pickMoment(s *replay.State) {
	if m.satisfied || m.heldMoments == nil {
		return
	}
	m.satisfied, m.satisfiedUnless = true, m.heldMoments[0]
	for _, rests := range m.heldMoments {
		if len(analyze.Missing(s, rests)) == 0 {
			m.satisfiedUnless = nil
		}
	}
}

// End decides. All states of a loop have been seen in its first round.
func (m *eventuallyMonitor) End(r *analyze.Result, s *replay.State, end analyze.Ending) {
	if !m.started && m.pattern == nil {
		m.frame.begin(s, &tracefmt.Event{Seq: s.Seq, Time: s.Time})
		m.noteMoment(m.holds.test(m.frame))
	}
	if m.gaveUp {
		return
	}
	m.frame.state = s
	if m.pickMoment(s); m.pattern == nil && m.frame.partial() && !m.satisfied && m.lateEvent == nil {
		m.possibleMoments.evaluate(m.frame, &m.holds)
	}
	if m.satisfied { // then a field that no event has makes no difference
		r.Examined = 1
	}
	found := m.survey(s)
	if end.Final() && !m.frame.partial() {
		// The record is complete: a variable that no event assigns was never set, and the condition is decided.
		found.Lacking, found.Unheld = "", nil
	}
	if lacking := m.lacking(r, found); lacking != "" {
		r.NotApplicable(lacking)
		return
	}
	r.Examined = 1
	switch {
	case m.satisfied:
	case m.doubtReason != nil:
		r.Undecided(m.doubtReason)
	case m.lateEvent != nil:
		m.reportFailure(r, fmt.Sprintf("%s, but the run is at %v at seq %d", m.window.until(m.deadline()),
			m.lateTime, m.lateEvent.seq), m.lateEvent.seq)
	case end.Looping() && (m.program.readsGrowing || m.program.readsFresh || m.fluentsMoved()):
		r.Undecided(unsteadyLoop)
	case end.Looping():
		m.reportFailure(r, fmt.Sprintf(", and the run repeats seq %d to %d forever", end.LoopFrom+1, end.LoopTo),
			end.LoopFrom, end.LoopTo)
	case end.Final():
		m.reportFailure(r, ", and nothing can happen any more", s.Seq)
	case m.window.within == forEver:
		r.OweUnless(m.unrecordedEvents(), "awaits "+m.subject)
	default:
		awaits := fmt.Sprintf("awaits %s%s", m.subject, m.window.until(m.deadline()))
		if later := m.laterSteps(s.Seq); len(later) > 0 {
			r.Undecided(func() string { return awaits + ", unless a later step is not recorded" }, later...)
		}
		r.OweUnless(m.unrecordedEvents(), awaits)
	}
}

// unrecordedEvents returns the needs for unrecorded events until the deadline, or until now.
func (m *eventuallyMonitor) unrecordedEvents() []analyze.Need {
	switch {
	case m.lateEvent != nil || m.frame.state == nil:
		return m.satisfiedUnless
	case m.pattern == nil:
		return m.possibleMoments.needsWithInferred(&m.base, m.frame.state)
	}
	return slices.Concat(m.needsAnywhere(m.relied.events), m.needsAnywhere(m.relied.reads))
}

// reportFailure reports that the event never happened, or that the condition never held; text adds the deadline.
func (m *eventuallyMonitor) reportFailure(r *analyze.Result, text string, witness ...tracefmt.Seq) {
	verb := "never holds"
	if m.pattern != nil {
		verb = "never happens"
	}
	r.ViolateUnless(m.unrecordedEvents(), func() string { return fmt.Sprintf("%s %s%s", m.subject, verb, text) },
		witness...)
}
