package spec

import (
	"encoding/json"
	"fmt"
	"sync"

	"etrace/analyze"
	"etrace/replay"
	"etrace/tracefmt"
)

// Part decides what the part of the run leaves open, and what was over before the end of the
// whole run.
func (m *leadsMonitor) Part(r *analyze.Result, _ *replay.State, whole analyze.Overall) {
	m.now = m.frame.run.TimeUnit.Units(whole.LastTime)
	if !m.lost {
		m.overdue(r, &m.stages[0], 0)
	}
	m.settle(r, whole.LastSeq, whole.Ending)
}

// Join completes the first violation by the event with which its time was over.
func (m *leadsMonitor) Join(survey json.RawMessage, r *analyze.Result, end analyze.Ending, late analyze.Late) error {
	if deadline := r.Deadline(); deadline != nil {
		seq, at, err := late(func(t tracefmt.Time) bool { return t > *deadline })
		if err != nil {
			return err
		}
		r.Overdue(seq, m.tooLate(*deadline, at, seq))
	}
	return m.base.Join(survey, r, end, late)
}

// End closes the rule.
func (m *leadsMonitor) End(r *analyze.Result, s *replay.State, end analyze.Ending) {
	m.settle(r, s.Seq, end)
	m.judgeRound(r, end, m.program.timed)
	m.close(r, s)
}

// settle decides what is still open after the event last.
func (m *leadsMonitor) settle(r *analyze.Result, last tracefmt.Seq, end analyze.Ending) {
	if m.lost {
		return
	}
	var open owed
	laterSteps := sync.OnceValue(func() []analyze.Need { return m.laterSteps(last) })
	for stage := range m.stages {
		st := &m.stages[stage]
		for i := st.ledger.first; i != 0; i = st.ledger.all[i].next[byTime] {
			o := &st.ledger.all[i]
			switch {
			case end.Looping():
				m.judgeLoop(r, st, o, end)
			case end.Final():
				m.violate(r, stage, o, "but nothing can happen any more")
			default:
				r.Rank(rankOf(stage, o))
				awaits := fmt.Sprintf("%s; awaits %s%s", m.since(o), st.matcher.source, st.until(o.deadline))
				if st.within != forEver {
					if later := laterSteps(); len(later) > 0 {
						r.Undecided(func() string { return awaits + ", unless a step that is not recorded was later" }, later...)
					}
				}
				open.oweUnless(r, m.hidden(stage, o), awaits, o.origin, o.seq)
			}
		}
	}
	open.close(r)
}

// rankOf is the place of an obligation among those that are open at the end.
func rankOf(stage int, o *obligation) tracefmt.Seq { return tracefmt.Seq(stage)<<52 | o.seq }

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
	for i := range m.stages {
		m.stages[i].cycle.recur(m.at(e))
	}
}

func (c *cycle) recur(now tracefmt.Time) {
	c.ended = now
	if !c.inside {
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
// has closed it. What an answer of the next round leads to itself is not
// examined.
func (m *leadsMonitor) judgeLoop(r *analyze.Result, st *answerStage, o *obligation, end analyze.Ending) {
	c, last := &st.cycle, st == &m.stages[len(m.stages)-1]
	answers := len(c.answers) + len(c.releases)
	switch {
	case o.seq <= end.LoopFrom || answers == 0:
	case m.again(st, c.releases, o, byRelease) || last && m.again(st, c.answers, o, byAnswer):
		return
	case !last, st.rest != nil, st.volatile, m.release != nil && (m.release.rest != nil || m.release.volatile):
		r.Undecided(func() string {
			return fmt.Sprintf("%s, in the loop in which the run ends; whether the next round answers it cannot be decided", m.since(o))
		})
		return
	}
	m.violate(r, m.stage(st), o, fmt.Sprintf("but the run repeats seq %d to %d forever", end.LoopFrom+1, end.LoopTo), end.LoopFrom, end.LoopTo)
}

// again reports whether the next round of the loop closes an obligation in
// time.
func (m *leadsMonitor) again(st *answerStage, times map[key]tracefmt.Time, o *obligation, list int) bool {
	at, ok := times[o.keys[list]]
	return ok && st.rest == nil && (st.within == forEver || later(at, st.cycle.ended-st.cycle.began) <= o.deadline)
}
