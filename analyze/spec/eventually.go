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
		m.subject, plan.needs, plan.kinds = m.pattern.source, m.pattern.words, m.pattern.kinds
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
	m.rests = (relied{reads: c.scope.program.since(0)})
	if m.pattern != nil {
		m.rests.events, plan.triggers = m.pattern.events, m.pattern.triggers()
	}
	plan.relies, plan.excuses = m.rests.reads, m.rests.any()
	plan.monitor = func(b base) analyze.Monitor {
		monitor := m
		condition := &m.holds
		if m.pattern != nil {
			condition = nil
		}
		monitor.base, monitor.outlook = b, newOutlook(b, condition)
		return &monitor
	}
	return plan, nil
}

// eventuallyMonitor waits for one state, or event.
type eventuallyMonitor struct {
	base
	pattern *matcher // nil: a condition on the state
	holds   code
	subject string
	window  window // begins with the first event of a process
	began   tracefmt.Time
	started bool
	done    bool
	late    *mark // the event at which the time had passed
	lateAt  tracefmt.Time
	doubt   func() string // the reason why the condition may have held
	rests   relied
	// doneUnless are the needs on which it rests that the condition held, or the event happened.
	doneUnless []analyze.Need
	first      tracefmt.Seq // the first event of a process
	// held has the needs of the moments at which the condition held by the record. outlook has the needs for
	// moments at which it may have held without a record.
	held    [][]analyze.Need
	outlook *outlook
}

// Relies returns the facts on which it rests that the condition held in time.
func (m *eventuallyMonitor) Relies(*replay.State, analyze.Ending) iter.Seq[analyze.Need] {
	if m.window.within == forEver || m.first == 0 {
		return slices.Values(m.doneUnless)
	}
	earlier := append(analyze.Needs(analyze.EveryProcess, 0, m.first, allSteps...),
		analyze.Needs(analyze.EveryProcess, 0, m.first, factsOf(tracefmt.Lose)...)...)
	return slices.Values(append(earlier, m.doneUnless...))
}

// Step looks for the first event or state that satisfies the rule, until the deadline. In an incomplete recording it
// also collects the moments at which the condition may have held without a record.
func (m *eventuallyMonitor) Step(r *analyze.Result, s *replay.State, e *tracefmt.Event) {
	if m.done || m.late != nil || m.lost || !m.window.tick(r, &m.base, e) {
		m.frame.follow(s, e) // a variable that is set later exists in the run
		return
	}
	// In an incomplete recording the condition may have held before the first event.
	if m.frame.partial() && m.pattern == nil && m.held == nil {
		m.outlook.before(&m.base, &m.holds)
	}
	wanted, first := m.wants(s, e), !m.started && e.Process != 0
	if first {
		m.started, m.began, m.first = true, m.window.now, e.Seq
	}
	if m.started && m.window.within != forEver && m.window.now > m.deadline() {
		m.late, m.lateAt = &mark{seq: e.Seq}, m.window.now
		m.frame.state = s
		m.doneUnless = m.outlook.besides(&m.base, s)
		if m.pattern != nil {
			m.doneUnless = slices.Concat(m.anywhere(m.rests.events), m.anywhere(m.rests.reads))
		}
		return
	}
	switch {
	case m.pattern == nil && (wanted || first):
		if !wanted {
			m.frame.begin(s, e)
		}
		m.outlook.evaluated(e)
		m.look(m.holds.test(m.frame))
	case m.pattern == nil && m.frame.partial() && m.held == nil && m.outlook.opens(e):
		m.frame.begin(s, e)
		m.outlook.look(m.frame, &m.holds)
	case m.pattern != nil && wanted && m.pattern.kinds.has(e.Kind):
		m.occurred = true
		m.done = m.pattern.matches(m.frame)
		if m.done {
			m.doneUnless = m.frame.doubtsOf(m.pattern.test)
		}
	}
}

