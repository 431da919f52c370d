package property

import (
	"fmt"

	"etrace/analyze"
	"etrace/replay"
	"etrace/replay/sparse"
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
message all earlier ones of the same sender. Messages and processes share the
numbers that they have in common. A run with more than four million deliveries
that may be asked for is not decided.

Not every broadcast promises that: it is examined in runs that state the trait
causal-order, and in others when it is named.`,
	Needs:    broadcastNeeds,
	Source:   reliableProgramming + ", 3.9: CRB5, causal delivery",
	Problem:  tracefmt.Broadcast,
	Convicts: noteFacts,
	Acquits:  noteFacts,
	Presumed: []string{tracefmt.CausalOrder},
	New: func(run *tracefmt.Run) analyze.Monitor {
		n := len(run.Members) + 1
		return &causalOrderMonitor{ordered: newOrdered(run), space: sparse.NewSpace(n),
			knows: make([]sparse.Vector, n), complete: make([]sparse.Vector, n)}
	},
}

// The vectors of the monitor are by sender: how many of its broadcasts.
type causalOrderMonitor struct {
	ordered
	space    sparse.Space
	knows    []sparse.Vector // by process: those in its past
	complete []sparse.Vector // by process: some that it has delivered, and with them all earlier ones
	past     []sparse.Vector // by message: what its sender knew at the broadcast, itself included
	chained  int             // how many messages were looked at for chains
}

func (m *causalOrderMonitor) Step(r *analyze.Result, s *replay.State, e *tracefmt.Event) {
	i, what := m.step(r, s, e)
	if what == recordsNothing {
		return
	}
	for len(m.past) <= i {
		m.past = append(m.past, sparse.Vector{})
	}
	p := e.Process
	switch {
	case what == tellsBroadcast:
		m.knows[p] = m.space.With(m.knows[p], int(p), uint64(m.all[i].number))
		m.past[i] = m.knows[p]
	case what == tellsDelivery && m.all[i].sent != 0:
		r.Examined++
		m.examine(r, s, e, i)
		m.knows[p] = m.space.Join(m.knows[p], m.past[i])
	}
}

// examine compares a delivery with all that may have caused the message, but for
// what the process is known to have delivered. Of what it lacks, the first that certainly
// caused it counts, else the first.
func (m *causalOrderMonitor) examine(r *analyze.Result, s *replay.State, e *tracefmt.Event, i int) {
	complete, first, excuses := &m.complete[e.Process], -1, []analyze.Need(nil)
	for q, count := range m.past[i].Beyond(*complete) {
		sender := tracefmt.ProcessID(q)
		if sender == m.all[i].sender {
			count-- // the message itself
		}
		cause, lacks := m.lacks(e.Process, sender, int(count))
		if !lacks {
			continue
		}
		unless := append(deliveries(e.Process, 0, e.Seq), m.unrelated(s, cause, i)...)
		sure := r.Sure(unless)
		if first < 0 || sure {
			first, excuses = cause, unless
		}
		if sure {
			break
		}
	}
	if first < 0 {
		*complete = m.space.Join(*complete, m.past[i])
		return
	}
	r.ViolateUnless(excuses, func() string {
		return fmt.Sprintf("process %s delivers at seq %d %s, but not yet %s, which may have caused it",
			s.Run.ProcessName(e.Process), e.Seq, m.name(s, i), m.name(s, first))
	}, append(m.chain(first, i), m.all[first].sent, m.all[i].sent, e.Seq)...)
}

// mostChained is how many messages are looked at for the chains of all violations.
const mostChained = 1 << 24

// chain returns the events by which a message may have caused another one: its delivery by the sender of the other
// one, or that of a message that it may have caused, with what led to this.
func (m *causalOrderMonitor) chain(cause, effect int) (events []tracefmt.Seq) {
	from := m.all[cause]
	for from.sender != m.all[effect].sender && m.chained < mostChained {
		to, by, direct := m.all[effect], -1, *m.delivered(cause, m.all[effect].sender)
		if direct != 0 && direct < to.sent {
			return append(events, direct)
		}
		for j := range m.past {
			m.chained++
			at := *m.delivered(j, to.sender)
			if at != 0 && at < to.sent && m.past[j].At(int(from.sender)) >= uint64(from.number) && m.all[j].sent < at {
				by = j
				break
			}
		}
		if by < 0 {
			return events
		}
		events = append(events, *m.delivered(by, to.sender), m.all[by].sent)
		effect = by
	}
	return events
}

// unrelated is that a message may not have caused another one: a delivery by which it seems to
// have was not the first of its message, which then came before its broadcast.
func (m *causalOrderMonitor) unrelated(s *replay.State, cause, effect int) []analyze.Need {
	from, to := m.all[cause], m.all[effect]
	switch at := *m.delivered(cause, to.sender); {
	case s.Coverage().Complete() || from.sender == to.sender:
		return nil
	case from.sent < at && at < to.sent:
		return deliveries(to.sender, 0, from.sent)
	}
	return deliveries(analyze.EveryProcess, 0, to.sent)
}

func (m *causalOrderMonitor) End(r *analyze.Result, _ *replay.State, _ analyze.Ending) { m.end(r) }
