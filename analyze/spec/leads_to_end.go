package spec

import (
	"encoding/json"
	"fmt"
	"sync"

	"etrace/analyze"
	"etrace/replay"
	"etrace/tracefmt"
)

// Part decides the obligations that the part leaves open, and those whose deadline passed before the end of the
// whole run.
func (m *leadsMonitor) Part(r *analyze.Result, _ *replay.State, run analyze.Overall, _ json.RawMessage) error {
	m.now = m.frame.run.TimeUnit.Units(run.LastTime)
	if !m.gaveUp {
		m.overdue(r, &m.stages[0], 0)
	}
	m.judgeOpen(r, run.LastSeq, run.Ending)
	return nil
}

// Join completes the first violation by the event that showed that its deadline had passed.
func (m *leadsMonitor) Join(survey json.RawMessage, r *analyze.Result, end analyze.Ending, late analyze.Late) error {
	if deadline := r.Deadline(); deadline != nil {
		seq, at, err := late(func(t tracefmt.Time) bool { return t > *deadline })
		if err != nil {
			return err
		}
		r.Overdue(seq, m.latenessText(*deadline, at, seq))
	}
	return m.base.Join(survey, r, end, late)
}

// End closes the rule.
func (m *leadsMonitor) End(r *analyze.Result, s *replay.State, end analyze.Ending) {
	m.judgeOpen(r, s.Seq, end)
	m.judgeRound(r, end, m.program.readsGrowing)
	m.finish(r, s)
}

// judgeOpen decides the obligations that are still open after the last event.
func (m *leadsMonitor) judgeOpen(r *analyze.Result, last tracefmt.Seq, end analyze.Ending) {
	if m.gaveUp {
		return
	}
	var open openCount
	laterSteps := sync.OnceValue(func() []analyze.Need { return m.laterSteps(last) })
	for stage := range m.stages {
		st := &m.stages[stage]
		for i := st.ledger.first; i != 0; i = st.ledger.entries[i].next[byTime] {
			o := &st.ledger.entries[i]
			switch {
			case end.Looping():
				m.judgeLoop(r, st, o, end)
			case end.Final():
				m.violate(r, stage, o, "but nothing can happen any more")
			default:
				r.Rank(rankOf(stage, o))
				awaits := fmt.Sprintf("%s; awaits %s%s", m.openedBy(o), st.matcher.source, st.until(o.deadline))
				if st.within != forEver {
					// An unrecorded later step may come after the deadline, which then has passed.
					if later := laterSteps(); len(later) > 0 {
						r.Undecided(func() string { return awaits + ", unless a later step is not recorded" }, later...)
					}
				}
				open.oweUnless(r, m.unrecordedAnswers(stage, o), awaits, o.origin, o.seq)
			}
		}
	}
	open.close(r)
}

// rankOf returns the place of an obligation among those open at the end.
func rankOf(stage int, o *obligation) tracefmt.Seq { return tracefmt.Seq(stage)<<52 | o.seq }

// loopAnswers collects the answers in the final loop: an answer that occurs in it recurs in every round.
type loopAnswers struct {
	inside             bool // the first state of the loop has passed
	answer, release    key  // the keys of the current event
	answered, released bool
	answers, releases  map[key]tracefmt.Time // the first of each key in the loop
	began, ended       tracefmt.Time
}

// Recur takes an event of the loop.
func (m *leadsMonitor) Recur(s *replay.State, e *tracefmt.Event) {
	m.base.Recur(s, e)
	for i := range m.stages {
		m.stages[i].loopAnswers.recur(m.timeOf(e))
	}
}

// recur records which keys the current event of the loop answers or releases, and when. The first call begins the
// loop.
func (c *loopAnswers) recur(now tracefmt.Time) {
	c.ended = now
	if !c.inside {
		*c = loopAnswers{
			inside: true, answers: map[key]tracefmt.Time{}, releases: map[key]tracefmt.Time{},
			began: c.ended, ended: c.ended,
		}
		return
	}
	if _, had := c.answers[c.answer]; c.answered && !had {
		c.answers[c.answer] = c.ended
	}
	if _, had := c.releases[c.release]; c.released && !had {
		c.releases[c.release] = c.ended
	}
}

// judgeLoop decides an obligation that is open at the end of a run that loops. An obligation from before the loop
// stays open forever, since no event of the loop has closed it. A demand of an answer in the next round is not
// examined.
func (m *leadsMonitor) judgeLoop(r *analyze.Result, st *answerStage, o *obligation, end analyze.Ending) {
	c, last := &st.loopAnswers, st == &m.stages[len(m.stages)-1]
	answers := len(c.answers) + len(c.releases)
	switch {
	case o.seq <= end.LoopFrom || answers == 0:
	case m.recursInTime(st, c.releases, o, byRelease) || last && m.recursInTime(st, c.answers, o, byAnswer):
		return
	// The first loop shows neither later stages of the next round, nor values that conditions read there, nor ids
	// that are new in each round.
	case !last, st.condition != nil, st.volatile, m.release != nil &&
		(m.release.condition != nil || m.release.volatile):
		r.Undecided(func() string {
			return fmt.Sprintf("%s, in the loop in which the run ends; whether the next round answers it cannot be decided", m.openedBy(o))
		})
		return
	}
	m.violate(r, m.stageNumber(st), o, fmt.Sprintf("but the run repeats seq %d to %d forever", end.LoopFrom+1,
		end.LoopTo), end.LoopFrom, end.LoopTo)
}

// recursInTime reports whether the next round of the loop closes an obligation before its deadline.
func (m *leadsMonitor) recursInTime(st *answerStage, times map[key]tracefmt.Time, o *obligation, list int) bool {
	at, ok := times[o.keys[list]]
	return ok && st.condition == nil && (st.within == forEver ||
		addTime(at, st.loopAnswers.ended-st.loopAnswers.began) <= o.deadline)
}
