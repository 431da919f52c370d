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
			part.holds(m.frame)
		}
		for _, leaf := range part.leaves {
			leaf(m.frame)
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
	if !s.partial {
		return nil
	}
	var needs []analyze.Need
	for i, interval := range w.Intervals {
		needs = append(needs, s.locals[i].doubts[beginning{interval.Process, interval.From}]...)
	}
	changes := func(p tracefmt.ProcessID) []analyze.Need {
		part := s.locals[slices.Index(s.chosen, p)]
		return analyze.Changes(p, s.wasDown[p], s.factsFor(part.reads))
	}
	switch {
	case s.definitely && len(s.relations) > 0:
		for _, part := range s.locals {
			needs = append(needs, s.anywhere(part.reads)...)
		}
		return needs
	case s.definitely:
		return append(needs, analyze.DefinitelyUnless(w, changes)...)
	}
	return append(needs, analyze.PossiblyUnless(w, s.edges.Facts(), changes)...)
}

// Relies are the facts on which it rests that nothing was found: what processes read, for
// definitely also what orders them. A process is looked at from its first step on, so that
// one which holds a part from its beginning may have done so earlier.
func (m *cutMonitor) Relies(s *replay.State, end analyze.Ending) []analyze.Need {
	needs := m.base.Relies(s, end)
	if m.definitely {
		needs = append(needs, analyze.Needs(analyze.EveryProcess, 0, 0, m.edges.Facts()...)...)
	}
	var steps []tracefmt.Fact
	for _, k := range tracefmt.Kinds() {
		if k.Info().Process == tracefmt.Required && k != tracefmt.Lose {
			steps = append(steps, tracefmt.Fact{Kind: k})
		}
	}
	for p := tracefmt.ProcessID(1); int(p) < len(m.first); p++ {
		if m.holdsAtFirst(p) {
			needs = append(needs, analyze.Needs(p, 0, m.first[p], steps...)...)
		}
	}
	return needs
}

// holdsAtFirst reports whether a part holds at p before any event.
func (m *cutMonitor) holdsAtFirst(p tracefmt.ProcessID) bool {
	f := newFrame(m.run, m.program)
	f.variables[0] = p
	f.begin(replay.NewState(m.run), &tracefmt.Event{Process: p})
	f.variables[0] = p
	return slices.ContainsFunc(m.locals, func(part *localState) bool { return part.holds == nil || part.holds(f) == yes })
}
