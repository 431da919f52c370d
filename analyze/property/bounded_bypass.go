package property

import (
	"fmt"
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
Each request counts once, with the entry that is one too many.`,
	Needs:    requestNeeds,
	Source:   "Raynal, Concurrent Programming, 2013, 1.2: bounded bypass",
	Problem:  "mutex",
	Argument: "k, a number of entries",
}, parseEntries, func(run *tracefmt.Run, k int) analyze.Monitor {
	return newPerLock(noRequests, func() lockMonitor {
		return &bypassMonitor{most: k, requests: newRequests(run), bypasses: make([]int, len(run.Members)+1)}
	})
})

func parseEntries(argument string) (int, error) {
	k, err := strconv.Atoi(argument)
	if err != nil || k < 0 {
		return 0, fmt.Errorf("expected a number of entries, 0 or more")
	}
	return k, nil
}

type bypassMonitor struct {
	most     int
	requests requests
	waiting  []tracefmt.ProcessID
	bypasses []int // by process: entries of others since its request
}

func (m *bypassMonitor) Step(r *analyze.Result, s *replay.State, e *tracefmt.Event) {
	asks, enters, _ := m.requests.step(s, e)
	switch {
	case asks:
		r.Examined++
		m.waiting, m.bypasses[e.Process] = append(m.waiting, e.Process), 0
	case m.requests.since[e.Process] == 0 && e.Process != 0:
		m.waiting = others(m.waiting, e.Process)
	}
	if !enters {
		return
	}
	for _, p := range m.waiting {
		if m.bypasses[p]++; m.bypasses[p] == m.most+1 {
			r.Violate(func() string {
				return fmt.Sprintf("process %s waits since seq %d: process %s enters at seq %d as number %d of the others, at most %d may",
					s.Run.ProcessName(p), m.requests.since[p], s.Run.ProcessName(e.Process), e.Seq, m.bypasses[p], m.most)
			}, m.requests.since[p], e.Seq)
		}
	}
}

func (m *bypassMonitor) tells() bool { return m.requests.told }

func (m *bypassMonitor) End(*analyze.Result, *replay.State, analyze.Ending) {}
