package property

import (
	"fmt"

	"etrace/analyze"
	"etrace/analyze/causal"
	"etrace/replay"
	"etrace/tracefmt"
	"etrace/tracefmt/text"
)

// together is a monitor for two processes at which something holds at one
// time: in some consistent cut, or on every way through the cuts. Unlike the
// recorded order that is no accident of the recording.
type together struct {
	does, do string // what holds, as a verb: leads, lead
	definite bool
	// holds says whether it holds at the event's process, after the state has
	// taken the event in.
	holds func(s *replay.State, e *tracefmt.Event) bool
	// lacks says what the run lacks to be examined, "" for nothing.
	lacks func(s *replay.State) string

	tracker *causal.Tracker
	pairs   *causal.Pairs
	found   []causal.Witness // not reported yet
	until   []tracefmt.Seq   // by process: where it held last; 0 if it never did
	held    []bool
}

func newTogether(run *tracefmt.Run, t together) *together {
	t.tracker = causal.NewTracker(run)
	t.until, t.held = make([]tracefmt.Seq, len(run.Members)+1), make([]bool, len(run.Members)+1)
	detector := t.tracker.PossiblyPairs
	if t.definite {
		detector = t.tracker.DefinitelyPairs
	}
	m := &t
	m.pairs = detector(func(w causal.Witness) { m.found = append(m.found, w) })
	return m
}

func (m *together) Step(r *analyze.Result, s *replay.State, e *tracefmt.Event) {
	m.tracker.Step(e)
	holds := m.holds(s, e)
	if p := e.Process; holds != m.held[p] {
		if holds {
			r.Examined++
		}
		m.until[p], m.held[p] = e.Seq, holds
		m.pairs.Set(p, holds)
		m.tell(r, s.Run)
	}
}

func (m *together) End(r *analyze.Result, s *replay.State, end analyze.Ending) {
	m.pairs.End(end.Quiescent)
	m.tell(r, s.Run)
	switch reason := m.lacks(s); {
	case reason != "":
		r.NotApplicable(reason)
	case m.tracker.Undecided() != "":
		r.Undecided(m.tracker.Undecided)
	case m.mayMeetInLoop(end):
		r.Undecided(func() string {
			return fmt.Sprintf("a process %s in the loop in which the run ends; whether it meets another there in a further round was not examined", m.does)
		})
	}
}

// mayMeetInLoop reports whether further rounds of a loop may show what the
// first does not: messages carry what is known from one into the next.
func (m *together) mayMeetInLoop(end analyze.Ending) bool {
	ever, inLoop := 0, false
	for p, until := range m.until {
		if until != 0 {
			ever++
			inLoop = inLoop || m.held[p] || until > end.LoopFrom
		}
	}
	return end.Looping() && ever > 1 && inLoop
}

// tell reports what was found.
func (m *together) tell(r *analyze.Result, run *tracefmt.Run) {
	for _, w := range m.found {
		if r.Violations == 0 {
			r.Cut = w.Cut().Seqs()
		}
		p, q := w.Intervals[0], w.Intervals[1]
		r.Violate(func() string { return m.explain(run, p, q, w.Cut()) }, p.From, p.To, q.From, q.To)
	}
	m.found = m.found[:0]
}

func (m *together) explain(run *tracefmt.Run, p, q causal.Interval, cut causal.Cut) string {
	text := fmt.Sprintf("process %s %s %v and process %s %v", run.ProcessName(p.Process), m.does, p, run.ProcessName(q.Process), q)
	switch {
	case m.definite:
		text += ", and each begins before the other ends in whatever order concurrent events took place"
	case p.To != 0:
		text += fmt.Sprintf(", but seq %d did not happen before seq %d", p.To, q.From)
	}
	return fmt.Sprintf("%s: both %s in the consistent cut (%s)", text, m.do, cutText(run, cut))
}

// cutText lists the last events of a cut, at most a handful.
func cutText(run *tracefmt.Run, cut causal.Cut) string {
	var parts []string
	for i, seq := range cut {
		if seq != 0 {
			parts = append(parts, fmt.Sprintf("%s up to seq %d", run.ProcessName(tracefmt.ProcessID(i+1)), seq))
		}
	}
	return text.Some(parts, 8)
}
