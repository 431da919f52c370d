package property

import (
	"fmt"

	"etrace/analyze"
	"etrace/replay"
	"etrace/tracefmt"
)

var broadcastCausalOrder = analyze.Property{
	Name: "broadcast-causal-order",
	Kind: analyze.Safety,
	Doc: `No process delivers a message unless it has delivered every message that may
have caused it.

A message may have caused another if the process that broadcasts the second has
broadcast or delivered the first before, or by a chain of such messages. It is
asked of every process, also of one that crashes later. Each first delivery
counts; a message that was delivered before anybody broadcast it is the business
of broadcast-no-creation.

What a message may have been caused by is kept as one number for each process,
how many of its broadcasts: enough, since the causes of a message hold with each
message all earlier ones of the same sender. A run with more than four million
such numbers is not decided.`,
	Needs:     broadcastNeeds,
	Source:    reliableProgramming + ", 3.9: CRB5, causal delivery",
	Problem:   "broadcast",
	OnRequest: true,
	New: func(run *tracefmt.Run) analyze.Monitor {
		n := len(run.Members) + 1
		return &causalOrderMonitor{ordered: newOrdered(run), knows: make([][]int32, n)}
	},
}

type causalOrderMonitor struct {
	ordered
	knows [][]int32 // by process, then sender: how many broadcasts are in its past
	past  [][]int32 // by message: what its sender knew at the broadcast, itself included
}

func (m *causalOrderMonitor) Step(r *analyze.Result, s *replay.State, e *tracefmt.Event) {
	i, what := m.step(r, s, e)
	if what == tellsNothing {
		return
	}
	p := e.Process
	if m.knows[p] == nil {
		m.knows[p] = make([]int32, len(m.knows))
	}
	for len(m.past) <= i {
		m.past = append(m.past, nil)
	}
	switch {
	case what == tellsBroadcast:
		m.knows[p][p] = m.all[i].number
		m.past[i] = append([]int32(nil), m.knows[p]...)
	case what == tellsDelivery && m.past[i] != nil:
		r.Examined++
		m.examine(r, s, e, i)
		for q, n := range m.past[i] {
			m.knows[p][q] = max(m.knows[p][q], n)
		}
	}
}

// examine compares a delivery with all that may have caused the message.
func (m *causalOrderMonitor) examine(r *analyze.Result, s *replay.State, e *tracefmt.Event, i int) {
	for q, count := range m.past[i] {
		sender := tracefmt.ProcessID(q)
		if sender == m.all[i].sender {
			count-- // the message itself
		}
		cause, lacks := m.lacks(e.Process, sender, count)
		if !lacks {
			continue
		}
		r.Violate(func() string {
			return fmt.Sprintf("process %s delivers at seq %d %s, but not yet %s, which may have caused it",
				s.Run.ProcessName(e.Process), e.Seq, m.name(s, i), m.name(s, cause))
		}, m.all[cause].sent, m.all[i].sent, e.Seq)
		return
	}
}

func (m *causalOrderMonitor) End(r *analyze.Result, _ *replay.State, _ analyze.Ending) { m.end(r) }
