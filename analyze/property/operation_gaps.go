package property

import (
	"etrace/analyze"
	"etrace/replay"
	"etrace/tracefmt"
)

// operationGaps are the stretches in which processes may have invoked operations that are
// not recorded, as far as the run says that some are not. A process does one thing at a
// time, unless operations have ids.
type operationGaps struct {
	processes []operationGap
	all       []operationGap // that are over
	ids       bool
	// looked is the last end of an operation that says what it found, of any object.
	looked tracefmt.Seq
	// mute are the ends of operations that say nothing of what they found, and what may be
	// missing of them.
	mute []muteEnd
}

// operationGap is a stretch of a process between two events of operations.
type operationGap struct {
	process  tracefmt.ProcessID
	from, to tracefmt.Seq // to is 0 for the end
	// waits: an operation of it is open. free: what it invokes then need not return.
	waits, free bool
	// ends is the operation of which the end is recorded, and not the invocation.
	ends string
}

// muteEnd is where an operation was open, and has ended or may have, that can show something
// only by what others find after it; of is its object, nil if that is not known.
type muteEnd struct {
	of    *history
	after tracefmt.Seq
	lacks []analyze.Need
}

func newOperationGaps(run *tracefmt.Run) operationGaps {
	g := operationGaps{processes: make([]operationGap, len(run.Members)+1)}
	for p := range g.processes {
		g.processes[p].process = tracefmt.ProcessID(p)
	}
	return g
}

// step takes in an event, of a run of which something is missing.
func (g *operationGaps) step(s *replay.State, e *tracefmt.Event) {
	at := &g.processes[e.Process]
	over, waits := *at, false
	over.to = e.Seq
	switch e.Kind {
	case tracefmt.Invoke:
		_, id := e.Field("op")
		g.ids, waits = g.ids || id, true
	case tracefmt.Return:
		model := operationModels[e.Type]
		if !at.waits { // it may be the end of that
			over.free, over.ends = model == nil || !model.looks, e.Type
		}
	case tracefmt.Crash, tracefmt.Halt, tracefmt.Recover, tracefmt.Start:
		over.free = true
	default:
		return
	}
	if s.Coverage().SaidMissing(e.Process, invokeFacts[0], over.from, over.to) {
		g.all = append(g.all, over)
	}
	at.from, at.waits = e.Seq, waits
}

// mayInvoke is that processes may have invoked operations before an event that explain a
// conflict. One that has returned since the record says what is open may have
// gone on, and so may one that came up anew.
func (g *operationGaps) mayInvoke(s *replay.State, why conflict, before tracefmt.Seq) (needs []analyze.Need) {
	if s.Coverage().Complete() {
		return nil
	}
	add := func(gap operationGap) {
		if why.only != 0 && gap.process != why.only || gap.from >= before || gap.process == 0 {
			return
		}
		ends := append(analyze.Needs(gap.process, gap.from, gap.to, invokeFacts[1]), mayRestart(s, gap.process, gap.from)...)
		if !g.ids && (gap.waits || !gap.free || !why.mayExcuse(gap.ends)) && certain(s, ends) {
			return
		}
		if gap.to == 0 || gap.to > before {
			gap.to = before
		}
		needs = append(needs, analyze.Needs(gap.process, gap.from, gap.to, invokeFacts[0])...)
	}
	for _, gap := range g.all {
		add(gap)
	}
	for _, gap := range g.processes {
		gap.free = true
		add(gap)
	}
	return needs
}

// mayEnd are the ends that may show something.
func (g *operationGaps) mayEnd() (needs []analyze.Need) {
	for _, m := range g.mute {
		looked := g.looked
		if m.of != nil {
			looked = m.of.looked
		}
		if looked > m.after {
			needs = append(needs, m.lacks...)
		}
	}
	return needs
}

// mute: its end says nothing of what it found.
func (m *operationModel) mute() bool { return m.assigns || m.left == nil }
