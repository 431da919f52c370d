package broadcast

import (
	"fmt"

	"etrace/analyze"
	"etrace/analyze/property/paper"
	"etrace/analyze/property/unrecorded"
	"etrace/replay"
	"etrace/tracefmt"
)

var broadcastTotalOrder = analyze.Property{
	Name: "broadcast-total-order",
	Kind: analyze.Safety,
	Doc: `Two processes that both deliver two messages deliver them in the same order.

The property holds for every two processes, also for processes that crash later. A delivery counts once for each
process that delivered the message before another message that this process has delivered already.

Not every broadcast promises total order: the property is examined in runs that state the trait total-order, and in others
if it is named.`,
	Needs:      broadcastNeeds,
	Source:     paper.ReliableProgramming + ", 6.1: TOB5, total order",
	Problem:    tracefmt.Broadcast,
	ViolatedBy: unrecorded.NoteFacts,
	ExcusedBy:  unrecorded.NoteFacts,
	Presumed:   []string{tracefmt.TotalOrder},
	New: func(run *tracefmt.Run) analyze.Monitor {
		return &totalOrderMonitor{broadcasts: newBroadcasts(run), latest: make([][]int, len(run.Members)+1)}
	},
}

// totalOrderMonitor compares the delivery orders of each two processes as they grow.
type totalOrderMonitor struct {
	broadcasts
	// latest has, for processes p and q, the message that q delivered last among the messages that both have delivered,
	// counted from 1; 0 for none. p must not deliver after it a message that q delivered before it.
	latest [][]int
}

// Step compares a first delivery, for each process that has delivered the message already, with that process's order.
func (m *totalOrderMonitor) Step(r *analyze.Result, s *replay.State, e *tracefmt.Event) {
	i, outcome := m.step(r, s, e)
	if outcome != recordsDelivery {
		return
	}
	r.Examined++
	for n := range s.Run.Members {
		q := tracefmt.ProcessID(n + 1)
		if q == e.Process || *m.delivered(i, q) == 0 {
			continue
		}
		left, right := m.last(e.Process, q), m.last(q, e.Process)
		if *left != 0 && *m.delivered(i, q) < *m.delivered(*left-1, q) {
			m.violate(r, s, e, i, q)
		} else {
			*left = i + 1
		}
		*right = i + 1
	}
}

// last returns the entry of latest for p and q.
func (m *totalOrderMonitor) last(p, q tracefmt.ProcessID) *int {
	if m.latest[p] == nil {
		m.latest[p] = make([]int, len(m.latest))
	}
	return &m.latest[p][q]
}

// violate reports that e delivers message i after the last common one, and that q delivered them in the other order.
func (m *totalOrderMonitor) violate(
	r *analyze.Result, s *replay.State, e *tracefmt.Event, i int, q tracefmt.ProcessID,
) {
	p := e.Process
	j := *m.last(p, q) - 1
	earlier := append(deliveries(p, 0, *m.delivered(j, p)), deliveries(q, 0, *m.delivered(i, q))...)
	r.ViolateUnless(earlier, func() string {
		return fmt.Sprintf("process %s delivers at seq %d %s, after, at seq %d, %s; process %s delivers them the "+
			"other way round, at seq %d and %d",
			s.Run.ProcessName(p), e.Seq, m.name(s, i), *m.delivered(j, p), m.name(s, j),
			s.Run.ProcessName(q), *m.delivered(i, q), *m.delivered(j, q))
	}, *m.delivered(j, p), e.Seq, *m.delivered(i, q), *m.delivered(j, q))
}

// End reports a run without notes of broadcast as not applicable.
func (m *totalOrderMonitor) End(r *analyze.Result, _ *replay.State, _ analyze.Ending) { m.end(r) }
