package network

import (
	"fmt"
	"iter"
	"slices"

	"etrace/analyze"
	"etrace/analyze/property/unrecorded"
	"etrace/replay"
	"etrace/replay/sparse"
	"etrace/tracefmt"
)

var vectorClocks = analyze.Property{
	Name:  "vector-clocks",
	Pairs: true,
	Kind:  analyze.Safety,
	Doc: `The vector clocks in a log agree with the messages and causes of the trace.

The own entry of a process grows with each of its events. The entry for another process must match the last event of
that process that happened before: at least its own entry there, and less than at its next event. So the clocks in the
log and the messages of the trace show the same causality. Entries may skip numbers. The own entries of 4194304 events
are stored; beyond that the property is unknown. It is also unknown if an event has no clock, except inferred and
stated events, or if a clock names a process that is not in the run.`,
	Needs:      "events with the clock of their log (log.clock), as an import of logs with vector clocks makes them",
	ViolatedBy: unrecorded.AllStepFacts,
	ExcusedBy:  analyze.Facts("receive", "send"),
	Source: "Fidge, Timestamps in Message-Passing Systems That Preserve the Partial Ordering, 1988; Mattern, " +
		"Virtual Time and Global States of Distributed Systems, 1989",
	OfRecord: true,
	New:      func(run *tracefmt.Run) analyze.Monitor { return newVectorMonitor(run) },
}

// maxOwnEntries bounds the stored entries.
const maxOwnEntries = 1 << 22

// vectorMonitor compares the clock of each event in the log with the clock that etrace computes from messages and
// causes.
type vectorMonitor struct {
	clocks     *replay.Clocks
	orphans    unrecorded.Orphans
	ids        map[string]tracefmt.ProcessID
	ownEntries [][]ownEntry // by process: those of its steps
	// claimed has, by process, the greatest entry for it at an event of another process, and this event.
	claimed []ownEntry
	// The next fields are about the current event, by process: the entries of its clock, the steps that happened
	// before it, and the processes with a nonzero value of either.
	entries []int64
	known   []int
	named   sparse.Set
	// lowest is set if the event's entry for its own process is at most 0, so that it must be compared with clocks
	// that do not name the process.
	lowest   bool
	kept     int
	recorded bool // some event has a clock
	stopped  bool // the property cannot be decided
}

// ownEntry is an entry of a vector clock and an event.
type ownEntry struct {
	entry int64
	seq   tracefmt.Seq
}

// newVectorMonitor returns the monitor before the first event.
func newVectorMonitor(run *tracefmt.Run) *vectorMonitor {
	n := len(run.Members) + 1
	m := &vectorMonitor{
		clocks: replay.NewClocks(run), ids: make(map[string]tracefmt.ProcessID, n),
		ownEntries: make([][]ownEntry, n), claimed: make([]ownEntry, n),
		entries: make([]int64, n), known: make([]int, n), named: sparse.NewSet(n),
	}
	for i := range run.Members {
		m.ids[run.Members[i].Name] = tracefmt.ProcessID(i + 1)
	}
	return m
}

// Step checks the clock of an event: its entry for its own process, then its entries for the others.
func (m *vectorMonitor) Step(r *analyze.Result, s *replay.State, e *tracefmt.Event) {
	if e.Process == 0 || e.Kind == tracefmt.Lose || e.Mark() != "" { // the system recorded no clock for it
		return
	}
	r.Examined++
	clock := e.LoggedClock()
	m.recorded = m.recorded || clock != nil
	if m.stopped {
		return
	}
	m.clocks.Step(e)
	m.orphans.Step(e)
	if reason := m.read(e, clock); reason != "" {
		m.stopped = true
		r.Undecided(func() string { return reason })
		return
	}
	m.examineOwn(r, s, e)
	m.loadClock(m.clocks.Clock(e.Process))
	for q := range m.named.All() {
		if q := tracefmt.ProcessID(q); q != e.Process {
			m.examineOther(r, s, e, q, m.known[q])
		}
	}
}

// loadClock loads the trace's clock into known.
func (m *vectorMonitor) loadClock(clock replay.Clock) {
	for q, known := range clock.Others() {
		m.known[q] = known.Steps
		m.named.Add(int(q))
	}
	for q := 1; m.lowest && q < len(m.ownEntries); q++ {
		m.named.Add(q)
	}
}

