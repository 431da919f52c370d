package spec

import (
	"fmt"

	"etrace/analyze"
	"etrace/replay"
	"etrace/tracefmt"
)

func (p *pairMonitor) leads(c *compiler, first *scope, form *eachForm) (*plan, error) {
	plan := &plan{kind: analyze.Liveness, needs: p.trigger.words, kinds: p.trigger.kinds | p.matcher.kinds}
	if form.Within != nil {
		plan.kind = analyze.Safety // overdue is overdue, however the run goes on
	}
	var release *pairing
	if form.Unless != nil {
		var err error
		if release, err = c.join(first, form.Unless, true); err != nil {
			return nil, err
		}
		if len(release.first) == 0 && release.rest != nil && !c.AllowQuadratic {
			return nil, quadratic(form.Unless)
		}
		plan.kinds |= release.matcher.kinds
	}
	plan.monitor = func(b base) analyze.Monitor {
		m := &leadsMonitor{pairMonitor: *p, release: release, ledger: newLedger()}
		m.base = b
		return m
	}
	return plan, nil
}

// leadsMonitor keeps the open obligations: of the events of the first pattern,
// those that nothing has answered yet.
type leadsMonitor struct {
	pairMonitor
	release *pairing // nil: nothing releases
	ledger  ledger
	cycle   cycle
}

func (m *leadsMonitor) Step(r *analyze.Result, s *replay.State, e *tracefmt.Event) {
	m.cycle.answered, m.cycle.released = false, false
	if r.Examined == 0 {
		m.now = m.at(e) // nothing was owed yet: that it went back before does not matter
	}
	if !m.tick(r, e) {
		return
	}
	m.expire(r, e)
	if !m.wants(s, e) {
		return
	}
	m.cycle.answer, m.cycle.answered = m.discharge(m.pairing, byAnswer)
	if m.release != nil {
		m.cycle.release, m.cycle.released = m.discharge(m.release, byRelease)
	}
	if m.meets(m.trigger) {
		m.demand(r)
	}
}

// expire finds the obligations whose time is over.
func (m *leadsMonitor) expire(r *analyze.Result, e *tracefmt.Event) {
	for m.within != forEver && m.ledger.first != 0 {
		o := &m.ledger.all[m.ledger.first]
		if o.deadline >= m.at(e) {
			return
		}
		m.violate(r, o, fmt.Sprintf("but the run is at %v at seq %d", m.at(e), e.Seq), e.Seq)
		m.ledger.close(m.ledger.first)
	}
}

// discharge closes the obligations that the event at hand answers, if it is of
// the pattern, and returns its key.
func (m *leadsMonitor) discharge(j *pairing, list int) (k key, matched bool) {
	if !j.matcher.matches(m.frame) {
		return key{}, false
	}
	if k, matched = j.second.key(m.frame); !matched {
		return key{}, false
	}
	for i := m.ledger.heads[list][k]; i != 0; {
		o := &m.ledger.all[i]
		next := o.next[list]
		if m.holds(j, m.keptFor(list, o)) {
			m.ledger.close(i)
		}
		i = next
	}
	return k, true
}

// keptFor is what was kept of the first event for one of the lists.
func (m *leadsMonitor) keptFor(list int, o *obligation) []value {
	if list == byRelease {
		return o.kept[len(m.keep):]
	}
	return o.kept
}

// demand opens an obligation.
func (m *leadsMonitor) demand(r *analyze.Result) {
	o := obligation{mark: m.mark(), count: 1, deadline: later(m.at(m.event), m.within)}
	var ok, released bool
	if o.keys[byAnswer], ok = m.first.key(m.frame); !ok {
		r.Undecided(m.vain())
		return
	}
	r.Examined++
	m.round.looked = m.event.Seq
	o.kept = keptOf(m.frame, nil, m.keep)
	if m.release != nil {
		// Without a key, nothing releases it.
		if o.keys[byRelease], released = m.release.first.key(m.frame); !released {
			o.keys[byRelease] = key{{sort: compound, s: "none"}}
		}
		o.kept = keptOf(m.frame, o.kept, m.release.keep)
	}
	if m.within == forEver {
		o.deadline = 0
	}
	if m.ledger.open(o); m.ledger.size() > mostPast {
		m.lose(r, fmt.Sprintf("more than %d obligations are open at seq %d", mostPast, m.event.Seq))
	}
}

