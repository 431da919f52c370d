package spec

import (
	"fmt"
	"iter"
	"slices"
	"strings"

	"etrace/analyze"
	"etrace/replay"
	"etrace/tracefmt"
)

// neverState compiles "never C" for a condition on the state.
func (c *compiler) neverState(e *orExpr) (*plan, error) {
	n, err := c.scope.lower(e)
	if err != nil {
		return nil, err
	}
	c.scope.perEvent = true
	wrong, err := c.scope.condition(n)
	if err != nil {
		return nil, c.kindMeant(n, err)
	}
	return &plan{
		kind: analyze.Safety, needs: c.stateNeeds(), kinds: setOf(stateKinds),
		relies: c.scope.program.factsSince(0), excuses: c.scope.program.factsSince(0),
		monitor: func(b base) analyze.Monitor {
			b.frame.incomplete = b.frame.incomplete || b.program.readsFormer && !b.frame.run.RecordsAll()
			return &neverStateMonitor{base: b, forbidden: wrong, possibleMoments: newPossibleMoments(b, &wrong)}
		},
	}, nil
}

// kindMeant returns the error for a condition that is an unknown name. If an event kind is most similar to the
// name, a pattern was meant.
func (c *compiler) kindMeant(n *node, err error) error {
	known := append(c.scope.knownNames(), c.scope.callableNames()...)
	if n.op != "field" && n.op != "call" || n.event != "" || slices.Contains(known, n.name) {
		return err
	}
	hint := suggestion(n.name, append(known, kindNames()...))
	// Without a similar name, or if the nearest name is a function, the error explains both an event and a condition.
	if n.op == "field" && suggestion(n.name, c.scope.knownNames()) == "" &&
		(hint == "" || hint == suggestion(n.name, c.scope.callableNames())) {
		return errorf(n.pos(),
			"unknown name %q, expected an event, such as state(role = \"leader\"), or a condition, such as count(leads) > 1", n.name)
	}
	if hint == "" || hint == suggestion(n.name, known) {
		return err
	}
	return errorf(n.pos(), "unknown event kind %q%s", n.name, hint)
}

// stateNeeds describes what conditions on the state need of a run.
func (c *compiler) stateNeeds() string {
	switch {
	case c.scope.program.readsElected:
		return "state events that assign elected"
	case len(c.scope.program.variables) > 0:
		return "state events that assign " + strings.Join(c.scope.program.variables, ", ")
	}
	return "events"
}

// neverStateMonitor counts each time that the condition begins to hold.
type neverStateMonitor struct {
	base
	forbidden       code
	before          truth
	possibleMoments *possibleMoments
	// rests is the event since which the condition would hold after an event that changes nothing, 0 if it would not. Only
	// a condition that reads the former state is evaluated so.
	rests tracefmt.Seq
}

// Step evaluates the condition after the event and reports each time that it begins to hold. If a beginning is
// uncertain because of missing facts, a later certain moment counts.
func (m *neverStateMonitor) Step(r *analyze.Result, s *replay.State, e *tracefmt.Event) {
	if m.frame.partial() {
		m.possibleMoments.evaluateBefore(&m.base, &m.forbidden)
	}
	if !m.beginEvent(s, e) {
		if m.frame.partial() && m.possibleMoments.beginsGap(e) {
			m.frame.begin(s, e)
			m.evaluateUntilNext(r)
		}
		return
	}
	m.occurred = true
	m.possibleMoments.noteEvaluation(e)
	r.Examined += m.frame.begun()
	heldBefore := m.before
	if m.program.readsFormer { // the condition itself reads the former state
		heldBefore = no
	}
	m.before = m.forbidden.test(m.frame)
	switch {
	case m.before == unknown:
		r.Undecided(m.openReason())
	case m.before == yes && heldBefore != yes:
		m.violate(r, m.frame.needsToDifferFrom(&m.forbidden, yes))
	case m.before == yes && m.frame.partial() && r.Violations == 0:
		if r.Sure(m.frame.needsToDifferFrom(&m.forbidden, yes)) { // it was uncertain when the condition began to hold
			m.violate(r, nil)
		}
	}
	if m.frame.partial() {
		m.evaluateUntilNext(r)
		m.lookAtRest(e)
	}
}

// lookAtRest records since when the condition would hold after an unrecorded event that changes nothing.
func (m *neverStateMonitor) lookAtRest(e *tracefmt.Event) {
	if !m.program.readsFormer {
		return
	}
	m.possibleMoments.addBetween(&m.base, m.rests, e.Seq)
	m.rests = 0
	if m.frame.atRest(m.forbidden.test) != no {
		m.rests = e.Seq
	}
}

// violate reports that the condition holds after the current event. excuses are the needs that may explain this.
func (m *neverStateMonitor) violate(r *analyze.Result, excuses []analyze.Need) {
	reason := m.frame.explain(m.forbidden.test)
	r.ViolateUnless(excuses, func() string {
		return fmt.Sprintf("%s%s; the rule is: %s", m.frame.describe(), reason.text(), m.program.citation)
	}, append(reason.events, m.frame.event.Seq)...)
}

// begun returns the number of fluents that begin with the current event; 1 for a rule without fluents.
func (f *frame) begun() int {
	if len(f.fluents) == 0 {
		return 1
	}
	n := 0
	for i := range f.fluents {
		n += f.fluents[i].beganCount
	}
	return n
}

// evaluateUntilNext records the unrecorded events by which the condition may have held after the current event, or
// before the next.
func (m *neverStateMonitor) evaluateUntilNext(r *analyze.Result) {
	if !m.program.readsFormer && r.Violations == 0 {
		m.possibleMoments.evaluate(m.frame, &m.forbidden)
	}
}

// Relies returns the facts on which it rests that the condition never held: the needs of the moments at which it
// may have held. A rule that reads former states rests on all facts that it reads.
func (m *neverStateMonitor) Relies(s *replay.State, end analyze.Ending) iter.Seq[analyze.Need] {
	if m.program.readsFormer {
		m.possibleMoments.addInitial()
		m.possibleMoments.addBetween(&m.base, m.rests, 0)
		return slices.Values(slices.Concat(slices.Collect(m.base.Relies(s, end)), m.possibleMoments.needs))
	}
	return slices.Values(m.possibleMoments.needsWithInferred(&m.base, s))
}

// End evaluates what may have happened after the last event, and closes the rule.
func (m *neverStateMonitor) End(r *analyze.Result, s *replay.State, end analyze.Ending) {
	if m.frame.partial() {
		m.frame.begin(s, &tracefmt.Event{Seq: s.Seq, Time: s.Time})
		m.evaluateUntilNext(r)
	}
	m.judgeRound(r, end, false)
	m.finish(r, s)
}
