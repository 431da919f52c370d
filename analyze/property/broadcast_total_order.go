package property

import (
	"fmt"

	"etrace/analyze"
	"etrace/replay"
	"etrace/tracefmt"
)

var broadcastTotalOrder = analyze.Property{
	Name: "broadcast-total-order",
	Kind: analyze.Safety,
	Doc: `Two processes that both deliver two messages deliver them in the same order.

It is asked of every two processes, also of those that crash later. A delivery
counts once for each process that delivered the message before another one that
is delivered here already.

Not every broadcast promises that: it is examined in runs that state the trait
total-order, and in others when it is named.`,
	Needs:    broadcastNeeds,
	Source:   reliableProgramming + ", 6.1: TOB5, total order",
	Problem:  tracefmt.Broadcast,
	Convicts: noteFacts,
	Acquits:  noteFacts,
	Presumed: []string{tracefmt.TotalOrder},
	New: func(run *tracefmt.Run) analyze.Monitor {
		return &totalOrderMonitor{broadcasts: newBroadcasts(run), latest: make([][]int, len(run.Members)+1)}
	},
}

// totalOrderMonitor compares the orders of each two processes as they grow.
type totalOrderMonitor struct {
	broadcasts
	// latest has, for processes p and q, of the messages that both have
	// delivered the one that q delivered last, counted from 1; 0 for none. A
	// message that q delivered before that one must not come after it at p.
	latest [][]int
}

func (m *totalOrderMonitor) Step(r *analyze.Result, s *replay.State, e *tracefmt.Event) {
	i, what := m.step(r, s, e)
	if what != tellsDelivery {
		return
	}
	r.Examined++
	for n := range s.Run.Members {
		q := tracefmt.ProcessID(n + 1)
		if q == e.Process || *m.delivered(i, q) == 0 {
			continue
		}
		here, there := m.last(e.Process, q), m.last(q, e.Process)
		if *here != 0 && *m.delivered(i, q) < *m.delivered(*here-1, q) {
			m.violate(r, s, e, i, *here-1, q)
		} else {
			*here = i + 1
		}
		*there = i + 1
	}
}

func (m *totalOrderMonitor) last(p, q tracefmt.ProcessID) *int {
	if m.latest[p] == nil {
		m.latest[p] = make([]int, len(m.latest))
	}
	return &m.latest[p][q]
}

// violate: e delivers message i after j, and q did the other way round.
func (m *totalOrderMonitor) violate(r *analyze.Result, s *replay.State, e *tracefmt.Event, i, j int, q tracefmt.ProcessID) {
	p := e.Process
	earlier := append(deliveries(p, 0, *m.delivered(j, p)), deliveries(q, 0, *m.delivered(i, q))...)
	r.ViolateUnless(earlier, func() string {
		return fmt.Sprintf("process %s delivers at seq %d %s, after, at seq %d, %s; process %s delivers them the "+
			"other way round, at seq %d and %d",
			s.Run.ProcessName(p), e.Seq, m.name(s, i), *m.delivered(j, p), m.name(s, j),
			s.Run.ProcessName(q), *m.delivered(i, q), *m.delivered(j, q))
	}, *m.delivered(j, p), e.Seq, *m.delivered(i, q), *m.delivered(j, q))
}

func (m *totalOrderMonitor) End(r *analyze.Result, _ *replay.State, _ analyze.Ending) { m.end(r) }
