package network

import (
	"fmt"
	"iter"
	"slices"

	"etrace/analyze"
	"etrace/analyze/property/paper"
	"etrace/analyze/property/unrecorded"
	"etrace/replay"
	"etrace/tracefmt"
)

// terminationWithin is no rule of package spec: it demands the absence of events, not an event.
var terminationWithin = analyze.WithArgument(analyze.Property{
	Name: "termination-within",
	Kind: analyze.Safety, // a part of the run can break the bound for good
	Doc: `The run is quiescent at time T at the latest.

A run is quiescent when no message is in flight to a live process and no timer is armed. Time counts from 0, or from
the first event if the times of the run count from 1970, in the units of the run: mean message delays, seconds, or
ticks. An event after T is a violation, however the run continues; notes do not count. The clocks of the processes
need not agree, and need not be monotone: an unrecorded step may have any time. A run that ends in a loop is never
quiescent. In a run that was stopped at or before T, quiescence is an open obligation. The property is vacuous if the
run has no events.`,
	Needs:      "how the run ended",
	Source:     paper.Slides + ", Problem Specification, Liveness, with a bound",
	ViolatedBy: unrecorded.StepKinds,
	Times:      true,
	Argument:   "T, a time in the units of the run, such as 20",
}, tracefmt.ParseTime, func(run *tracefmt.Run, bound tracefmt.Time) analyze.Monitor {
	return &restMonitor{bound: bound}
})

// restMonitor compares the time of each event with the bound.
type restMonitor struct {
	bound, last tracefmt.Time // in units
	from        tracefmt.Time // the time that counts as 0
	first, end  tracefmt.Seq  // the first and the last event
}

// Step reports the first event after the bound, except notes.
func (m *restMonitor) Step(r *analyze.Result, s *replay.State, e *tracefmt.Event) {
	if m.end == 0 {
		m.first = e.Seq
		if s.Run.SinceEpoch(e.Time) {
			m.from = e.Time
		}
	}
	elapsed := s.Run.TimeUnit.Units(e.Time) - m.from
	m.end = e.Seq
	if e.Kind == tracefmt.Note {
		return
	}
	r.Examined++
	m.last = elapsed
	if m.last > m.bound && r.Violations == 0 {
		r.Violate(func() string {
			return fmt.Sprintf("a %s event happens at time %v at seq %d, expected rest from %v on", e.Kind, m.last,
				e.Seq, m.bound)
		}, m.start(), e.Seq)
	}
}

// start returns the event from which time counts, 0 if it counts from 0.
func (m *restMonitor) start() tracefmt.Seq {
	if m.from == 0 {
		return 0
	}
	return m.first
}

// Relies implements [analyze.Relying]: no process took a step after the bound.
func (m *restMonitor) Relies(s *replay.State, end analyze.Ending) iter.Seq[analyze.Need] {
	return slices.Values(append(anyStep(), unrecorded.Loop(s, end)...))
}

// anyStep returns the needs for a step of any process at any time.
func anyStep() []analyze.Need {
	return analyze.Needs(analyze.EveryProcess, 0, 0, unrecorded.StepKinds...)
}

// End reports a run that loops, or was stopped before it was quiescent.
func (m *restMonitor) End(r *analyze.Result, s *replay.State, end analyze.Ending) {
	switch {
	case r.Violations > 0 || r.Examined == 0 || end.Quiescent: // nothing to add
	case end.Looping():
		r.Violate(func() string {
			return fmt.Sprintf("the run never comes to rest: the global state after seq %d is that after seq %d",
				end.LoopTo, end.LoopFrom)
		}, end.LoopFrom, end.LoopTo)
	default:
		r.OweUnless(anyStep(), fmt.Sprintf("at time %v the run has not come to rest, expected until %v", m.last,
			m.bound), m.end)
	}
}
