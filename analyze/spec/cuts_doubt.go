package spec

import (
	"iter"
	"slices"

	"etrace/analyze"
	"etrace/analyze/causal"
	"etrace/replay"
	"etrace/tracefmt"
)

// noteEvent updates which processes were down, their first events, and their sends and receives.
func (m *cutMonitor) noteEvent(e *tracefmt.Event) {
	m.edges.Step(e)
	switch e.Kind {
	case tracefmt.Send:
		m.sends[e.Process].add(e.Seq)
	case tracefmt.Receive:
		m.receives[e.Process].add(e.Seq)
	}
	if e.Kind == tracefmt.Crash || e.Kind == tracefmt.Halt {
		m.wasDown[e.Process] = true
	}
	if m.first[e.Process] == 0 {
		m.first[e.Process] = e.Seq
	}
}

// noteBeginDoubts stores the needs that decide whether an interval of the part begins at the current event, with its
// values.
func (m *cutMonitor) noteBeginDoubts(part *localState, e *tracefmt.Event) {
	needs := m.frame.doubts(func() {
		if part.holds != nil {
			part.condition.conditionTruths(m.frame)
		}
		for i := range part.values {
			part.values[i].choices(m.frame)
		}
	})
	if len(needs) == 0 {
		return
	}
	if part.doubts == nil {
		part.doubts = map[beginning][]analyze.Need{}
	}
	part.doubts[beginning{e.Process, e.Seq}] = needs
}

// unless returns the needs for unrecorded events that may explain a violation. Where processes are related, all
// orders may lead through an interval with other values, so every fact of the parts matters.
func (s *cutSearch) unless(w causal.Witness) []analyze.Need {
	if !s.cutMonitor.frame.partial() {
		return nil
	}
	var needs []analyze.Need
	for i, interval := range w.Intervals {
		needs = append(needs, s.cutMonitor.locals[i].doubts[beginning{interval.Process, interval.From}]...)
	}
	changes := func(p tracefmt.ProcessID) []analyze.Need {
		part := s.cutMonitor.locals[slices.Index(s.chosen, p)]
		return analyze.Changes(p, s.cutMonitor.wasDown[p], s.cutMonitor.factsFor(part.reads))
	}
	switch {
	case s.cutMonitor.definitely && len(s.cutMonitor.relations) > 0:
		for _, part := range s.cutMonitor.locals {
			needs = append(needs, s.cutMonitor.needsAnywhere(part.reads)...)
		}
		return needs
	case s.cutMonitor.definitely:
		return append(needs, analyze.DefinitelyUnless(w, changes)...)
	}
	if !s.possibleOrder(w, changes) {
		return needs
	}
	return append(needs, analyze.PossiblyUnless(w, s.cutMonitor.edges.Facts(), changes)...)
}

// possibleOrder reports whether unrecorded messages may order two intervals: one process may have ended its part
// before another, which learned of that by messages, began its own. The completeness of messages decides.
func (s *cutSearch) possibleOrder(w causal.Witness, changes func(tracefmt.ProcessID) []analyze.Need) bool {
	if !slices.Equal(s.cutMonitor.edges.Facts(), messageFacts) {
		return true
	}
	for _, i := range w.Intervals {
		for _, j := range w.Intervals {
			// Only an interval that began before another one can end before it, and only if a message can have
			// gone from the one process to the other in between.
			if i.From >= j.From || !s.cutMonitor.possibleSend(i.Process, i.From, j.From) ||
				!s.cutMonitor.possibleReceive(j.Process, i.From, j.From) {
				continue
			}
			if i.To != 0 && i.To <= j.From {
				return true
			}
			for _, n := range changes(i.Process) {
				n.From, n.To = i.From, j.From
				if s.cutMonitor.frame.isMissing(n) {
					return true
				}
			}
		}
	}
	return false
}

var messageFacts = factsOf(tracefmt.Send, tracefmt.Receive)

