package spec

import (
	"fmt"

	"etrace/analyze"
	"etrace/replay"
	"etrace/tracefmt"
)

// compile of "at end C". A "forall p in S: C" is decided for each p apart.
func (form *endForm) compile(c *compiler) (*plan, error) {
	n, err := c.scope.lower(form.Expr)
	if err != nil {
		return nil, err
	}
	m := endMonitor{condition: n}
	if n.op == "forall" {
		m.domain, err = c.scope.set(n.kids[0])
		if err != nil {
			return nil, err
		}
		inner := *c.scope
		inner.variables, m.variable, m.condition = []string{n.name}, n.name, n.kids[1]
		m.holds, err = inner.condition(n.kids[1])
	} else {
		m.holds, err = c.scope.condition(n)
	}
	reads := c.scope.program.since(0)
	return &plan{kind: analyze.Liveness, needs: c.stateNeeds(), relies: reads, excuses: reads, monitor: func(b base) analyze.Monitor {
		own := m
		own.base = b
		return &own
	}}, err
}

// endMonitor looks at the end of a run.
type endMonitor struct {
	base
	analyze.AtEnd
	condition *node
	domain    code   // of the processes that it is asked of
	variable  string // "": it is asked once
	holds     code
	firm      []analyze.Need // what it rests on that it holds
}

// Relies are the facts on which it rests that the condition holds.
func (m *endMonitor) Relies(*replay.State, analyze.Ending) []analyze.Need { return m.firm }

func (m *endMonitor) Step(_ *analyze.Result, s *replay.State, e *tracefmt.Event) { m.wants(s, e) }

// Recur looks at a state of the loop in which the run ends.
func (m *endMonitor) Recur(s *replay.State, e *tracefmt.Event) {
	m.base.Recur(s, e)
	m.AtEnd.Recur(s, (m.kinds | setOf(stateKinds)).has(e.Kind), m.check)
}

// End looks at the last state.
func (m *endMonitor) End(r *analyze.Result, s *replay.State, end analyze.Ending) {
	switch lacks := m.program.elected && !s.HasElected(); {
	case lacks && end.Final() && !m.frame.partial(): // so that none has elected
	case lacks && end.Final():
		r.Undecided(func() string { return noElection }, m.base.Relies(s, end)...)
		return
	case lacks:
		r.NotApplicable(noElection)
		return
	}
	m.AtEnd.End(r, s, end, m.check)
	m.judgeRound(r, end, false)
	m.close(r, s)
}

func (m *endMonitor) check(r *analyze.Result, s *replay.State, end analyze.Ending) {
	m.frame.begin(s, &tracefmt.Event{Seq: s.Seq, Time: s.Time})
	if m.variable == "" {
		m.decide(r, end)
		return
	}
	for p := tracefmt.ProcessID(1); int(p) < len(m.frame.plain); p++ {
		m.frame.variables[0] = p
		if m.domain.member(m.frame, p) {
			m.decide(r, end)
		} else if m.frame.partial() {
			m.firm = append(m.firm, m.rests()...)
		}
	}
}

// decide judges the condition in the state at hand.
func (m *endMonitor) decide(r *analyze.Result, end analyze.Ending) {
	r.Examined++
	m.occurred = true
	rests := m.rests()
	switch m.holds.test(m.frame) {
	case yes:
		m.firm = append(m.firm, rests...)
		return
	case unknown:
		r.Undecided(func() string { return m.told() + " is neither true nor false" }, rests...)
		return
	}
	if end.Final() {
		why := m.frame.explain(m.holds.test)
		r.ViolateUnless(rests, func() string { return m.told() + " does not hold" + why.told() }, append(why.events, m.frame.state.Seq)...)
	} else {
		why := m.frame.explain(m.holds.test)
		r.OweUnless(rests, m.told()+" does not hold yet"+why.told(), m.frame.state.Seq)
	}
}

// rests is what may make it another outcome at the process at hand: that the condition holds
// of it or not, and that it is asked of that or not.
func (m *endMonitor) rests() []analyze.Need {
	return m.frame.doubts(func() {
		holds, from := m.holds.possible(m.frame), m.frame.reading.mark()
		if m.variable == "" {
			return
		}
		switch in := m.domain.possibly(m.frame, m.frame.variables[0]); {
		case in == mayBeNo:
			m.frame.unread(0)
		case holds == mayBeYes:
			m.frame.unread(from)
		}
	})
}

// told is the condition, and of which process.
func (m *endMonitor) told() string {
	text := "at the end, " + m.condition.String()
	if m.variable != "" {
		text += fmt.Sprintf(" for %s = %s", m.variable, shorten(m.frame.run.ProcessName(m.frame.variables[0])))
	}
	return text
}
