package detection

import (
	"fmt"
	"iter"
	"slices"

	"etrace/analyze"
	"etrace/analyze/property/members"
	"etrace/analyze/property/paper"
	"etrace/analyze/property/unrecorded"
	"etrace/replay"
	"etrace/tracefmt"
)

var announcementInTheEnd = analyze.Property{
	Name: "announcement-in-the-end",
	Kind: analyze.Liveness,
	Doc: `Once the base computation has ended, some process eventually announces the end.

The computation has ended if it has begun, no process is active any more, and no basic message is in flight to a live
process. If the run ends in a loop, this must hold in the whole loop. announcement-not-early defines active processes
and basic messages, and judges announcements that are too early. For this property any announcement is enough. The
property is vacuous if no process is correct, that is, if each participant crashes or halts at some time. A process
whose participation is not stated participates if it has a note active, passive or announce. While the run can go on, a
missing announcement is an open obligation.`,
	Needs:      terminationNeeds,
	Source:     paper.DijkstraScholten + "; " + paper.Tel + ", 8.1: liveness",
	Problem:    tracefmt.Termination,
	ViolatedBy: analyze.Facts("note", "send", "receive", "lose", "crash", "halt"),
	ExcusedBy:  analyze.Facts("note", "send", "crash", "halt", "recover"),
	Triggers:   unrecorded.NoteFacts,
	New: func(run *tracefmt.Run) analyze.Monitor {
		return &inTheEndMonitor{faults: unrecorded.NewFaults(run)}
	},
}

// inTheEndMonitor checks at the end that a computation that has ended was announced.
type inTheEndMonitor struct {
	computation *computation
	faults      unrecorded.Faults
	announced   bool
}

// Follow implements [analyze.Follower].
func (m *inTheEndMonitor) Follow(f *analyze.Folds) { m.computation = analyze.Shared(f, newComputation) }

// Step records failures and announcements.
func (m *inTheEndMonitor) Step(_ *analyze.Result, _ *replay.State, e *tracefmt.Event) {
	m.faults.Step(e)
	if e.Kind != tracefmt.Note || e.Process == 0 || !slices.Contains([]string{
		activeNote, passiveNote,
		announceNote,
	}, e.Type) {
		return
	}
	m.faults.Speaks[e.Process] = true
	m.announced = m.announced || e.Type == announceNote && !m.computation.nonParticipants[e.Process]
}

// End reports a computation that has ended without an announcement.
func (m *inTheEndMonitor) End(r *analyze.Result, s *replay.State, end analyze.Ending) {
	c := m.computation
	switch {
	case c.nothingRecorded(r):
		return
	case m.announced:
		r.Examined++
		return
	case !m.ended(s, end) || len(m.faults.Correct(s)) == 0:
		return
	}
	r.Examined++
	unrecorded.OweUnless(r, end, m.excuses(s), func() string {
		return fmt.Sprintf("the computation has ended at seq %d, and no process announces it", c.busy)
	}, c.busy, end.LoopFrom, end.LoopTo)
}

// ended reports whether a computation took place and has ended.
func (m *inTheEndMonitor) ended(s *replay.State, end analyze.Ending) bool {
	c := m.computation
	over := c.began && !(end.Looping() && c.busy > end.LoopFrom)
	return over && !slices.ContainsFunc(c.active, func(since tracefmt.Seq) bool { return since != 0 }) &&
		!slices.ContainsFunc(c.flights(), func(f replay.Flight) bool { return s.Live(f.To) })
}

// excuses returns the needs by which an announcement, more of the computation, or a failure may be unrecorded.
func (m *inTheEndMonitor) excuses(s *replay.State) []analyze.Need {
	needs := analyze.Needs(analyze.AnyProcess, 0, 0, unrecorded.NoteFacts...)
	if len(m.computation.basic) > 0 {
		needs = append(needs, analyze.Needs(analyze.AnyProcess, 0, 0, unrecorded.SendFacts...)...)
	}
	for _, f := range m.computation.flights() {
		needs = append(needs, unrecorded.Recovery(s, f.To)...)
	}
	correct := m.faults.Correct(s)
	if slices.ContainsFunc(correct, func(p tracefmt.ProcessID) bool { return !m.faults.PossibleFailure(s, p) }) {
		return needs
	}
	for _, p := range correct {
		needs = append(needs, analyze.Needs(p, 0, 0, unrecorded.DownFacts...)...)
	}
	return needs
}

// Relies implements [analyze.Relying]: after an announcement, or while something is certainly active, no further
// fact matters.
func (m *inTheEndMonitor) Relies(s *replay.State, _ analyze.Ending) iter.Seq[analyze.Need] {
	if m.announced || m.goesOn(s) {
		return nil
	}
	return slices.Values(analyze.Needs(analyze.AnyProcess, 0, 0, announcementInTheEnd.ViolatedBy...))
}

// goesOn reports whether a process is certainly active at the end, or a basic message is in flight to a live
// process.
func (m *inTheEndMonitor) goesOn(s *replay.State) bool {
	for _, p := range members.All(s.Run) {
		since := m.computation.active[p]
		mayEnd := analyze.Needs(p, since, 0, unrecorded.NoteFact, unrecorded.CrashFact, unrecorded.HaltFact)
		if since != 0 && unrecorded.None(s, mayEnd) {
			return true
		}
	}
	return slices.ContainsFunc(m.computation.flights(), func(f replay.Flight) bool {
		return s.Live(f.To) && unrecorded.None(s, append(unrecorded.Arrival(f, 0), unrecorded.Crash(s, f.To)...))
	})
}