// possibleSend reports whether p may have sent a message between two events.
func (m *cutMonitor) possibleSend(p tracefmt.ProcessID, from, end tracefmt.Seq) bool {
	return m.sends[p].between(from, end) || m.frame.possiblyUnrecorded(p, messageFacts[0], from, end)
}

// possibleReceive reports whether q may have received a message between two events. The receive may be the event end
// itself.
func (m *cutMonitor) possibleReceive(q tracefmt.ProcessID, from, end tracefmt.Seq) bool {
	return m.receives[q].between(from, end+1) || m.frame.possiblyUnrecorded(q, messageFacts[1], from, end)
}

// extent is the first and the last of some events, 0 without events.
type extent struct{ first, last tracefmt.Seq }

// add extends the extent to seq, which is later than all its events.
func (h *extent) add(seq tracefmt.Seq) {
	h.last = seq
	if h.first == 0 {
		h.first = seq
	}
}

// between reports whether an event of the extent may lie strictly between two others.
func (h extent) between(from, end tracefmt.Seq) bool { return h.last > from && h.first < end }

// possibleHold describes the unrecorded moments at which a part of the condition may hold at a process.
type possibleHold struct {
	ever  bool // it may hold at some time
	found possibleMoments
}

// everHolds reports whether the part may hold at p at some time, by the record or beyond it.
func (s *localState) everHolds(p tracefmt.ProcessID) bool {
	return s.possible[p].ever || s.intervals != nil && len(s.intervals[p]) > 0
}

// evaluateBefore evaluates the parts before the first event.
func (m *cutMonitor) evaluateBefore() {
	if m.possibleMoments.evaluated {
		return
	}
	m.possibleMoments.evaluated = true
	f := newFrame(m.frame.run, m.program)
	f.begin(replay.NewState(m.frame.run), &tracefmt.Event{})
	m.evaluateEverywhereIn(f)
}

// evaluateUntilNext evaluates the parts for the time between the current event and the next: at the event's process,
// and at all processes where a gap begins.
func (m *cutMonitor) evaluateUntilNext(e *tracefmt.Event) {
	switch {
	case e.Inferred():
		// An inferred event may not have happened, so the part may hold there whatever its recorded truth.
		for _, part := range m.locals {
			entry := &part.possible[e.Process]
			entry.ever = true
			entry.found.addMoment(m.frame, analyze.Needs(e.Process, e.Seq-1, e.Seq+1, m.base.relies...))
		}
	case m.possibleMoments.beginsGap(e):
		m.evaluateEverywhere()
	case e.Process != 0 && (m.changes.has(e.Kind) || m.frame.state.Restarted()):
		for _, part := range m.locals {
			part.evaluate(m.frame, e.Process, len(m.relations) > 0)
		}
	}
}

// evaluateEverywhere records for each process whether the parts may hold at the current moment.
func (m *cutMonitor) evaluateEverywhere() { m.evaluateEverywhereIn(m.frame) }

// evaluateEverywhereIn is evaluateEverywhere in the frame f. For relations it also records the possible values.
func (m *cutMonitor) evaluateEverywhereIn(f *frame) {
	for _, part := range m.locals {
		for p := tracefmt.ProcessID(1); int(p) <= len(f.run.Members); p++ {
			part.evaluate(f, p, len(m.relations) > 0)
		}
	}
}

// evaluate records whether the part may hold at p. If values is set, it also records whether the part may hold with
// other values.
func (s *localState) evaluate(f *frame, p tracefmt.ProcessID, values bool) {
	entry := &s.possible[p]
	if entry.found.count >= maxFound {
		return
	}
	f.variables[0], f.untilNext = p, true
	defer func() { f.untilNext = false }()
	holds := mayBeYes
	if s.holds != nil {
		holds = s.condition.conditionTruths(f)
	}
	if holds&mayBeYes == 0 {
		return
	}
	entry.ever = true
	// Where the part holds by the record, only other values that relations read may make a difference.
	recorded := s.holds == nil || s.holds(f) == yes
	needs := f.doubts(func() {
		if !recorded {
			s.condition.conditionTruths(f)
		}
		for i := range s.values {
			if values {
				s.values[i].choices(f)
			}
		}
	})
	entry.found.addMoment(f, needs)
}

