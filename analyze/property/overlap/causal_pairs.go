package overlap

import (
	"fmt"
	"iter"
	"maps"
	"slices"

	"etrace/analyze"
	"etrace/analyze/causal"
	"etrace/replay"
	"etrace/tracefmt"
	"etrace/tracefmt/text"
)

// Monitor is a monitor for a condition at two processes at the same time: in some consistent cut, or on every
// path through the cuts. Unlike the recorded order, this does not depend on the recorder.
type Monitor struct {
	Does, Do string // the condition as a verb: leads, lead
	Definite bool
	// Holds reports whether the condition holds at the event's process, after the state was updated.
	Holds func(s *replay.State, e *tracefmt.Event) bool
	// Round returns the round of the condition at a process, such as a term. Processes of different rounds are not
	// compared; a process without a known round is compared with all. nil for no rounds.
	Round func(s *replay.State, p tracefmt.ProcessID) replay.Term
	// Lacks returns what the run lacks to be examined, "" for nothing.
	Lacks func(s *replay.State) string
	// Edges has the facts that order events in an incomplete recording. rests returns the needs on which the
	// condition's beginning at p rests; ends are the facts that may end it. may returns, at the end, where the
	// condition may hold at two processes in the recorded order, whether it may hold unrecorded at one, and by which
	// facts.
	Edges      *analyze.Edges
	Rests      func(s *replay.State, p tracefmt.ProcessID) []analyze.Need
	Ends       func(s *replay.State) []tracefmt.Fact
	Unrecorded func(s *replay.State) (at *Meetings, share bool, needs []analyze.Need)

	tracker *causal.Tracker
	doubts  map[beginning][]analyze.Need // the needs on which each beginning rests
	heard   Heard
	wasDown []bool
	// unknown has the processes without a known round; rounds has, by round, its processes together with those of
	// unknown.
	unknown *causal.Pairs
	rounds  map[replay.Term]*causal.Pairs
	sweep   int              // the number of rounds at which the idle ones are dropped next
	found   []causal.Witness // witnesses that are not reported yet
	until   []tracefmt.Seq   // by process: the last event at which it held, 0 for never
	held    []inRound
}

// beginning is the beginning of an interval: the event at which the condition began to hold at a process.
type beginning struct {
	process tracefmt.ProcessID
	seq     tracefmt.Seq
}

// inRound has whether the condition holds at a process, and the round.
type inRound struct {
	holds bool
	round replay.Term
}

// New returns a monitor; the caller decides when it looks at a process, after tracker has taken the
// event.
func New(run *tracefmt.Run, tracker *causal.Tracker, t Monitor) *Monitor {
	t.tracker = tracker
	t.until, t.held = make([]tracefmt.Seq, len(run.Members)+1), make([]inRound, len(run.Members)+1)
	t.rounds, t.doubts, t.wasDown = make(map[replay.Term]*causal.Pairs), make(map[beginning][]analyze.Need),
		make([]bool, len(run.Members)+1)
	m := &t
	m.heard = make(Heard, len(run.Members)+1)
	m.unknown = m.detector()
	return m
}

// detector returns a detector of two overlapping intervals, which appends its findings to found.
func (m *Monitor) detector() *causal.Pairs {
	detector := m.tracker.PossiblyPairs
	if m.Definite {
		detector = m.tracker.DefinitelyPairs
	}
	return detector(func(w causal.Witness) { m.found = append(m.found, w) })
}

// Step implements [analyze.Monitor].
func (m *Monitor) Step(r *analyze.Result, s *replay.State, e *tracefmt.Event) {
	m.tracker.Step(e)
	if !s.Coverage().Complete() {
		m.Edges.Step(e)
		m.heard.Step(e)
	}
	m.Look(r, s, e)
}

// Look compares the condition at the event's process with its former value.
func (m *Monitor) Look(r *analyze.Result, s *replay.State, e *tracefmt.Event) {
	p, current := e.Process, inRound{holds: m.Holds(s, e)}
	m.wasDown[p] = m.wasDown[p] || e.Kind == tracefmt.Crash || e.Kind == tracefmt.Halt
	if current.holds && m.Round != nil {
		current.round = m.Round(s, p)
	}
	former := m.held[p]
	// A restart ends the interval, also if the condition holds again at once.
	if former.holds && current.holds && BeginsAnew(e) {
		m.change(p, former, inRound{})
		former = inRound{}
	}
	if current == former {
		return
	}
	if current.holds {
		r.Examined++
		if !s.Coverage().Complete() {
			m.doubts[beginning{p, e.Seq}] = m.Rests(s, p)
		}
	}
	m.until[p], m.held[p] = e.Seq, current
	m.change(p, former, current)
	m.report(r, s)
}

// change updates the detectors of the rounds concerned.
func (m *Monitor) change(p tracefmt.ProcessID, before, now inRound) {
	if now.round.Known() && m.rounds[now.round] == nil {
		m.newRound(now.round)
	}
	m.unknown.Set(p, now.holds && !now.round.Known())
	for _, round := range m.concerned(before, now) {
		m.rounds[round].Set(p, now.holds && now.round.MaySame(round))
		m.forget(round)
	}
}

