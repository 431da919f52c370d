package broadcast

import (
	"fmt"

	"etrace/analyze"
	"etrace/analyze/property/paper"
	"etrace/analyze/property/unrecorded"
	"etrace/replay"
	"etrace/replay/sparse"
	"etrace/tracefmt"
)

var broadcastCausalOrder = analyze.Property{
	Name: "broadcast-causal-order",
	Kind: analyze.Safety,
	Doc: `No process delivers a message before it has delivered every message that may have caused it.

A message may have caused another if the sender of the second has broadcast or delivered the first before, or by a chain of
such messages. The property holds for every process, also for a process that crashes later. Each first delivery counts; a message
that was delivered before its broadcast is judged by broadcast-no-creation.

The monitor stores the possible causes of a message as one number for each process: the number of its broadcasts among
the causes. This is enough, because the causes include, with each broadcast, all earlier broadcasts of the same process.
Equal lists of numbers share memory. A run with more than four million deliveries is not decided.

Not every broadcast promises causal order: the property is examined in runs that state the trait causal-order, and in
others if it is named.`,
	Needs:      broadcastNeeds,
	Source:     paper.ReliableProgramming + ", 3.9: CRB5, causal delivery",
	Problem:    tracefmt.Broadcast,
	ViolatedBy: unrecorded.NoteFacts,
	ExcusedBy:  unrecorded.NoteFacts,
	Presumed:   []string{tracefmt.CausalOrder},
	New: func(run *tracefmt.Run) analyze.Monitor {
		n := len(run.Members) + 1
		return &causalOrderMonitor{
			ordered: newOrdered(run), space: sparse.NewSpace(n),
			knows: make([]sparse.Vector, n), complete: make([]sparse.Vector, n),
		}
	},
}

// causalOrderMonitor stores what each process and each message has in its causal past, as vectors: by sender, the
// number of its broadcasts.
type causalOrderMonitor struct {
	ordered
	space    sparse.Space
	knows    []sparse.Vector // by process: the broadcasts in its past
	complete []sparse.Vector // by process: the last broadcast before the first that it has not delivered
	past     []sparse.Vector // by message: the sender's past at the broadcast, with the message itself
	chained  int             // the number of messages searched for chains
}

// Step updates the causal past of the event's process. At a delivery it first checks that the past of the message is
// delivered.
func (m *causalOrderMonitor) Step(r *analyze.Result, s *replay.State, e *tracefmt.Event) {
	i, outcome := m.step(r, s, e)
	if outcome == recordsNothing {
		return
	}
	for len(m.past) <= i {
		m.past = append(m.past, sparse.Vector{})
	}
	p := e.Process
	switch {
	case outcome == recordsBroadcast:
		m.knows[p] = m.space.With(m.knows[p], int(p), uint64(m.list[i].number))
		m.past[i] = m.knows[p]
	case outcome == recordsDelivery && m.list[i].sent != 0:
		r.Examined++
		m.examine(r, s, e, i)
		m.knows[p] = m.space.Join(m.knows[p], m.past[i])
	}
}

// examine compares a delivery with the possible causes of the message, without the messages that the process
// certainly delivered. It reports the first missing message that certainly is a cause, else the first missing one.
func (m *causalOrderMonitor) examine(r *analyze.Result, s *replay.State, e *tracefmt.Event, i int) {
	complete, first, excuses := &m.complete[e.Process], -1, []analyze.Need(nil)
	for q, count := range m.past[i].Beyond(*complete) {
		sender := tracefmt.ProcessID(q)
		if sender == m.list[i].sender {
			count-- // the message itself is no cause
		}
		cause, lacks := m.firstMissing(e.Process, sender, int(count))
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
	}, append(m.chain(first, i), m.list[first].sent, m.list[i].sent, e.Seq)...)
}

// maxChained bounds the messages that are searched for the chains of all violations.
const maxChained = 1 << 24

// chain returns the events by which a message may have caused another: its delivery by the other's sender, or the
// delivery of a message that it may have caused, with the chain to that.
func (m *causalOrderMonitor) chain(cause, effect int) (events []tracefmt.Seq) {
	from := m.list[cause]
	for from.sender != m.list[effect].sender && m.chained < maxChained {
		// The chain is built from its end. Each round goes back to an earlier broadcast, so the search ends.
		receiver, actor, direct := m.list[effect], -1, *m.delivered(cause, m.list[effect].sender)
		if direct != 0 && direct < receiver.sent {
			return append(events, direct)
		}
		for j := range m.past {
			m.chained++
			at := *m.delivered(j, receiver.sender)
			if at != 0 && at < receiver.sent && m.past[j].At(int(from.sender)) >= uint64(from.number) &&
				m.list[j].sent < at {
				actor = j
				break
			}
		}
		if actor < 0 {
			return events
		}
		events = append(events, *m.delivered(actor, receiver.sender), m.list[actor].sent)
		effect = actor
	}
	return events
}

// unrelated returns the needs by which a message may not have caused another: a delivery in the chain may not
// have been the first of its message, which then came before its broadcast.
func (m *causalOrderMonitor) unrelated(s *replay.State, cause, effect int) []analyze.Need {
	from, receiver := m.list[cause], m.list[effect]
	switch at := *m.delivered(cause, receiver.sender); {
	case s.Coverage().Complete() || from.sender == receiver.sender:
		return nil
	case from.sent < at && at < receiver.sent:
		return deliveries(receiver.sender, 0, from.sent)
	}
	return deliveries(analyze.EveryProcess, 0, receiver.sent)
}

// End reports a run without notes of broadcast as not applicable.
func (m *causalOrderMonitor) End(r *analyze.Result, _ *replay.State, _ analyze.Ending) { m.end(r) }
