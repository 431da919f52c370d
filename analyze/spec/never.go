package spec

import (
	"fmt"
	"iter"
	"slices"

	"etrace/analyze"
	"etrace/replay"
	"etrace/tracefmt"
)

// compile compiles the four sorts of "never": for an event, a state, and a consistent cut (possibly, definitely).
func (form *neverForm) compile(c *compiler) (*plan, error) {
	switch {
	case form.Pattern != nil:
		return c.neverEvent(form.Pattern)
	case form.Modality != "":
		return c.neverCut(form)
	case form.For != nil:
		return nil, errorf(form.Pos, "for belongs to: never possibly ... and never definitely ...; expected exists or count")
	}
	return c.neverState(form.Expr)
}

// neverEvent compiles "never P where C": no event of P may satisfy C. Without C no event may match P.
func (c *compiler) neverEvent(p *pattern) (*plan, error) {
	asked, wrong := *p, *p
	asked.Where = nil
	if p.Where == nil {
		asked.Args = nil
	} else {
		wrong.Args = nil
	}
	m := neverEventMonitor{skipsAbsent: p.Where == nil}
	var err error
	m.pattern, err = c.scope.matcher(&asked)
	if err != nil {
		return nil, err
	}
	m.forbidden, err = c.scope.matcher(&wrong)
	if err != nil {
		return nil, err
	}
	facts := relied{commonFacts(m.pattern.events, m.forbidden.events), distinct(m.pattern.reads, m.forbidden.reads)}
	plan := &plan{
		kind: analyze.Safety, needs: m.pattern.description, kinds: m.pattern.kinds,
		relies: facts.allFacts(), excuses: facts.reads, triggers: m.pattern.triggers(),
	}
	eachEvent := side{kinds: m.pattern.kinds, matches: m.pattern.matches, allEvents: true}
	if m.forbidden.test == nil { // every event shows that it is not of the kind
		plan.kinds = setOf(tracefmt.Kinds())
		eachEvent = side{kinds: plan.kinds}
	}
	plan.split = keyed([]string{"seq"}, eachEvent)
	plan.split.sends = m.forbidden.kinds.has(tracefmt.Send)
	plan.monitor = func(b base) analyze.Monitor {
		monitor := m
		monitor.base = b
		return &monitor
	}
	return plan, nil
}

// neverEventMonitor reports each event that matches the pattern and satisfies the forbidden condition.
type neverEventMonitor struct {
	base
	pattern, forbidden *matcher
	// skipsAbsent is set if the rule ignores an event that lacks a field which the rule reads.
	skipsAbsent bool
}

// Step examines an event that matches the pattern. An event without the field that the condition reads makes the rule
// unknown, unless the whole condition is in the pattern.
func (m *neverEventMonitor) Step(r *analyze.Result, s *replay.State, e *tracefmt.Event) {
	if !m.beginEvent(s, e) {
		return
	}
	m.checkShownSend(r)
	// A rule without where forbids all events of the pattern.
	if m.forbidden.test == nil {
		r.Examined++
		if m.forbidden.matches(m.frame) {
			m.violate(r, func(*frame) truth { return yes })
		}
		return
	}
	if !m.pattern.kinds.has(e.Kind) {
		return
	}
	// A missing fact may make this event match, and forbidden.
	if !m.matches(m.pattern) {
		m.noteDoubts(r, m.pattern.test, m.forbidden.test)
		return
	}
	m.round.lastExamined = e.Seq
	switch m.forbidden.test(m.frame) {
	case yes:
		r.Examined++
		m.violate(r, m.forbidden.test)
		return
	case no:
		r.Examined++
	case unknown:
		if !m.skipsAbsent {
			r.Undecided(m.missingFieldText)
		}
	}
	m.noteDoubts(r, m.pattern.test, m.forbidden.test)
}

// checkShownSend examines the unrecorded send that the current arrival proves.
func (m *neverEventMonitor) checkShownSend(r *analyze.Result) {
	if !m.forbidden.kinds.has(tracefmt.Send) {
		return
	}
	send := m.shownSend()
	if send == nil || m.matchesHypothetical(send, m.pattern, m.forbidden) != yes {
		return
	}
	r.Examined++
	r.ViolateUnless(nil, func() string {
		return fmt.Sprintf("%s, so that it was sent before, which is not recorded; the rule is: %s",
			m.frame.describe(), m.program.citation)
	}, m.frame.event.Seq)
}

// Relies returns the facts that decide whether a forbidden event happened unrecorded. Step has reported the needs of
// recorded events.
func (m *neverEventMonitor) Relies(s *replay.State, end analyze.Ending) iter.Seq[analyze.Need] {
	m.frame.state = s
	if m.unrecordedTrigger() {
		return m.base.Relies(s, end)
	}
	return slices.Values(m.possibleEvents(end, m.pattern, m.forbidden))
}

// missingFieldText names the missing field, and how to write a rule that skips such events.
func (m *neverEventMonitor) missingFieldText() string {
	reason := m.openReason()()
	if m.frame.missingField == "" {
		return reason
	}
	return fmt.Sprintf("%s; if such events are to be passed over, write: where has %s and ...", reason,
		quotedName(m.frame.missingField))
}

// violate reports the current event, with the evidence for the condition t.
func (m *neverEventMonitor) violate(r *analyze.Result, t test) {
	if r.Violations > 0 && !m.frame.partial() {
		r.Violations++
		return
	}
	reason := m.frame.explain(t)
	if m.pattern.test != nil {
		asked := m.frame.explain(m.pattern.test)
		reason.events = append(reason.events, asked.events...)
		reason.fluents = append(asked.fluents, reason.fluents...)
	}
	excuses := m.frame.doubts(func() { m.pattern.matches(m.frame); m.forbidden.matches(m.frame) })
	r.ViolateUnless(excuses, func() string {
		return fmt.Sprintf("%s%s; the rule is: %s", m.frame.describe(), reason.text(), m.program.citation)
	}, append(reason.events, m.frame.event.Seq)...)
}

// End closes the rule.
func (m *neverEventMonitor) End(r *analyze.Result, s *replay.State, end analyze.Ending) {
	m.judgeRound(r, end, m.program.readsGrowing || m.program.readsFresh)
	m.finish(r, s)
}
