package network

import (
	"fmt"
	"iter"
	"slices"

	"etrace/analyze"
	"etrace/analyze/planned"
	"etrace/analyze/property/memory"
	"etrace/analyze/property/paper"
	"etrace/analyze/property/unrecorded"
	"etrace/replay"
	"etrace/tracefmt"
)

var fifo = analyze.Property{
	Name:  "fifo",
	Pairs: true,
	Kind:  analyze.Safety,
	Doc: `On each channel, messages are received in the order in which they were sent.

Lost messages leave gaps, which are allowed; only the first receive of a duplicated message is compared with the order. A run
without the trait fifo promises no order, and neither does a scenario with reordering (reorder): such runs are examined only if
the property is named. A receive that does not name an earlier event as its send leaves the order unknown.`,
	Needs:      "receive events that name their sends",
	Source:     paper.Lamport1978,
	Presumed:   []string{tracefmt.FIFO},
	ViolatedBy: analyze.Facts("receive", "send"),
	ExcusedBy:  unrecorded.ReceiveFacts,
	Triggers:   unrecorded.ReceiveFacts,
	Assumption: "no message overtakes another on its channel",
	Assumes:    planned.Without("reorder"),
	New:        func(*tracefmt.Run) analyze.Monitor { return &fifoMonitor{last: make(map[memory.Channel]received)} },
}

// received is the latest received send, and its receive.
type received struct{ sent, at tracefmt.Seq }

// fifoMonitor stores, for each channel, the latest send that was received.
type fifoMonitor struct {
	last map[memory.Channel]received
	seen memory.SeqSet // the received sends
}

// Step reports the first receive of a message if a later message of the channel was received before.
func (m *fifoMonitor) Step(r *analyze.Result, s *replay.State, e *tracefmt.Event) {
	if e.Kind != tracefmt.Receive {
		return
	}
	if e.Cause == 0 && s.Coverage().DeclaredMissing(e.Peer, unrecorded.SendFact, 0, e.Seq) {
		r.Lacks(analyze.Needs(e.Peer, 0, e.Seq, unrecorded.SendFacts...)...)
		return
	}
	if e.Cause < 1 || e.Cause >= e.Seq {
		r.Undecided(func() string { return fmt.Sprintf("the receive at seq %d does not name its send", e.Seq) })
		return
	}
	r.Examined++
	c := memory.Channel{From: e.Peer, Receiver: e.Process}
	last := m.last[c]
	again := m.seen.Add(e.Cause)
	switch {
	case e.Cause > last.sent:
		m.last[c] = received{e.Cause, e.Seq}
	// A second receive of a message is a duplicate, and shows no order.
	case !again:
		r.ViolateUnless(firstReceives(s.Run, e, last.at), func() string {
			return fmt.Sprintf("process %s receives from %s at seq %d what was sent at seq %d, after it received "+
				"at seq %d what was sent later, at seq %d",
				s.Run.ProcessName(e.Process), s.Run.ProcessName(e.Peer), e.Seq, e.Cause, last.at, last.sent)
		}, e.Cause, last.sent, last.at, e.Seq)
	}
}

// End does nothing: each receive was judged at once.
func (m *fifoMonitor) End(*analyze.Result, *replay.State, analyze.Ending) {}

// firstReceives returns the needs for an earlier receive of e's message before another event: then e is not its
// first receive. It returns nil if no message is duplicated.
func firstReceives(run *tracefmt.Run, e *tracefmt.Event, before tracefmt.Seq) []analyze.Need {
	if run.States(tracefmt.NoDuplicates) {
		return nil
	}
	return analyze.Needs(e.Process, e.Cause, before, unrecorded.ReceiveFacts...)
}

// Relies implements [analyze.Relying].
func (m *fifoMonitor) Relies(s *replay.State, _ analyze.Ending) iter.Seq[analyze.Need] {
	return slices.Values(analyze.Needs(analyze.EveryProcess, 0, 0, unrecorded.ReceiveFacts...))
}
