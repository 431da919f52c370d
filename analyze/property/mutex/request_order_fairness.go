package mutex

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

var requestOrderFairness = analyze.Property{
	Name: "request-order-fairness",
	Kind: analyze.Safety,
	Doc: `If a request happened before another, its process enters the critical section first, unless it crashes or halts.

Concurrent requests may be granted in either order. A process waits from its note request to its next note enter. Each entry counts once for
each process that it overtakes. Few algorithms promise this: token-based algorithms with requests, and the numbers of
Ricart and Agrawala, are not fair in this sense. So the property is examined in runs that state the trait
request-order, and in others if it is named.`,
	Needs:      requestNeeds + "; messages with their causes",
	Source:     paper.Lamport1978 + ", condition II of mutual exclusion",
	Problem:    "mutex",
	ViolatedBy: analyze.Facts("note", "receive", "send"),
	ExcusedBy:  analyze.Facts("note", "crash", "halt"),
	Triggers:   unrecorded.NoteFacts,
	Presumed:   []string{tracefmt.RequestOrder},
	New: func(run *tracefmt.Run) analyze.Monitor {
		return &requestOrderMonitor{clocks: replay.NewClocks(run)}
	},
}

// requestOrderMonitor compares each granted request, by its vector clock, with the requests that still wait.
type requestOrderMonitor struct {
	lockMonitor
	clocks   *replay.Clocks
	findings lockFindings
	orphans  unrecorded.Orphans
}

// Step stores the clock of a request, and examines an entry.
func (m *requestOrderMonitor) Step(r *analyze.Result, s *replay.State, e *tracefmt.Event) {
	m.clocks.Step(e)
	m.orphans.Step(e)
	c := m.step(r)
	m.findings.step(r, s, e, c)
	switch {
	case c.asks != nil:
		c.asks.asked = m.clocks.Clock(e.Process)
	case c.enters != nil && c.waited != 0 && m.clocks.Incomplete() == "":
		r.Examined++
		m.examine(r, s, c.enters, c.waited)
	}
}

// examine looks for processes that have waited since before the granted request: its clock knows their requests.
// One entry of the clock decides for each process.
func (m *requestOrderMonitor) examine(r *analyze.Result, s *replay.State, granted *standing, request tracefmt.Seq) {
	var overtaken []*standing
	for _, st := range granted.lock.waiting {
		switch {
		case st.since > request: // a later request may wait
		case granted.asked.Latest(st.process) >= st.since:
			overtaken = append(overtaken, st)
		default: // unrecorded messages may order the requests
			r.Lacks(m.orphans.Influence(st.since, request)...)
		}
	}
	slices.SortFunc(overtaken, func(x, y *standing) int { return int(x.process - y.process) })
	for _, st := range overtaken {
		m.findings.violate(st, granted.since, func() string {
			return fmt.Sprintf("process %s, which requested at seq %d, enters at seq %d before process %s, whose request at seq %d happened before",
				s.Run.ProcessName(granted.process), request, granted.since, s.Run.ProcessName(st.process), st.since)
		}, st.since, request, granted.since)
	}
}

// End reports the remaining findings, and a reason if the clocks are incomplete.
func (m *requestOrderMonitor) End(r *analyze.Result, _ *replay.State, _ analyze.Ending) {
	m.findings.end(r)
	m.end(r, m.asked, noRequests)
	if reason := m.clocks.Incomplete(); reason != "" {
		r.Undecided(func() string { return reason })
	}
}

// Relies implements [analyze.Relying].
func (m *requestOrderMonitor) Relies(*replay.State, analyze.Ending) iter.Seq[analyze.Need] {
	return slices.Values(m.notes())
}
