package spec

import (
	"fmt"
	"slices"

	"etrace/analyze"
	"etrace/replay"
	"etrace/tracefmt"
)

// compile of "eventually C within T", of a condition on the state or a pattern.
func (form *eventuallyForm) compile(c *compiler) (*plan, error) {
	m := eventuallyMonitor{window: window{span: endless}}
	plan := &plan{kind: analyze.Liveness}
	var err error
	if form.Within != nil {
		plan.kind = analyze.Safety // late is late, however the run goes on
		if m.window.span, err = form.Within.span(); err != nil {
			return nil, err
		}
	}
	if form.Pattern != nil {
		if m.pattern, err = c.matcher(form.Pattern); err != nil {
			return nil, err
		}
		m.what, plan.needs, plan.kinds = m.pattern.source, m.pattern.words, m.pattern.kinds
	} else {
		n, err := c.lower(form.Expr)
		if err != nil {
			return nil, err
		}
		if m.holds, err = c.test(n); err != nil {
			return nil, c.kindMeant(n, err)
		}
		m.what, plan.needs, plan.kinds = n.String(), c.stateNeeds(), setOf(stateKinds)
	}
	if m.rests = (relied{reads: c.since(0)}); m.pattern != nil {
		m.rests.events, plan.triggers = m.pattern.events, m.pattern.triggers()
	}
	plan.relies, plan.excuses = m.rests.reads, m.rests.any()
	plan.monitor = func(b base) analyze.Monitor {
		own := m
		own.base = b
		return &own
	}
	return plan, nil
}

// eventuallyMonitor waits for one state, or event.
type eventuallyMonitor struct {
	base
	pattern *matcher // nil: a condition on the state
	holds   test
	what    string
	window  window // from the first event of a process on
	began   tracefmt.Time
	started bool
	done    bool
	late    *mark // the event at which the time was over
	lateAt  tracefmt.Time
	doubt   func() string // why it may have held
	rests   relied
	doubts  []analyze.Need // what it rests on that it is done
	first   tracefmt.Seq   // the first event of a process
}

// Relies are the facts on which it rests that it was done, and in time.
func (m *eventuallyMonitor) Relies(*replay.State, analyze.Ending) []analyze.Need {
	if m.window.within == forEver || m.first == 0 {
		return m.doubts
	}
	var earlier []tracefmt.Fact
	for _, k := range tracefmt.Kinds() {
		if k.Info().Process == tracefmt.Required {
			earlier = append(earlier, tracefmt.Fact{Kind: k})
		}
	}
	return append(analyze.Needs(analyze.EveryProcess, 0, m.first, earlier...), m.doubts...)
}

func (m *eventuallyMonitor) Step(r *analyze.Result, s *replay.State, e *tracefmt.Event) {
	if m.done || m.late != nil || m.lost || !m.window.tick(r, &m.base, e) {
		return
	}
	wanted, first := m.wants(s, e), !m.started && e.Process != 0
	if first {
		m.started, m.began, m.first = true, m.window.now, e.Seq
	}
	if m.started && m.window.within != forEver && m.window.now > m.deadline() {
		m.late, m.lateAt = &mark{seq: e.Seq}, m.window.now
		m.state = s
		m.doubts = slices.Concat(m.anywhere(m.rests.events), m.anywhere(m.rests.reads))
		return
	}
	switch {
	case m.pattern == nil && (wanted || first):
		if !wanted {
			m.begin(s, e)
		}
		m.look(m.holds(m.frame))
	case m.pattern != nil && wanted && m.pattern.kinds.has(e.Kind):
		m.occurred = true
		if m.done = m.pattern.matches(m.frame); m.done {
			m.doubts = m.doubtsOf(m.pattern.test)
		}
	}
}

func (m *eventuallyMonitor) deadline() tracefmt.Time { return later(m.began, m.window.within) }

// look takes in whether it holds.
func (m *eventuallyMonitor) look(holds truth) {
	switch {
	case holds == yes:
		m.done, m.doubts = true, m.doubtsOf(m.holds)
	case holds == unknown && m.doubt == nil:
		why := m.vain()()
		m.doubt = func() string { return why }
	}
}

// End decides. The states of a loop have all been seen.
func (m *eventuallyMonitor) End(r *analyze.Result, s *replay.State, end analyze.Ending) {
	if !m.started && m.pattern == nil {
		m.begin(s, &tracefmt.Event{Seq: s.Seq, Time: s.Time})
		m.look(m.holds(m.frame))
	}
	if m.lost {
		return
	}
	m.state = s
	if m.done { // also without a field that no event has
		r.Examined = 1
	}
	if lacking := m.lacking(r, s); lacking != "" {
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
	case end.Looping() && (m.timed || m.renamed || m.unsteady()):
		r.Undecided(unsteadyLoop)
	case end.Looping():
		m.fail(r, fmt.Sprintf(", and the run repeats seq %d to %d forever", end.LoopFrom+1, end.LoopTo), end.LoopFrom, end.LoopTo)
	case end.Final():
		m.fail(r, ", and nothing can happen any more", s.Seq)
	case m.window.within == forEver:
		r.OweUnless(m.hidden(), "awaits "+m.what)
	default:
		r.OweUnless(m.hidden(), fmt.Sprintf("awaits %s%s", m.what, m.window.until(m.deadline())))
	}
}

// hidden is what may have happened without being recorded: until the time was over, or now.
func (m *eventuallyMonitor) hidden() []analyze.Need {
	if m.late != nil || m.state == nil {
		return m.doubts
	}
	return slices.Concat(m.anywhere(m.rests.events), m.anywhere(m.rests.reads))
}

func (m *eventuallyMonitor) fail(r *analyze.Result, text string, witness ...tracefmt.Seq) {
	verb := "never holds"
	if m.pattern != nil {
		verb = "never happens"
	}
	r.ViolateUnless(m.hidden(), func() string { return fmt.Sprintf("%s %s%s", m.what, verb, text) }, witness...)
}