// concerned returns the rounds in which a change matters.
func (m *Monitor) concerned(before, now inRound) []replay.Term {
	// An unknown round may be any of them.
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

// inOrder returns the rounds in a fixed order.
func (m *Monitor) inOrder() []replay.Term {
	return slices.SortedFunc(maps.Keys(m.rounds), replay.Term.Compare)
}

// newRound creates the detector of a round.
func (m *Monitor) newRound(round replay.Term) {
	if len(m.rounds) >= m.sweep {
		for old := range m.rounds {
			m.forget(old)
		}
		m.sweep = max(fewRounds, 2*len(m.rounds))
	}
	m.rounds[round] = m.unknown.Fork()
}

// fewRounds is the number of rounds below which idle ones stay.
const fewRounds = 64

// forget drops the detector of a round without processes of its own.
func (m *Monitor) forget(round replay.Term) {
	if pairs := m.rounds[round]; pairs.Idle() && m.unknown.Idle() {
		pairs.Close()
		delete(m.rounds, round)
	}
}

// End implements [analyze.Monitor].
func (m *Monitor) End(r *analyze.Result, s *replay.State, end analyze.Ending) {
	m.unknown.End(end.Quiescent)
	for _, round := range m.inOrder() {
		m.rounds[round].End(end.Quiescent)
	}
	m.report(r, s)
	switch reason := m.Lacks(s); {
	case reason != "":
		r.NotApplicable(reason)
	case m.tracker.Undecided() != "":
		r.Undecided(m.tracker.Undecided)
	case m.possibleInLoop(end):
		r.Undecided(func() string {
			return fmt.Sprintf("a process %s in the loop in which the run ends; whether it meets another there "+
				"in a further round was not examined", m.Does)
		})
	}
}

// possibleInLoop reports whether further rounds of a loop may show more than the first: messages carry knowledge
// into the next.
func (m *Monitor) possibleInLoop(end analyze.Ending) bool {
	ever, inLoop := 0, false
	for p, until := range m.until {
		if until != 0 {
			ever++
			inLoop = inLoop || m.held[p].holds || until > end.LoopFrom
		}
	}
	return end.Looping() && ever > 1 && inLoop
}

// report reports the findings. In an incomplete recording it waits for the end, since later events may show what is
// missing.
func (m *Monitor) report(r *analyze.Result, s *replay.State) {
	if s.Now() != 0 && len(m.found) < maxHeld && !s.Coverage().Complete() {
		return
	}
	for _, w := range m.found {
		p, q := w.Intervals[0], w.Intervals[1]
		if r.Violations == 0 {
			r.Cut = w.Cut().Seqs()
		}
		r.ViolateUnless(m.separationNeeds(s, w), func() string { return m.explain(s.Run, p, q, w.Cut()) }, p.From, p.To,
			q.From, q.To)
	}
	m.found = m.found[:0]
}

// maxHeld bounds the findings that wait.
const maxHeld = 1 << 12

// separationNeeds returns the needs by which unrecorded events may keep two processes apart.
func (m *Monitor) separationNeeds(s *replay.State, w causal.Witness) (needs []analyze.Need) {
	for _, i := range w.Intervals {
		needs = append(needs, m.doubts[beginning{i.Process, i.From}]...)
	}
	changes := func(p tracefmt.ProcessID) []analyze.Need { return analyze.Changes(p, m.wasDown[p], m.Ends(s)) }
	if m.Definite {
		return append(needs, analyze.DefinitelyUnless(w, changes)...)
	}
	edges := m.Edges.Facts()
	if s.Now() == 0 {
		edges = m.Edges.Missing(s)
	}
	return append(needs, analyze.PossiblyUnless(w, edges, changes)...)
}

// Relies returns the facts on which the absence of a finding rests: the facts that begin the condition, and for
// definitely the facts that order events, which leaves fewer paths.
func (m *Monitor) Relies(s *replay.State, end analyze.Ending) iter.Seq[analyze.Need] {
	at, share, needs := m.Unrecorded(s)
	if m.Definite {
		return slices.Values(RestsOnOrder(s, end, at, m.heard, m.Edges, needs))
	}
	if !share {
		return nil
	}
	return slices.Values(needs)
}

// RestsOnOrder returns the facts on which it rests that some order avoids all overlaps: every order includes the
// recorded one. needs are the facts of unrecorded overlaps.
func RestsOnOrder(
	s *replay.State, end analyze.Ending, at *Meetings, h Heard, o *analyze.Edges, needs []analyze.Need,
) []analyze.Need {
	edges := analyze.Needs(analyze.EveryProcess, 0, 0, o.Missing(s)...)
	anyStored, hidden := at.some(), at.Hidden
	if !slices.ContainsFunc(analyze.Missing(s, edges), func(n analyze.Need) bool { return n.Fact.Kind != tracefmt.Send }) {
		anyStored, hidden = h.definite(at, end.Quiescent)
	}
	switch {
	case hidden:
		return append(needs, edges...)
	case anyStored:
		return edges
	}
	return nil
}

// explain describes two intervals and a cut in which both hold.
func (m *Monitor) explain(run *tracefmt.Run, p, q causal.Interval, cut causal.Cut) string {
	text := fmt.Sprintf("process %s %s %v and process %s %v", run.ProcessName(p.Process), m.Does, p,
		run.ProcessName(q.Process), q)
	switch {
	case m.Definite:
		text += ", and each begins before the other ends in whatever order concurrent events took place"
	case p.To != 0:
		text += fmt.Sprintf(", but seq %d did not happen before seq %d", p.To, q.From)
	}
	return fmt.Sprintf("%s: both %s in the consistent cut (%s)", text, m.Do, cutText(run, cut))
}

// cutText lists the last events of a cut, up to a limit.
func cutText(run *tracefmt.Run, cut causal.Cut) string {
	var parts []string
	for i, seq := range cut {
		if seq != 0 {
			parts = append(parts, fmt.Sprintf("%s up to seq %d", run.ProcessName(tracefmt.ProcessID(i+1)), seq))
		}
	}
	return text.Some(parts, 8)
}

// BeginsAnew reports whether the event's process was down before it, recorded or not: it then leads anew.
func BeginsAnew(e *tracefmt.Event) bool {
	return e.Kind == tracefmt.Start || e.Kind == tracefmt.Recover
}
