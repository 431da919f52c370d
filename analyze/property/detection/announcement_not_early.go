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

var announcementNotEarly = analyze.Property{
	Name: "announcement-not-early",
	Kind: analyze.Safety,
	Doc: `When a process announces the end of the base computation, no process is active and no basic message is in flight.

A process is active from its note active to its note passive, or until it crashes, halts or restarts. Basic messages have
one of the types that the header lists under basic, and are in flight until they are received or lost. The property is
examined in the recorded order, at each note announce. Notes and messages of Byzantine processes and clients do not count.`,
	Needs:      terminationNeeds,
	Source:     paper.DijkstraScholten + "; " + paper.Tel + ", 8.1: safety",
	Problem:    tracefmt.Termination,
	ViolatedBy: analyze.Facts("note", "send"),
	ExcusedBy:  analyze.Facts("note", "receive", "lose", "crash", "halt"),
	Triggers:   unrecorded.NoteFacts,
	New:        func(*tracefmt.Run) analyze.Monitor { return &notEarlyMonitor{} },
}

// notEarlyMonitor examines each announcement.
type notEarlyMonitor struct {
	computation *computation
	last        tracefmt.Seq // the last announcement
}

// Follow implements [analyze.Follower].
func (m *notEarlyMonitor) Follow(f *analyze.Folds) { m.computation = analyze.Shared(f, newComputation) }

// Step reports an announcement while a process is active or a basic message is in flight.
func (m *notEarlyMonitor) Step(r *analyze.Result, s *replay.State, e *tracefmt.Event) {
	c := m.computation
	if e.Kind != tracefmt.Note || e.Type != announceNote || e.Process == 0 || c.nonParticipants[e.Process] {
		return
	}
	r.Examined++
	m.last = e.Seq
	if l, ok := unrecorded.Surest(s, m.goesOn(s, e.Seq)); ok {
		r.ViolateUnless(l.Excuses, func() string {
			return fmt.Sprintf("process %s announces the end at seq %d, where %s", s.Run.ProcessName(e.Process),
				e.Seq, l.Outcome)
		}, l.Since, e.Seq)
	}
}

// goesOn returns the parts of the computation that have not ended.
func (m *notEarlyMonitor) goesOn(s *replay.State, now tracefmt.Seq) (list []unrecorded.Lasting) {
	c := m.computation
	for _, p := range members.All(s.Run) {
		if since := c.active[p]; since != 0 {
			list = append(list, unrecorded.Lasting{
				Since: since, Outcome: fmt.Sprintf("process %s is active since seq %d", s.Run.ProcessName(p), since),
				Excuses: analyze.Needs(p, since, now, unrecorded.NoteFact, unrecorded.CrashFact, unrecorded.HaltFact),
			})
		}
	}
	for _, f := range c.flights() {
		list = append(list, unrecorded.Lasting{
			Since: f.Sent, Outcome: fmt.Sprintf("message %d from process %s to process %s is in flight since seq %d", f.Message,
				s.Run.ProcessName(f.From), s.Run.ProcessName(f.To), f.Sent),
			Excuses: unrecorded.Arrival(f, now),
		})
	}
	return list
}

// End reports a run without notes of a computation as not applicable.
func (m *notEarlyMonitor) End(r *analyze.Result, _ *replay.State, _ analyze.Ending) {
	m.computation.nothingRecorded(r)
}

// Relies implements [analyze.Relying]: no further announcement, activity or basic message happened before the
// last announcement.
func (m *notEarlyMonitor) Relies(s *replay.State, _ analyze.Ending) iter.Seq[analyze.Need] {
	needs, last := analyze.Needs(analyze.AnyProcess, 0, 0, unrecorded.NoteFacts...), m.last
	switch {
	case len(m.computation.basic) == 0:
		return slices.Values(needs)
	case !unrecorded.None(s, needs):
		last = 0
	case last == 0:
		return slices.Values(needs)
	}
	return slices.Values(append(needs, analyze.Needs(analyze.AnyProcess, 0, last, unrecorded.SendFacts...)...))
}
