package mutex

import (
	"fmt"
	"iter"
	"slices"
	"strconv"

	"etrace/analyze"
	"etrace/analyze/property/unrecorded"
	"etrace/replay"
	"etrace/tracefmt"
)

var boundedBypass = analyze.WithArgument(analyze.Property{
	Name: "bounded-bypass",
	Kind: analyze.Safety,
	Doc: `While a process waits for the critical section, the other processes enter it at most k times in total.

A process waits from its note request to its next note enter, crash or halt; each lock of a run has its own entries.
Each request counts once, with the first entry beyond k. If notes, crashes or halts may be unrecorded, a process
certainly waited if it enters later and cannot have restarted. An entry of another process then counts only if that
process was certainly outside before.`,
	Needs:        requestNeeds,
	Source:       "Raynal, Concurrent Programming, 2013, 1.2: bounded bypass",
	WitnessOmits: "the other entries, which are counted",
	Problem:      "mutex",
	ViolatedBy:   analyze.Facts("note", "crash", "halt"),
	ExcusedBy:    analyze.Facts("note", "crash", "halt"),
	Triggers:     unrecorded.NoteFacts,
	Argument:     "k, a number of entries",
}, parseEntries, func(_ *tracefmt.Run, k int) analyze.Monitor { return &bypassMonitor{limit: k} })

// parseEntries returns the bound k of the property's argument.
func parseEntries(argument string) (int, error) {
	k, err := strconv.Atoi(argument)
	if err != nil || k < 0 {
		return 0, fmt.Errorf("expected a number of entries, 0 or more")
	}
	return k, nil
}

// bypassMonitor counts, for each waiting process, the entries of others into the same lock.
type bypassMonitor struct {
	lockMonitor
	limit    int
	findings lockFindings
}

// Step reports the waiting processes for which the current entry is the first one beyond the bound.
func (m *bypassMonitor) Step(r *analyze.Result, s *replay.State, e *tracefmt.Event) {
	c := m.step(r)
	m.findings.step(r, s, e, c)
	if c.asks != nil {
		r.Examined++
	}
	if c.again != nil && e.Type == enterNote { // the process may have restarted, so that this is an entry
		r.Lacks(analyze.MayRestart(e.Process, c.again.since, e.Seq))
	}
	if c.enters == nil || !c.counts {
		return
	}
	var passed []*standing // the requests with one entry too many
	for _, st := range c.enters.lock.waiting {
		if st.lock.entries-st.entries == m.limit+1 {
			passed = append(passed, st)
		}
	}
	slices.SortFunc(passed, (*standing).compare)
	for _, st := range passed {
		m.findings.violate(st, e.Seq, func() string {
			return fmt.Sprintf("process %s waits since seq %d: process %s enters at seq %d as number %d of the others, at most %d may",
				s.Run.ProcessName(st.process), st.since, s.Run.ProcessName(e.Process), e.Seq, m.limit+1, m.limit)
		}, st.since, e.Seq)
	}
}

// End reports the remaining findings.
func (m *bypassMonitor) End(r *analyze.Result, _ *replay.State, _ analyze.Ending) {
	m.findings.end(r)
	m.end(r, m.asked, noRequests)
}

// Relies implements [analyze.Relying].
func (m *bypassMonitor) Relies(*replay.State, analyze.Ending) iter.Seq[analyze.Need] {
	return slices.Values(m.notes())
}
