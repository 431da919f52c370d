package spec

import (
	"iter"
	"slices"

	"etrace/analyze"
	"etrace/analyze/causal"
	"etrace/replay"
	"etrace/tracefmt"
)

// follows updates which processes were down, their first events, and their sends and receives.
func (m *cutMonitor) follows(e *tracefmt.Event) {
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

// begins records the needs on which it rests that an interval of the part begins at the current event, with its
// values.
func (m *cutMonitor) begins(part *localState, e *tracefmt.Event) {
	needs := m.frame.doubts(func() {
		if part.holds != nil {
			part.condition.possible(m.frame)
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
			needs = append(needs, s.cutMonitor.anywhere(part.reads)...)
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
				if s.cutMonitor.frame.lacks(n) {
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
	return m.sends[p].between(from, end) || m.frame.unrecorded(p, messageFacts[0], from, end)
}

// possibleReceive reports whether q may have received a message between two events. The receive may be the event end
// itself.
func (m *cutMonitor) possibleReceive(q tracefmt.ProcessID, from, end tracefmt.Seq) bool {
	return m.receives[q].between(from, end+1) || m.frame.unrecorded(q, messageFacts[1], from, end)
}

// hull has the first and the last of some events, 0 for no event.
type hull struct{ first, last tracefmt.Seq }

// add extends the hull to the event seq, which is later than all others.
func (h *hull) add(seq tracefmt.Seq) {
	h.last = seq
	if h.first == 0 {
		h.first = seq
	}
}

// between reports whether an event may lie between two others.
func (h hull) between(from, end tracefmt.Seq) bool { return h.last > from && h.first < end }

// possibleHold describes how a part may hold at a process beyond the record.
type possibleHold struct {
	ever  bool // it may hold at some time
	found outlook
}

// everHolds reports whether the part may hold at p at some time, by the record or beyond it.
func (s *localState) everHolds(p tracefmt.ProcessID) bool {
	return s.possible[p].ever || s.intervals != nil && len(s.intervals[p]) > 0
}

// lookBefore evaluates the parts before the first event.
func (m *cutMonitor) lookBefore() {
	if m.outlook.looked {
		return
	}
	m.outlook.looked = true
	f := newFrame(m.frame.run, m.program)
	f.begin(replay.NewState(m.frame.run), &tracefmt.Event{})
	m.lookAroundIn(f)
}

// lookAhead evaluates the parts for the time between the current event and the next: at the event's process, and at
// all processes where a gap begins.
func (m *cutMonitor) lookAhead(e *tracefmt.Event) {
	switch {
	case e.Inferred():
		for _, part := range m.locals {
			entry := &part.possible[e.Process]
			entry.ever = true
			entry.found.take(m.frame, analyze.Needs(e.Process, e.Seq-1, e.Seq+1, m.base.relies...))
		}
	case m.outlook.opens(e):
		m.lookAround()
	case e.Process != 0 && (m.changes.has(e.Kind) || m.frame.state.Restarted()):
		for _, part := range m.locals {
			part.look(m.frame, e.Process, len(m.relations) > 0)
		}
	}
}

// lookAround records for all processes whether the parts may hold at the current moment.
func (m *cutMonitor) lookAround() { m.lookAroundIn(m.frame) }

// lookAroundIn does this in the frame f; relations need the possible values, too.
func (m *cutMonitor) lookAroundIn(f *frame) {
	for _, part := range m.locals {
		for p := tracefmt.ProcessID(1); int(p) <= len(f.run.Members); p++ {
			part.look(f, p, len(m.relations) > 0)
		}
	}
}

// look records whether the part may hold at p; with values, also whether it may hold with other values.
func (s *localState) look(f *frame, p tracefmt.ProcessID, values bool) {
	entry := &s.possible[p]
	if entry.found.found >= mostFound {
		return
	}
	f.variables[0], f.ahead = p, true
	defer func() { f.ahead = false }()
	holds := mayBeYes
	if s.holds != nil {
		holds = s.condition.possible(f)
	}
	if holds&mayBeYes == 0 {
		return
	}
	entry.ever = true
	recorded := s.holds == nil || s.holds(f) == yes
	needs := f.doubts(func() {
		if !recorded {
			s.condition.possible(f)
		}
		for i := range s.values {
			if values {
				s.values[i].choices(f)
			}
		}
	})
	entry.found.take(f, needs)
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
	if m.program.before {
		needs = m.anywhere(m.base.relies)
	}
	ways := m.ways()
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
			if ways[i][p] && m.holdsAtFirst(tracefmt.ProcessID(p)) {
				needs = append(needs, analyze.Needs(tracefmt.ProcessID(p), 0, m.first[p], allSteps...)...)
			}
		}
	}
	return slices.Values(needs)
}

// mostWays bounds the choices of processes that are tried in turn.
const mostWays = 1 << 20

// ways returns, by part and process, whether the part may hold there while the other parts hold at other processes.
// It returns nil if there is no such choice.
func (m *cutMonitor) ways() [][]bool {
	s := cutSearch{cutMonitor: m, left: mostWays}
	ways := make([][]bool, len(m.locals))
	for i := range ways {
		ways[i] = make([]bool, len(m.frame.run.Members)+1)
	}
	found := s.mark(0, ways)
	if s.left < 0 {
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

// mark marks the processes of each choice in which all parts may hold.
func (s *cutSearch) mark(i int, ways [][]bool) (found bool) {
	if s.left--; i == len(s.cutMonitor.parts) {
		if s.cutMonitor.choose != nil && s.cutMonitor.choose(s.cutMonitor.frame) == no {
			return false
		}
		for part, p := range s.chosen {
			ways[part][p] = true
		}
		return true
	}
	for p := tracefmt.ProcessID(1); int(p) < len(s.cutMonitor.frame.run.Members)+1 && s.left >= 0; p++ {
		if !s.cutMonitor.locals[i].everHolds(p) || slices.Contains(s.chosen, p) {
			continue
		}
		s.cutMonitor.frame.variables[i] = p
		s.chosen = append(s.chosen, p)
		found = s.mark(i+1, ways) || found
		s.chosen = s.chosen[:i]
	}
	return found
}

// holdsAtFirst reports whether a part holds at p before any event.
func (m *cutMonitor) holdsAtFirst(p tracefmt.ProcessID) bool {
	if p == 0 {
		return false
	}
	f := newFrame(m.frame.run, m.program)
	f.variables[0] = p
	f.begin(replay.NewState(m.frame.run), &tracefmt.Event{Process: p})
	f.variables[0] = p
	return slices.ContainsFunc(m.locals, func(part *localState) bool { return part.holds == nil || part.holds(f) == yes })
}
