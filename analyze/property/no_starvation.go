package property

import (
	"fmt"

	"etrace/analyze"
	"etrace/replay"
	"etrace/tracefmt"
)

var noStarvation = analyze.Property{
	Name: "no-starvation",
	Kind: analyze.Liveness,
	Doc: `Each process that requests the critical section enters it in the end, unless it
crashes or halts first.

A process waits from its note request to its next note enter, of the same lock where a
run has several. Where the run
ends in a loop, a process waits forever if it waits at the end and does not
enter in the loop. While the run can go on, a request that waits is an open
obligation.`,
	Needs:   requestNeeds,
	Source:  dijkstra1965 + "; Raynal, Concurrent Programming, 2013, 1.2: starvation-freedom",
	Problem: "mutex",
	New: func(run *tracefmt.Run) analyze.Monitor {
		return newPerLock(noRequests, func() lockMonitor {
			return &starvationMonitor{requests: newRequests(run), entered: make([]tracefmt.Seq, len(run.Members)+1)}
		})
	},
}

type starvationMonitor struct {
	requests requests
	entered  []tracefmt.Seq // by process: its last entry
}

func (m *starvationMonitor) Step(r *analyze.Result, s *replay.State, e *tracefmt.Event) {
	asks, enters, _ := m.requests.step(s, e)
	if asks {
		r.Examined++
	}
	if enters {
		m.entered[e.Process] = e.Seq
	}
}

func (m *starvationMonitor) tells() bool { return m.requests.told }

func (m *starvationMonitor) End(r *analyze.Result, s *replay.State, end analyze.Ending) {
	for i := range s.Run.Members {
		p := tracefmt.ProcessID(i + 1)
		since := m.requests.since[p]
		if since == 0 || end.Looping() && m.entered[p] > end.LoopFrom {
			continue
		}
		owe(r, end, func() string {
			return fmt.Sprintf("process %s waits since its request at seq %d and has not entered", s.Run.ProcessName(p), since)
		}, since, end.LoopFrom, end.LoopTo)
	}
}
