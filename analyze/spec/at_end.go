package spec

import (
	"fmt"
	"iter"
	"slices"

	"etrace/analyze"
	"etrace/replay"
	"etrace/tracefmt"
)

// compile compiles "at end C". "at end forall p in S: C" is decided for each p on its own.
func (form *endForm) compile(c *compiler) (*plan, error) {
	n, err := c.scope.lower(form.Expr)
	if err != nil {
		return nil, err
	}
	m := endMonitor{condition: n}
	if n.op == "forall" {
		m.domain, err = c.scope.set(n.operands[0])
		if err != nil {
			return nil, err
		}
		inner := *c.scope
		inner.variables, m.variable, m.condition = []string{n.name}, n.name, n.operands[1]
		m.holds, err = inner.condition(n.operands[1])
	} else {
		m.holds, err = c.scope.condition(n)
	}
	reads := c.scope.program.factsSince(0)
	return &plan{
		kind: analyze.Liveness, needs: c.stateNeeds(), relies: reads, excuses: reads,
		monitor: func(b base) analyze.Monitor {
			monitor := m
			monitor.base = b
			return &monitor
		},
	}, err
}

// endMonitor evaluates a condition on the last state of a run.
type endMonitor struct {
	base
	analyze.AtEnd
	condition *node
	// domain is the set of processes for which the condition is decided.
	domain code
	// variable is the name of the process in the condition; "" if it is decided once.
	variable string
	holds    code
	// holdsUnless are the needs that could make the condition false although it holds in the record.
	holdsUnless []analyze.Need
}

// Relies returns the facts on which a positive verdict rests.
func (m *endMonitor) Relies(*replay.State, analyze.Ending) iter.Seq[analyze.Need] {
	return slices.Values(m.holdsUnless)
}

func (m *endMonitor) Step(_ *analyze.Result, s *replay.State, e *tracefmt.Event) { m.beginEvent(s, e) }

// Recur evaluates the condition in a state of the loop in which the run ends.
func (m *endMonitor) Recur(s *replay.State, e *tracefmt.Event) {
	m.base.Recur(s, e)
	m.AtEnd.Recur(s, (m.kinds | setOf(stateKinds)).has(e.Kind), m.check)
}

// End evaluates the condition in the last state.
func (m *endMonitor) End(r *analyze.Result, s *replay.State, end analyze.Ending) {
	switch lacks := m.program.readsElected && !s.HasElected(); {
	case lacks && end.Final() && !m.frame.partial():
		// The recording is complete, so no process has elected, and the condition can be decided.
	case lacks && end.Final():
		r.Undecided(func() string { return noElection }, slices.Collect(m.base.Relies(s, end))...)
		return
	case lacks:
		r.NotApplicable(noElection)
		return
	}
	m.AtEnd.End(r, s, end, m.check)
	m.judgeRound(r, end, false)
	m.finish(r, s)
}

// check evaluates the condition in the last state: once, or for each process of the domain. In an incomplete
// recording, a process outside the domain may belong to it; the verdict depends on these needs.
func (m *endMonitor) check(r *analyze.Result, s *replay.State, end analyze.Ending) {
	m.frame.begin(s, &tracefmt.Event{Seq: s.Seq, Time: s.Time})
	if m.variable == "" {
		m.decide(r, end)
		return
	}
	for p := tracefmt.ProcessID(1); int(p) <= len(m.frame.run.Members); p++ {
		m.frame.variables[0] = p
		if m.domain.member(m.frame, p) {
			m.decide(r, end)
		} else if m.frame.partial() {
			m.holdsUnless = append(m.holdsUnless, m.doubts()...)
		}
	}
}

// decide evaluates the condition in the current state, for the process that the variable names, and reports a
// violation if it is false.
func (m *endMonitor) decide(r *analyze.Result, end analyze.Ending) {
	r.Examined++
	m.occurred = true
	rests := m.doubts()
	switch m.holds.test(m.frame) {
	case yes:
		m.holdsUnless = append(m.holdsUnless, rests...)
		return
	case unknown:
		r.Undecided(func() string { return m.description() + " is neither true nor false" }, rests...)
		return
	}
	if end.Final() {
		reason := m.frame.explain(m.holds.test)
		r.ViolateUnless(rests, func() string { return m.description() + " does not hold" + reason.text() },
			append(reason.events, m.frame.state.Seq)...)
	} else {
		reason := m.frame.explain(m.holds.test)
		r.OweUnless(rests, m.description()+" does not hold yet"+reason.text(), m.frame.state.Seq)
	}
}

// doubts returns the needs by which the outcome at the current process may differ: because the condition
// has another value, or because the process is in the domain or not.
func (m *endMonitor) doubts() []analyze.Need {
	return m.frame.doubts(func() {
		holds, from := m.holds.conditionTruths(m.frame), m.frame.dependencies.length()
		if m.variable == "" {
			return
		}
		switch membership := m.domain.membershipTruths(m.frame, m.frame.variables[0]); {
		case membership == mayBeNo:
			m.frame.drop(0)
		case holds == mayBeYes:
			m.frame.drop(from)
		}
	})
}

// description returns the condition, with the process for which it is decided.
func (m *endMonitor) description() string {
	text := "at the end, " + m.condition.String()
	if m.variable != "" {
		text += fmt.Sprintf(" for %s = %s", m.variable, shorten(m.frame.run.ProcessName(m.frame.variables[0])))
	}
	return text
}
