package property

import (
	"fmt"

	"etrace/analyze"
	"etrace/replay"
	"etrace/tracefmt"
)

var requestOrderFairness = analyze.Property{
	Name: "request-order-fairness",
	Kind: analyze.Safety,
	Doc: `If a request happened before another, its process enters the critical section
first, unless it crashes or halts.

Requests that are concurrent may be granted in either order. A process waits
from its note request to its next note enter. Each entry counts once for each
process that it overtakes. A token that goes its round is not fair in this
sense, therefore the property is examined on request only.`,
	Needs:     requestNeeds + "; messages with their causes",
	Source:    lamport1978 + ", condition II of mutual exclusion",
	Problem:   "mutex",
	OnRequest: true,
	New: func(run *tracefmt.Run) analyze.Monitor {
		clocks := replay.NewClocks(run)
		return &requestOrders{clocks, newPerLock(noRequests, func() lockMonitor {
			return &requestOrderMonitor{requests: newRequests(run), clocks: clocks, asked: make([]replay.Clock, len(run.Members)+1)}
		})}
	},
}

// requestOrders are those of all locks, which share the clocks.
type requestOrders struct {
	clocks *replay.Clocks
	locks  *perLock
}

func (m *requestOrders) Step(r *analyze.Result, s *replay.State, e *tracefmt.Event) {
	m.clocks.Step(e)
	m.locks.Step(r, s, e)
}

func (m *requestOrders) End(r *analyze.Result, s *replay.State, end analyze.Ending) {
	m.locks.End(r, s, end)
	if reason := m.clocks.Incomplete(); reason != "" {
		r.Undecided(func() string { return reason })
	}
}

type requestOrderMonitor struct {
	requests requests
	clocks   *replay.Clocks
	asked    []replay.Clock // by process: the clock of its request
}

func (m *requestOrderMonitor) Step(r *analyze.Result, s *replay.State, e *tracefmt.Event) {
	asks, enters, waited := m.requests.step(s, e)
	switch {
	case asks:
		m.asked[e.Process] = m.clocks.Clock(e.Process)
	case enters && waited != 0 && m.clocks.Incomplete() == "":
		r.Examined++
		m.examine(r, s, e, waited)
	}
}

// examine looks for processes that still wait since before the request that is
// granted: it knows of theirs. One entry of its clock decides for each.
func (m *requestOrderMonitor) examine(r *analyze.Result, s *replay.State, e *tracefmt.Event, request tracefmt.Seq) {
	granted := &m.asked[e.Process]
	for i, since := range m.requests.since {
		p := tracefmt.ProcessID(i)
		if since == 0 || since > request || granted.Latest(p) < since {
			continue
		}
		r.Violate(func() string {
			return fmt.Sprintf("process %s, which requested at seq %d, enters at seq %d before process %s, whose request at seq %d happened before",
				s.Run.ProcessName(e.Process), request, e.Seq, s.Run.ProcessName(p), since)
		}, since, request, e.Seq)
	}
}

func (m *requestOrderMonitor) tells() bool { return m.requests.told }

func (m *requestOrderMonitor) End(*analyze.Result, *replay.State, analyze.Ending) {}
