package spec

import (
	"slices"

	"etrace/analyze"
	"etrace/analyze/causal"
	"etrace/replay"
	"etrace/tracefmt"
)

// follows takes in an event of a run that is not recorded whole.
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

// begins takes in what it rests on that an interval of the part begins at the event at hand,
// with the values that it has.
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

// unless is what, had it happened without being recorded, may keep the processes from what
// the rule forbids. Where processes are related, other values may be what all orders lead
// through, so that all of them matter.
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
	if !s.mayOrder(w, changes) {
		return needs
	}
	return append(needs, analyze.PossiblyUnless(w, s.cutMonitor.edges.Facts(), changes)...)
}

// mayOrder reports whether some process may have ceased to hold its part and then, by
// messages, another have heard of that before it began to. What is told of messages decides.
func (s *cutSearch) mayOrder(w causal.Witness, changes func(tracefmt.ProcessID) []analyze.Need) bool {
	if !slices.Equal(s.cutMonitor.edges.Facts(), messageFacts) {
		return true
	}
	for _, i := range w.Intervals {
		for _, j := range w.Intervals {
			if i.From >= j.From || !s.cutMonitor.maySend(i.Process, i.From, j.From) || !s.cutMonitor.mayReceive(j.Process, i.From, j.From) {
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

func (m *cutMonitor) maySend(p tracefmt.ProcessID, from, to tracefmt.Seq) bool {
	return m.sends[p].between(from, to) || m.frame.missing1(p, messageFacts[0], from, to)
}

// mayReceive is about what q received until the event to, which may be a receive.
func (m *cutMonitor) mayReceive(q tracefmt.ProcessID, from, to tracefmt.Seq) bool {
	return m.receives[q].between(from, to+1) || m.frame.missing1(q, messageFacts[1], from, to)
}

// hull is the first and the last of some events, 0 for none.
type hull struct{ first, last tracefmt.Seq }

func (h *hull) add(seq tracefmt.Seq) {
	h.last = seq
	if h.first == 0 {
		h.first = seq
	}
}

// between reports whether an event may lie between two others.
func (h hull) between(from, to tracefmt.Seq) bool { return h.last > from && h.first < to }

// mayHold is how a part may hold at a process.
type mayHold struct {
	ever  bool // it may at some time
	found outlook
}

// lookBefore looks at the time before the first event of all.
func (m *cutMonitor) lookBefore() {
	if m.outlook.looked {
		return
	}
	m.outlook.looked = true
	f := newFrame(m.frame.run, m.program)
	f.begin(replay.NewState(m.frame.run), &tracefmt.Event{})
	m.lookAroundIn(f)
}

// lookAhead looks at what may hold after the event at hand, or before the next: at its
// process, and at all where a gap begins.
func (m *cutMonitor) lookAhead(e *tracefmt.Event) {
	switch {
	case e.Inferred():
		for _, part := range m.locals {
			may := &part.mays[e.Process]
			may.ever = true
			may.found.take(m.frame, analyze.Needs(e.Process, e.Seq-1, e.Seq+1, m.base.relies...))
		}
	case m.outlook.opens(e):
		m.lookAround()
	case e.Process != 0 && (m.changes.has(e.Kind) || m.frame.state.Restarted()):
		for _, part := range m.locals {
			part.look(m.frame, e.Process, len(m.relations) > 0)
		}
	}
}

func (m *cutMonitor) lookAround() { m.lookAroundIn(m.frame) }

func (m *cutMonitor) lookAroundIn(f *frame) {
	for _, part := range m.locals {
		for p := tracefmt.ProcessID(1); int(p) < len(f.plain); p++ {
			part.look(f, p, len(m.relations) > 0)
		}
	}
}

// look asks whether the part may hold at p, and with other values, if these matter.
func (s *localState) look(f *frame, p tracefmt.ProcessID, values bool) {
	may := &s.mays[p]
	if may.found.found >= mostFound {
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
	may.ever = true
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
	may.found.take(f, needs)
}

// Relies are the facts on which it rests that nothing was found: those by which the parts
// may hold of processes that differ, beside what is recorded, for definitely also what
// orders them. A process is looked at from its first step on, so that one which holds a
// part from its beginning may have done so earlier.
func (m *cutMonitor) Relies(*replay.State, analyze.Ending) []analyze.Need {
	if !m.frame.partial() {
		return nil
	}
	var needs []analyze.Need
	if m.program.before {
		needs = m.anywhere(m.base.relies)
	}
	ways := m.ways()
	if ways == nil {
		return needs
	}
	if m.definitely {
		needs = append(needs, analyze.Needs(analyze.EveryProcess, 0, 0, m.edges.Facts()...)...)
	}
	var steps []tracefmt.Fact
	for _, k := range tracefmt.Kinds() {
		if k.Info().Process == tracefmt.Required && k != tracefmt.Lose {
			steps = append(steps, tracefmt.Fact{Kind: k})
		}
	}
	for i, part := range m.locals {
		for p := range part.mays {
			if ways[i][p] {
				needs = append(needs, part.mays[p].found.needs...)
			}
			if ways[i][p] && m.holdsAtFirst(tracefmt.ProcessID(p)) {
				needs = append(needs, analyze.Needs(tracefmt.ProcessID(p), 0, m.first[p], steps...)...)
			}
		}
	}
	return needs
}

// mostWays bounds how many choices of processes are looked at one by one.
const mostWays = 1 << 20

// ways are, by part and process, whether the part may hold there while the others do at
// other processes; nil if that is not so anywhere.
func (m *cutMonitor) ways() [][]bool {
	s := cutSearch{cutMonitor: m, left: mostWays}
	ways := make([][]bool, len(m.locals))
	for i := range ways {
		ways[i] = make([]bool, len(m.frame.plain))
	}
	found := s.mark(0, ways)
	if s.left < 0 {
		found = true
		for i, part := range m.locals {
			for p := range part.mays {
				ways[i][p] = part.mays[p].ever
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
	for p := tracefmt.ProcessID(1); int(p) < len(s.cutMonitor.frame.plain) && s.left >= 0; p++ {
		if !s.cutMonitor.locals[i].mays[p].ever || slices.Contains(s.chosen, p) {
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
