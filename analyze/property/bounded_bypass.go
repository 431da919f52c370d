package property

import (
	"fmt"
	"iter"
	"slices"
	"strconv"

	"etrace/analyze"
	"etrace/replay"
	"etrace/tracefmt"
)

var boundedBypass = withArgument(analyze.Property{
	Name: "bounded-bypass",
	Kind: analyze.Safety,
	Doc: `While a process waits for the critical section, the others enter it at most k
times, all together.

A process waits from its note request to its next note enter, a crash or a halt; each
lock of a run with several has its own entries.
Each request counts once, with the entry that is one too many. Where a note, a crash or a
halt of the process may have happened without being recorded, it is known to have waited if
it enters later, and cannot have gone down and come up again; and an entry of another counts
where that was certainly outside before.`,
	Needs:        requestNeeds,
	Source:       "Raynal, Concurrent Programming, 2013, 1.2: bounded bypass",
	WitnessOmits: "the other entries, which are counted",
	Problem:      "mutex",
	Convicts:     analyze.Facts("note", "crash", "halt"),
	Acquits:      analyze.Facts("note", "crash", "halt"),
	Triggers:     noteFacts,
	Argument:     "k, a number of entries",
}, parseEntries, func(_ *tracefmt.Run, k int) analyze.Monitor { return &bypassMonitor{most: k} })

func parseEntries(argument string) (int, error) {
	k, err := strconv.Atoi(argument)
	if err != nil || k < 0 {
		return 0, fmt.Errorf("expected a number of entries, 0 or more")
	}
	return k, nil
}

type bypassMonitor struct {
	lockMonitor
	most     int
	findings lockFindings
}

func (m *bypassMonitor) Step(r *analyze.Result, s *replay.State, e *tracefmt.Event) {
	c := m.step(r)
	m.findings.step(r, s, e, c)
	if c.asks != nil {
		r.Examined++
	}
	if c.again != nil && e.Type == enterNote { // it may have gone down and come back, so that this is an entry
		r.Lacks(analyze.MayRestart(e.Process, c.again.since, e.Seq))
	}
	if c.enters == nil || !c.counts {
		return
	}
	var passed []*standing // once more than they may be
	for _, st := range c.enters.lock.waiting {
		if st.lock.entries-st.entries == m.most+1 {
			passed = append(passed, st)
		}
	}
	slices.SortFunc(passed, (*standing).compare)
	for _, st := range passed {
		m.findings.violate(st, e.Seq, func() string {
			return fmt.Sprintf("process %s waits since seq %d: process %s enters at seq %d as number %d of the others, at most %d may",
				s.Run.ProcessName(st.process), st.since, s.Run.ProcessName(e.Process), e.Seq, m.most+1, m.most)
		}, st.since, e.Seq)
	}
}

func (m *bypassMonitor) End(r *analyze.Result, _ *replay.State, _ analyze.Ending) {
	m.findings.end(r)
	m.end(r, m.asked, noRequests)
}

// Relies implements [analyze.Relying].
func (m *bypassMonitor) Relies(*replay.State, analyze.Ending) iter.Seq[analyze.Need] {
	return slices.Values(m.notes())
}