// clearClocks clears the clocks of the current event.
func (m *vectorMonitor) clearClocks() {
	for q := range m.named.All() {
		m.entries[q], m.known[q] = 0, 0
	}
	clear(m.named)
}

// read loads the clock into entries. It returns the reason if that is impossible, otherwise "".
func (m *vectorMonitor) read(e *tracefmt.Event, clock []byte) string {
	switch cause := m.clocks.Incomplete(); {
	case cause != "":
		return cause
	case clock == nil:
		return fmt.Sprintf("the event at seq %d has no vector clock", e.Seq)
	case m.kept == maxOwnEntries:
		return fmt.Sprintf("at seq %d there are more than the %d events whose clocks are kept", e.Seq, maxOwnEntries)
	}
	m.clearClocks()
	for name, value := range tracefmt.Fields(clock) {
		p := m.ids[string(name)]
		entry, complete := tracefmt.ParseInteger(value)
		if p == 0 || !complete {
			return fmt.Sprintf("the clock at seq %d has the entry %.40q: %.40s, expected a process of the run and an integer", e.Seq, name, value)
		}
		m.entries[p] = entry
		m.named.Add(int(p))
	}
	return ""
}

// examineOwn examines the entry for the process itself.
func (m *vectorMonitor) examineOwn(r *analyze.Result, s *replay.State, e *tracefmt.Event) {
	p := e.Process
	self := ownEntry{m.entries[p], e.Seq}
	var last ownEntry
	if n := len(m.ownEntries[p]); n > 0 {
		last = m.ownEntries[p][n-1]
	}
	if self.entry <= last.entry {
		r.ViolateUnless(nil, func() string {
			return fmt.Sprintf("process %s has %d for itself in its clock at seq %d, expected more than the %d before",
				s.Run.ProcessName(p), self.entry, e.Seq, last.entry)
		}, last.seq, e.Seq)
	}
	if claim := m.claimed[p]; self.entry <= claim.entry {
		r.ViolateUnless(nil, func() string { return knowsMore(s.Run, p, claim, self) }, claim.seq, e.Seq)
	}
	m.lowest = m.lowest || self.entry <= 0
	m.ownEntries[p] = append(m.ownEntries[p], self)
	m.kept++
}

// examineOther examines the entry for process q; known is the number of q's steps that happened before e.
func (m *vectorMonitor) examineOther(
	r *analyze.Result, s *replay.State, e *tracefmt.Event, q tracefmt.ProcessID, known int,
) {
	entry, steps := ownEntry{m.entries[q], e.Seq}, m.ownEntries[q]
	if known > 0 && entry.entry < steps[known-1].entry {
		step := steps[known-1]
		r.ViolateUnless(nil, func() string {
			return fmt.Sprintf("the clock at seq %d has %d for process %s, expected at least the %d of seq %d, which happened before it",
				e.Seq, entry.entry, s.Run.ProcessName(q), step.entry, step.seq)
		}, step.seq, e.Seq)
	}
	switch {
	case known == len(steps):
		if entry.entry > m.claimed[q].entry {
			m.claimed[q] = entry
		}
	case entry.entry >= steps[known].entry:
		r.ViolateUnless(m.orphans.Influence(steps[known].seq, e.Seq),
			func() string { return knowsMore(s.Run, q, entry, steps[known]) }, steps[known].seq, e.Seq)
	}
}

// knowsMore explains a clock that knows of a step which did not happen before its event.
func knowsMore(run *tracefmt.Run, p tracefmt.ProcessID, claim, step ownEntry) string {
	return fmt.Sprintf("the clock at seq %d has %d for process %s, expected less than the %d of seq %d, which did not happen before it",
		claim.seq, claim.entry, run.ProcessName(p), step.entry, step.seq)
}

// End reports a run without vector clocks as not applicable.
func (m *vectorMonitor) End(r *analyze.Result, _ *replay.State, _ analyze.Ending) {
	if !m.recorded && r.Examined > 0 {
		r.NotApplicable("no event has a vector clock of its log (log.clock)")
	}
}

// Relies implements [analyze.Relying].
func (m *vectorMonitor) Relies(s *replay.State, _ analyze.Ending) iter.Seq[analyze.Need] {
	return slices.Values(analyze.Needs(analyze.EveryProcess, 0, 0, s.Coverage().Steps()...))
}