func (m *leadsMonitor) violate(r *analyze.Result, o *obligation, but string, witness ...tracefmt.Seq) {
	r.Violate(func() string {
		return fmt.Sprintf("%s; expected %s%s, %s", m.recall(o.mark), m.matcher.source, m.until(o), but)
	}, append(witness, o.seq)...)
	r.Violations += o.count - 1
}

func (m *leadsMonitor) until(o *obligation) string {
	if m.within == forEver {
		return ""
	}
	return fmt.Sprintf(" until %v", o.deadline)
}

// End decides what is still open.
func (m *leadsMonitor) End(r *analyze.Result, s *replay.State, end analyze.Ending) {
	defer m.close(r, s)
	defer m.judgeRound(r, end, m.timed)
	if m.lost {
		return
	}
	var open owed
	for i := m.ledger.first; i != 0; i = m.ledger.all[i].next[byTime] {
		o := &m.ledger.all[i]
		switch {
		case end.Looping():
			m.judgeLoop(r, o, end)
		case end.Final():
			m.violate(r, o, "but nothing can happen any more")
		default:
			open.owe(r, fmt.Sprintf("%s; awaits %s%s", m.recall(o.mark), m.matcher.source, m.until(o)))
		}
	}
	open.close(r)
}

// cycle is what the loop in which a run ends says about open obligations: an
// answer that comes once in it comes again.
type cycle struct {
	inside             bool // the first state of the loop has passed
	answer, release    key  // of the event at hand
	answered, released bool
	answers, releases  map[key]tracefmt.Time // in the loop, the first of each key
	began, ended       tracefmt.Time
}

// Recur takes in an event of the loop.
func (m *leadsMonitor) Recur(s *replay.State, e *tracefmt.Event) {
	m.base.Recur(s, e)
	c := &m.cycle
	if c.ended = m.at(e); !c.inside {
		*c = cycle{inside: true, answers: map[key]tracefmt.Time{}, releases: map[key]tracefmt.Time{}, began: c.ended, ended: c.ended}
		return
	}
	if _, had := c.answers[c.answer]; c.answered && !had {
		c.answers[c.answer] = c.ended
	}
	if _, had := c.releases[c.release]; c.released && !had {
		c.releases[c.release] = c.ended
	}
}

// judgeLoop decides an obligation that is open where the run begins to repeat
// itself. One from before the loop is open forever, since nothing in the loop
// has closed it.
func (m *leadsMonitor) judgeLoop(r *analyze.Result, o *obligation, end analyze.Ending) {
	c := &m.cycle
	answers := len(c.answers) + len(c.releases)
	switch {
	case o.seq <= end.LoopFrom || answers == 0:
	case m.again(c.answers, o, byAnswer) || m.again(c.releases, o, byRelease):
		return
	case m.rest != nil || m.volatile || m.release != nil && (m.release.rest != nil || m.release.volatile):
		r.Undecided(func() string {
			return fmt.Sprintf("%s, in the loop in which the run ends; whether the next round answers it cannot be decided", m.recall(o.mark))
		})
		return
	}
	m.violate(r, o, fmt.Sprintf("but the run repeats seq %d to %d forever", end.LoopFrom+1, end.LoopTo), end.LoopFrom, end.LoopTo)
}

// again reports whether the next round of the loop closes an obligation in
// time.
func (m *leadsMonitor) again(times map[key]tracefmt.Time, o *obligation, list int) bool {
	at, ok := times[o.keys[list]]
	return ok && m.rest == nil && (m.within == forEver || later(at, m.cycle.ended-m.cycle.began) <= o.deadline)
}
