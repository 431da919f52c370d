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
	m := neverEventMonitor{matching: p.Where == nil}
	var err error
	m.asked, err = c.scope.matcher(&asked)
	if err != nil {
		return nil, err
	}
	m.wrong, err = c.scope.matcher(&wrong)
	if err != nil {
		return nil, err
	}
	facts := relied{both(m.asked.events, m.wrong.events), distinct(m.asked.reads, m.wrong.reads)}
	plan := &plan{
		kind: analyze.Safety, needs: m.asked.words, kinds: m.asked.kinds,
		relies: facts.any(), excuses: facts.reads, triggers: m.asked.triggers(),
	}
	each := side{kinds: m.asked.kinds, matches: m.asked.matches, allEvents: true}
	if m.wrong.test == nil { // every event shows that it is not of the kind
		plan.kinds = setOf(tracefmt.Kinds())
		each = side{kinds: plan.kinds}
	}
	plan.split = keyed([]string{"seq"}, each)
	plan.split.sends = m.wrong.kinds.has(tracefmt.Send)
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
	asked, wrong *matcher
	matching     bool // an event that lacks a field does not match, so it is not wrong
}

// Step examines an event that matches the pattern. An event without the field that the condition reads makes the rule
// unknown, unless the whole condition is in the pattern.
func (m *neverEventMonitor) Step(r *analyze.Result, s *replay.State, e *tracefmt.Event) {
	if !m.wants(s, e) {
		return
	}
	m.look(r)
	if m.wrong.test == nil {
		r.Examined++
		if m.wrong.matches(m.frame) {
			m.violate(r, func(*frame) truth { return yes })
		}
		return
	}
	if !m.asked.kinds.has(e.Kind) {
		return
	}
	if !m.meets(m.asked) {
		m.noteDoubts(r, m.asked.test, m.wrong.test)
		return
	}
	m.round.looked = e.Seq
	switch m.wrong.test(m.frame) {
	case yes:
		r.Examined++
		m.violate(r, m.wrong.test)
		return
	case no:
		r.Examined++
	case unknown:
		if !m.matching {
			r.Undecided(m.unanswered)
		}
	}
	m.noteDoubts(r, m.asked.test, m.wrong.test)
}

// look reports whether the current event shows that a wrong send happened.
func (m *neverEventMonitor) look(r *analyze.Result) {
	if !m.wrong.kinds.has(tracefmt.Send) {
		return
	}
	send := m.shownSend()
	if send == nil || m.supposes(send, m.asked, m.wrong) != yes {
		return
	}
	r.Examined++
	r.ViolateUnless(nil, func() string {
		return fmt.Sprintf("%s, so that it was sent before, which is not recorded; the rule is: %s", m.frame.describe(), m.program.cited)
	}, m.frame.event.Seq)
}

// Relies returns the facts that could be missing so that a wrong event happened unrecorded. Needs of recorded
// events were reported for each.
func (m *neverEventMonitor) Relies(s *replay.State, end analyze.Ending) iter.Seq[analyze.Need] {
	m.frame.state = s
	if m.unrecordedTrigger() {
		return m.base.Relies(s, end)
	}
	return slices.Values(m.possible(end, m.asked, m.wrong))
}

// unanswered names the missing field, and how to write a rule that skips such events.
func (m *neverEventMonitor) unanswered() string {
	reason := m.openReason()()
	if m.frame.missing == "" {
		return reason
	}
	return fmt.Sprintf("%s; if such events are to be passed over, write: where has %s and ...", reason, written(m.frame.missing))
}

// violate reports the current event, with the evidence for the condition t.
func (m *neverEventMonitor) violate(r *analyze.Result, t test) {
	if r.Violations > 0 && !m.frame.partial() {
		r.Violations++
		return
	}
	reason := m.frame.explain(t)
	if m.asked.test != nil {
		asked := m.frame.explain(m.asked.test)
		reason.events = append(reason.events, asked.events...)
		reason.fluents = append(asked.fluents, reason.fluents...)
	}
	excuses := m.frame.doubts(func() { m.asked.matches(m.frame); m.wrong.matches(m.frame) })
	r.ViolateUnless(excuses, func() string {
		return fmt.Sprintf("%s%s; the rule is: %s", m.frame.describe(), reason.text(), m.program.cited)
	}, append(reason.events, m.frame.event.Seq)...)
}

// End closes the rule.
func (m *neverEventMonitor) End(r *analyze.Result, s *replay.State, end analyze.Ending) {
	m.judgeRound(r, end, m.program.timed || m.program.renamed)
	m.close(r, s)
}
