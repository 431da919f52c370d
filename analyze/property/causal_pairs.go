package property

import (
	"fmt"
	"maps"
	"slices"

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
	// round is that in which it holds at a process, such as a term: processes of different
	// rounds are not compared, one of which it is not known is with all. nil for none.
	round func(s *replay.State, p tracefmt.ProcessID) replay.Term
	// lacks says what the run lacks to be examined, "" for nothing.
	lacks func(s *replay.State) string

	tracker *causal.Tracker
	// unknown has the processes of which no round is known, and rounds, by round, those
	// of it and again those of which none is known.
	unknown *causal.Pairs
	rounds  map[replay.Term]*causal.Pairs
	sweep   int              // with how many rounds the idle ones are forgotten next
	found   []causal.Witness // not reported yet
	until   []tracefmt.Seq   // by process: where it held last; 0 if it never did
	held    []inRound
}

// inRound says whether it holds at a process, and in which round.
type inRound struct {
	holds bool
	round replay.Term
}

// newTogether returns a monitor that looks at a process when it is told to; tracker takes
// in all events before that.
func newTogether(run *tracefmt.Run, tracker *causal.Tracker, t together) *together {
	t.tracker = tracker
	t.until, t.held = make([]tracefmt.Seq, len(run.Members)+1), make([]inRound, len(run.Members)+1)
	t.rounds = make(map[replay.Term]*causal.Pairs)
	m := &t
	m.unknown = m.detector()
	return m
}

func (m *together) detector() *causal.Pairs {
	detector := m.tracker.PossiblyPairs
	if m.definite {
		detector = m.tracker.DefinitelyPairs
	}
	return detector(func(w causal.Witness) { m.found = append(m.found, w) })
}

func (m *together) Step(r *analyze.Result, s *replay.State, e *tracefmt.Event) {
	m.tracker.Step(e)
	m.look(r, s, e)
}

// look compares what holds at the event's process with what held before.
func (m *together) look(r *analyze.Result, s *replay.State, e *tracefmt.Event) {
	p, now := e.Process, inRound{holds: m.holds(s, e)}
	if now.holds && m.round != nil {
		now.round = m.round(s, p)
	}
	before := m.held[p]
	if now == before {
		return
	}
	if now.holds {
		r.Examined++
	}
	m.until[p], m.held[p] = e.Seq, now
	m.change(p, before, now)
	m.tell(r, s.Run)
}

// change tells the detectors where it holds now.
func (m *together) change(p tracefmt.ProcessID, before, now inRound) {
	if now.round.Known() && m.rounds[now.round] == nil {
		m.begin(now.round)
	}
	m.unknown.Set(p, now.holds && !now.round.Known())
	for _, round := range m.concerned(before, now) {
		m.rounds[round].Set(p, now.holds && now.round.MaySame(round))
		m.forget(round)
	}
}

// concerned returns the rounds for which such a change may be one.
func (m *together) concerned(before, now inRound) []replay.Term {
	if before.holds && !before.round.Known() || now.holds && !now.round.Known() {
		return m.inOrder()
	}
	var rounds []replay.Term
	if before.round.Known() {
		rounds = append(rounds, before.round)
	}
	if now.round.Known() && now.round != before.round {
		rounds = append(rounds, now.round)
	}
	return rounds
}

func (m *together) inOrder() []replay.Term {
	return slices.SortedFunc(maps.Keys(m.rounds), replay.Term.Compare)
}

// begin makes the detector of a round.
func (m *together) begin(round replay.Term) {
	if len(m.rounds) >= m.sweep {
		for old := range m.rounds {
			m.forget(old)
		}
		m.sweep = max(fewRounds, 2*len(m.rounds))
	}
	m.rounds[round] = m.unknown.Fork()
}

// fewRounds is how many need no sweep.
const fewRounds = 64

// forget drops the detector of a round that has nothing to remember, but for what
// that of processes without a round has.
func (m *together) forget(round replay.Term) {
	if pairs := m.rounds[round]; pairs.Idle() && m.unknown.Idle() {
		pairs.Close()
		delete(m.rounds, round)
	}
}

func (m *together) End(r *analyze.Result, s *replay.State, end analyze.Ending) {
	m.unknown.End(end.Quiescent)
	for _, round := range m.inOrder() {
		m.rounds[round].End(end.Quiescent)
	}
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
			inLoop = inLoop || m.held[p].holds || until > end.LoopFrom
		}
	}
	return end.Looping() && ever > 1 && inLoop
}

// tell reports what was found.
func (m *together) tell(r *analyze.Result, run *tracefmt.Run) {
	for _, w := range m.found {
		p, q := w.Intervals[0], w.Intervals[1]
		if r.Violations == 0 {
			r.Cut = w.Cut().Seqs()
		}
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