// deadline returns the last time at which the condition still counts.
func (m *eventuallyMonitor) deadline() tracefmt.Time { return later(m.began, m.window.within) }

// mostHeld bounds the moments at which the condition held by the record; the first certain one is enough.
const mostHeld = 64

// look records the truth of the condition at the current moment.
func (m *eventuallyMonitor) look(holds truth) {
	switch {
	case holds == yes && len(m.held) < mostHeld:
		rests := m.frame.unless(&m.holds, yes)
		m.done = rests == nil
		m.held = append(m.held, rests)
	case holds == yes:
	case m.held != nil:
	case m.frame.partial():
		m.outlook.look(m.frame, &m.holds)
		fallthrough
	default:
		if holds == unknown && m.doubt == nil {
			reason := m.openReason()()
			m.doubt = func() string { return reason }
		}
	}
}

// choose picks the moment with the fewest doubts, once the completeness of all events is known.
func (m *eventuallyMonitor) choose(s *replay.State) {
	if m.done || m.held == nil {
		return
	}
	m.done, m.doneUnless = true, m.held[0]
	for _, rests := range m.held {
		if len(analyze.Missing(s, rests)) == 0 {
			m.doneUnless = nil
		}
	}
}

// End decides. All states of a loop have been seen in its first round.
func (m *eventuallyMonitor) End(r *analyze.Result, s *replay.State, end analyze.Ending) {
	if !m.started && m.pattern == nil {
		m.frame.begin(s, &tracefmt.Event{Seq: s.Seq, Time: s.Time})
		m.look(m.holds.test(m.frame))
	}
	if m.lost {
		return
	}
	m.frame.state = s
	if m.choose(s); m.pattern == nil && m.frame.partial() && !m.done && m.late == nil {
		m.outlook.look(m.frame, &m.holds)
	}
	if m.done { // then a field that no event has makes no difference
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
	case m.done:
	case m.doubt != nil:
		r.Undecided(m.doubt)
	case m.late != nil:
		m.fail(r, fmt.Sprintf("%s, but the run is at %v at seq %d", m.window.until(m.deadline()), m.lateAt, m.late.seq), m.late.seq)
	case end.Looping() && (m.program.timed || m.program.renamed || m.unsteady()):
		r.Undecided(unsteadyLoop)
	case end.Looping():
		m.fail(r, fmt.Sprintf(", and the run repeats seq %d to %d forever", end.LoopFrom+1, end.LoopTo), end.LoopFrom, end.LoopTo)
	case end.Final():
		m.fail(r, ", and nothing can happen any more", s.Seq)
	case m.window.within == forEver:
		r.OweUnless(m.unrecorded(), "awaits "+m.subject)
	default:
		awaits := fmt.Sprintf("awaits %s%s", m.subject, m.window.until(m.deadline()))
		if later := m.laterSteps(s.Seq); len(later) > 0 {
			r.Undecided(func() string { return awaits + ", unless a later step is not recorded" }, later...)
		}
		r.OweUnless(m.unrecorded(), awaits)
	}
}

// unrecorded returns the needs for unrecorded events until the deadline, or until now.
func (m *eventuallyMonitor) unrecorded() []analyze.Need {
	switch {
	case m.late != nil || m.frame.state == nil:
		return m.doneUnless
	case m.pattern == nil:
		return m.outlook.besides(&m.base, m.frame.state)
	}
	return slices.Concat(m.anywhere(m.rests.events), m.anywhere(m.rests.reads))
}

// fail reports that the event never happened, or that the condition never held; text adds by when.
func (m *eventuallyMonitor) fail(r *analyze.Result, text string, witness ...tracefmt.Seq) {
	verb := "never holds"
	if m.pattern != nil {
		verb = "never happens"
	}
	r.ViolateUnless(m.unrecorded(), func() string { return fmt.Sprintf("%s %s%s", m.subject, verb, text) }, witness...)
}
