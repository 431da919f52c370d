package operation

import (
	"etrace/analyze"
	"etrace/analyze/property/unrecorded"
	"etrace/replay"
	"etrace/tracefmt"
)

// operationGaps are the stretches in which processes may have invoked unrecorded operations, by the run's
// declaration. A process invokes one operation at a time, unless operations have ids.
type operationGaps struct {
	processes []operationGap
	list      []operationGap // the gaps that are over
	ids       bool
	// lastValueShown is the last end of an operation, of any object, that shows a value.
	lastValueShown tracefmt.Seq
	// mute are the ends of operations that show no value, with what may be missing of them.
	mute []muteEnd
}

// operationGap is a stretch of a process between two events of operations.
type operationGap struct {
	process   tracefmt.ProcessID
	from, end tracefmt.Seq // end is 0 for the end of the run
	// hasOpen is set if an operation is open in it, admitsOpen if an operation invoked in it need not return.
	hasOpen, admitsOpen bool
	// ends is the operation with a recorded end but no invocation.
	ends string
}

// muteEnd is an end, or possible end, of an open operation that matters only through later results; history is
// that of its object, nil if unknown.
type muteEnd struct {
	history *history
	after   tracefmt.Seq
	needs   []analyze.Need
}

// newOperationGaps returns the gaps before the first event: each process may have invoked operations from the
// beginning.
func newOperationGaps(run *tracefmt.Run) operationGaps {
	g := operationGaps{processes: make([]operationGap, len(run.Members)+1)}
	for p := range g.processes {
		g.processes[p].process = tracefmt.ProcessID(p)
	}
	return g
}

// step takes an event, in an incomplete recording.
func (g *operationGaps) step(s *replay.State, e *tracefmt.Event) {
	gap := &g.processes[e.Process]
	closed, waits := *gap, false
	closed.end = e.Seq
	switch e.Kind {
	case tracefmt.Invoke:
		_, id := e.Field("op")
		g.ids, waits = g.ids || id, true
	case tracefmt.Return:
		model := operationModels[e.Type]
		if !gap.hasOpen { // the event may be the end of the unrecorded operation
			closed.admitsOpen, closed.ends = model == nil || !model.readsOnly, e.Type
		}
	case tracefmt.Crash, tracefmt.Halt, tracefmt.Recover, tracefmt.Start:
		closed.admitsOpen = true
	default:
		return
	}
	if s.Coverage().DeclaredMissing(e.Process, invokeFacts[0], closed.from, closed.end) {
		g.list = append(g.list, closed)
	}
	gap.from, gap.hasOpen = e.Seq, waits
}

// possibleInvocation returns the needs for unrecorded operations, invoked before an event, that explain a
// conflict. A process that has returned since its last recorded open operation may have invoked more, and so may
// a restarted process.
func (g *operationGaps) possibleInvocation(
	s *replay.State, reason conflict, before tracefmt.Seq,
) (needs []analyze.Need) {
	if s.Coverage().Complete() {
		return nil
	}
	add := func(gap operationGap) {
		// Only the sole owner of the lock could release it, and only an earlier invocation explains the result.
		if reason.soleOwner != 0 && gap.process != reason.soleOwner || gap.from >= before || gap.process == 0 {
			return
		}
		ends := append(analyze.Needs(gap.process, gap.from, gap.end, invokeFacts[1]),
			unrecorded.Restart(s, gap.process, gap.from)...)
		// A release of the holder is after its acquire.
		if !g.ids && reason.unless == "release" && gap.end != 0 && gap.end <= reason.ops[0].called {
			return
		}
		// Without ids, a process has one operation at a time: a gap that certainly has another one has no room.
		if !g.ids && (gap.hasOpen || !gap.admitsOpen || !reason.explainableBy(gap.ends)) && unrecorded.None(s, ends) {
			return
		}
		if gap.end == 0 || gap.end > before {
			gap.end = before
		}
		needs = append(needs, analyze.Needs(gap.process, gap.from, gap.end, invokeFacts[0])...)
	}
	for _, gap := range g.list {
		add(gap)
	}
	for _, gap := range g.processes {
		gap.admitsOpen = true
		add(gap)
	}
	return needs
}

// possibleEnd returns the needs for ends that may show something.
func (g *operationGaps) possibleEnd() (needs []analyze.Need) {
	for _, m := range g.mute {
		looked := g.lastValueShown
		if m.history != nil {
			looked = m.history.lastValueShown
		}
		if looked > m.after {
			needs = append(needs, m.needs...)
		}
	}
	return needs
}

// mute reports whether the operation's end shows no value.
func (m *operationModel) mute() bool { return m.assigns || m.leaves == nil }