// allSteps are the kinds of events that are steps of processes.
var allSteps = setOf(slices.DeleteFunc(tracefmt.Kinds(), func(k tracefmt.Kind) bool { return !k.IsStep() })).facts()

// Relies returns the facts on which the absence of a violation rests. They are the needs by which the parts may
// hold at different processes beyond the record; for definitely also the facts that order events. A process counts
// from its first step on, so a part that holds initially may have counted earlier if a step is missing.
func (m *cutMonitor) Relies(*replay.State, analyze.Ending) iter.Seq[analyze.Need] {
	if !m.frame.partial() {
		return nil
	}
	var needs []analyze.Need
	if m.program.readsFormer {
		needs = m.needsAnywhere(m.base.relies)
	}
	ways := m.possibleChoices()
	if ways == nil {
		return slices.Values(needs)
	}
	if m.definitely {
		needs = append(needs, analyze.Needs(analyze.EveryProcess, 0, 0, m.edges.Facts()...)...)
	}
	// An unrecorded first step at p makes a part that holds from the beginning count earlier.
	for i, part := range m.locals {
		for p := range part.possible {
			if ways[i][p] {
				needs = append(needs, part.possible[p].found.needs...)
			}
			if ways[i][p] && m.holdsInitially(tracefmt.ProcessID(p)) {
				needs = append(needs, analyze.Needs(tracefmt.ProcessID(p), 0, m.first[p], allSteps...)...)
			}
		}
	}
	return slices.Values(needs)
}

// maxChoices bounds the choices of processes that are tried in turn.
const maxChoices = 1 << 20

// possibleChoices returns, by part and process, whether the part may hold there while the other parts hold at other
// processes. It returns nil if there is no such choice.
func (m *cutMonitor) possibleChoices() [][]bool {
	s := cutSearch{cutMonitor: m, stepsLeft: maxChoices}
	ways := make([][]bool, len(m.locals))
	for i := range ways {
		ways[i] = make([]bool, len(m.frame.run.Members)+1)
	}
	// If the choices are too many to try, any process counts at which a part may hold.
	found := s.markChoices(0, ways)
	if s.stepsLeft < 0 {
		found = true
		for i, part := range m.locals {
			for p := range part.possible {
				ways[i][p] = part.everHolds(tracefmt.ProcessID(p))
			}
		}
	}
	if !found {
		return nil
	}
	return ways
}

// markChoices marks the processes of each choice in which all parts from the part i on may hold, and reports whether
// there is one.
func (s *cutSearch) markChoices(i int, ways [][]bool) (found bool) {
	// Every call counts as a step, so that the search ends.
	if s.stepsLeft--; i == len(s.cutMonitor.parts) {
		if s.cutMonitor.choose != nil && s.cutMonitor.choose(s.cutMonitor.frame) == no {
			return false
		}
		for part, p := range s.chosen {
			ways[part][p] = true
		}
		return true
	}
	for p := tracefmt.ProcessID(1); int(p) < len(s.cutMonitor.frame.run.Members)+1 && s.stepsLeft >= 0; p++ {
		if !s.cutMonitor.locals[i].everHolds(p) || slices.Contains(s.chosen, p) {
			continue
		}
		s.cutMonitor.frame.variables[i] = p
		s.chosen = append(s.chosen, p)
		found = s.markChoices(i+1, ways) || found
		s.chosen = s.chosen[:i]
	}
	return found
}

// holdsInitially reports whether a part holds at p before any event.
func (m *cutMonitor) holdsInitially(p tracefmt.ProcessID) bool {
	if p == 0 {
		return false
	}
	f := newFrame(m.frame.run, m.program)
	f.variables[0] = p
	f.begin(replay.NewState(m.frame.run), &tracefmt.Event{Process: p})
	f.variables[0] = p
	return slices.ContainsFunc(m.locals, func(part *localState) bool {
		return part.holds == nil ||
			part.holds(f) == yes
	})
}
