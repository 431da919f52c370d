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
	c.scope.moment = true
	wrong, err := c.scope.condition(n)
	if err != nil {
		return nil, c.kindMeant(n, err)
	}
	return &plan{
		kind: analyze.Safety, needs: c.stateNeeds(), kinds: setOf(stateKinds),
		relies: c.scope.program.since(0), excuses: c.scope.program.since(0),
		monitor: func(b base) analyze.Monitor {
			b.frame.leavesOut = b.frame.leavesOut || b.program.before && !b.frame.run.RecordsAll()
			return &neverStateMonitor{base: b, wrong: wrong, outlook: newOutlook(b, &wrong)}
		},
	}, nil
}

// kindMeant returns the error for a condition that is an unknown name. If an event kind is most similar to the
// name, a pattern was meant.
func (c *compiler) kindMeant(n *node, err error) error {
	known := append(c.scope.known(), c.scope.callable()...)
	if n.op != "field" && n.op != "call" || n.event != "" || slices.Contains(known, n.name) {
		return err
	}
	hint := nearest(n.name, append(known, kindNames()...))
	if n.op == "field" && nearest(n.name, c.scope.known()) == "" && (hint == "" || hint == nearest(n.name, c.scope.callable())) {
		return errorf(n.pos(),
			"unknown name %q, expected an event, such as state(role = \"leader\"), or a condition, such as count(leads) > 1", n.name)
	}
	if hint == "" || hint == nearest(n.name, known) {
		return err
	}
	return errorf(n.pos(), "unknown event kind %q%s", n.name, hint)
}

// stateNeeds describes what conditions on the state need of a run.
func (c *compiler) stateNeeds() string {
	switch {
	case c.scope.program.elected:
		return "state events that assign elected"
	case len(c.scope.program.held) > 0:
		return "state events that assign " + strings.Join(c.scope.program.held, ", ")
	}
	return "events"
}

// neverStateMonitor counts each time that the condition begins to hold.
type neverStateMonitor struct {
	base
	wrong   code
	was     truth
	outlook *outlook
	// rests is the event since which the condition would hold after an event that changes nothing, 0 if it would not. Only
	// a condition that reads the former state is evaluated so.
	rests tracefmt.Seq
}

// Step evaluates the condition after the event and reports each time that it begins to hold. If a beginning is
// uncertain because of missing facts, a later certain moment counts.
func (m *neverStateMonitor) Step(r *analyze.Result, s *replay.State, e *tracefmt.Event) {
	if m.frame.partial() {
		m.outlook.before(&m.base, &m.wrong)
	}
	if !m.wants(s, e) {
		if m.frame.partial() && m.outlook.opens(e) {
			m.frame.begin(s, e)
			m.lookAhead(r)
		}
		return
	}
	m.occurred = true
	m.outlook.evaluated(e)
	r.Examined += m.frame.begun()
	was := m.was
	if m.program.before { // the condition itself reads the former state
		was = no
	}
	m.was = m.wrong.test(m.frame)
	switch {
	case m.was == unknown:
		r.Undecided(m.openReason())
	case m.was == yes && was != yes:
		m.violate(r, m.frame.unless(&m.wrong, yes))
	case m.was == yes && m.frame.partial() && r.Violations == 0:
		if r.Sure(m.frame.unless(&m.wrong, yes)) { // it was uncertain when the condition began to hold
			m.violate(r, nil)
		}
	}
	if m.frame.partial() {
		m.lookAhead(r)
		m.lookAtRest(e)
	}
}

// lookAtRest records since when the condition would hold after an unrecorded event that changes nothing.
func (m *neverStateMonitor) lookAtRest(e *tracefmt.Event) {
	if !m.program.before {
		return
	}
	m.outlook.addBetween(&m.base, m.rests, e.Seq)
	m.rests = 0
	if m.frame.atRest(m.wrong.test) != no {
		m.rests = e.Seq
	}
}

// violate reports that the condition holds after the current event. excuses are the needs that may explain this.
func (m *neverStateMonitor) violate(r *analyze.Result, excuses []analyze.Need) {
	reason := m.frame.explain(m.wrong.test)
	r.ViolateUnless(excuses, func() string {
		return fmt.Sprintf("%s%s; the rule is: %s", m.frame.describe(), reason.text(), m.program.cited)
	}, append(reason.events, m.frame.event.Seq)...)
}

// begun returns the number of fluents that begin with the current event; 1 for a rule without fluents.
func (f *frame) begun() int {
	if len(f.fluents) == 0 {
		return 1
	}
	n := 0
	for i := range f.fluents {
		n += f.fluents[i].began
	}
	return n
}

// lookAhead records the unrecorded events by which the condition may have held after the current event, or before
// the next.
func (m *neverStateMonitor) lookAhead(r *analyze.Result) {
	if !m.program.before && r.Violations == 0 {
		m.outlook.look(m.frame, &m.wrong)
	}
}

// Relies returns the facts on which it rests that the condition never held: the needs of the moments at which it
// may have held. A rule that reads former states rests on all facts that it reads.
func (m *neverStateMonitor) Relies(s *replay.State, end analyze.Ending) iter.Seq[analyze.Need] {
	if m.program.before {
		m.outlook.begin()
		m.outlook.addBetween(&m.base, m.rests, 0)
		return slices.Values(slices.Concat(slices.Collect(m.base.Relies(s, end)), m.outlook.needs))
	}
	return slices.Values(m.outlook.besides(&m.base, s))
}

// End evaluates what may have happened after the last event, and closes the rule.
func (m *neverStateMonitor) End(r *analyze.Result, s *replay.State, end analyze.Ending) {
	if m.frame.partial() {
		m.frame.begin(s, &tracefmt.Event{Seq: s.Seq, Time: s.Time})
		m.lookAhead(r)
	}
	m.judgeRound(r, end, false)
	m.close(r, s)
}
