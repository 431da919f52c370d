package network

import (
	"fmt"
	"iter"
	"slices"

	"etrace/analyze"
	"etrace/analyze/property/memory"
	"etrace/analyze/property/unrecorded"
	"etrace/replay"
	"etrace/replay/sparse"
	"etrace/tracefmt"
)

var causalDelivery = analyze.Property{
	Name:  "causal-delivery",
	Pairs: true,
	Kind:  analyze.Safety,
	Doc: `If one message to a process was sent causally before another one, it is received first.

A lost message, and a message in transit at the end, is not too late. Only the first receive of a duplicated message
counts. FIFO channels promise less: a message may be overtaken by another one that goes through a third process. Each
message that is received too late counts once.

The monitor stores, for each receiver and each sender, the latest step of the sender that happened before the send of a
received message. A message that was sent at such a step, or earlier, is received too late. A receive takes time in the
number of processes with a step before its send. The memory is at most 16 bytes for each two processes that know of each
other, beside the vector clocks.`,
	Needs: "receive events that name their sends",
	Source: "Birman, Joseph, Reliable Communication in the Presence of Failures, 1987; Schwarz, Mattern, " +
		"Detecting Causal Relationships in Distributed Computations, 1994",
	ViolatedBy: analyze.Facts("receive", "send"),
	ExcusedBy:  unrecorded.ReceiveFacts,
	Triggers:   unrecorded.ReceiveFacts,
	OnRequest:  true,
	New: func(run *tracefmt.Run) analyze.Monitor {
		n := len(run.Members)
		return &causalMonitor{
			clocks: replay.NewClocks(run), known: make([]sparse.Row, n+1),
			learntAt: make([]sparse.Row, n+1),
		}
	},
}

// causalMonitor stores, for each receiver, the causal past of the messages that it received.
type causalMonitor struct {
	clocks *replay.Clocks
	// known has, by receiver, at p-1 for p, the latest step of p that the send of a received message knew, and learntAt
	// the first such message.
	known, learntAt []sparse.Row
	received        memory.SeqSet // the sends of received messages
}

// Step checks the first receive of each message.
func (m *causalMonitor) Step(r *analyze.Result, s *replay.State, e *tracefmt.Event) {
	if m.clocks.Incomplete() != "" {
		return
	}
	if e.Kind == tracefmt.Receive {
		r.Examined++
		switch {
		case e.Cause == 0 && s.Coverage().DeclaredMissing(e.Peer, unrecorded.SendFact, 0, e.Seq):
			r.Lacks(analyze.Needs(e.Peer, 0, e.Seq, unrecorded.SendFacts...)...)
		case !m.received.Has(e.Cause):
			m.receive(r, s, e)
		}
	}
	m.clocks.Step(e)
}

// receive takes the first receive of a message, while the clocks of its send are still stored.
func (m *causalMonitor) receive(r *analyze.Result, s *replay.State, e *tracefmt.Event) {
	sent, ok := m.clocks.ClockOf(e.Cause)
	if !ok {
		r.Undecided(func() string {
			if e.Cause == 0 {
				return fmt.Sprintf("the receive at seq %d does not name its send", e.Seq)
			}
			return fmt.Sprintf("the receive at seq %d names seq %d as its send, an event without a known clock",
				e.Seq, e.Cause)
		})
		return
	}
	m.received.Add(e.Cause)
	known, sender := &m.known[e.Process], int(sent.Process())-1
	if replay.StepAt(known.At(sender)) >= e.Cause {
		first := unpackReceipt(m.learntAt[e.Process].At(sender))
		r.ViolateUnless(firstReceives(s.Run, e, first.at), func() string {
			return fmt.Sprintf("process %s receives at seq %d what was sent at seq %d, after it received at seq "+
				"%d what was sent at seq %d, although seq %d happened before seq %d",
				s.Run.ProcessName(e.Process), e.Seq, e.Cause, first.at, first.sent, e.Cause, first.sent)
		}, e.Cause, first.sent, first.at, e.Seq)
	}
	m.learnFrom(sent, e)
}

// learnFrom adds the knowledge of the message's send to that of the receiver.
func (m *causalMonitor) learnFrom(sent replay.Clock, e *tracefmt.Event) {
	known, heard, sender := &m.known[e.Process], &m.learntAt[e.Process], int(sent.Process())-1
	message := receipt{sent: e.Cause, at: e.Seq}.pack()
	known.Raise(sent.Past(), heard, message)
	if self := sent.Own(); known.At(sender) < self {
		known.Set(sender, self)
		heard.Set(sender, message)
	}
}

// receipt is a message that was received.
type receipt struct{ sent, at tracefmt.Seq }

// pack packs the receipt into a number; the clocks stop before a seq needs more than 32 bits.
func (r receipt) pack() uint64 { return uint64(r.sent)<<32 | uint64(r.at) }

// unpackReceipt is the inverse of pack.
func unpackReceipt(n uint64) receipt {
	return receipt{sent: tracefmt.Seq(n >> 32), at: tracefmt.Seq(n & (1<<32 - 1))}
}

// End reports a reason if the clocks are incomplete.
func (m *causalMonitor) End(r *analyze.Result, _ *replay.State, _ analyze.Ending) {
	if m.clocks.Incomplete() != "" {
		r.Undecided(m.clocks.Incomplete)
	}
}

// Relies implements [analyze.Relying].
func (m *causalMonitor) Relies(s *replay.State, _ analyze.Ending) iter.Seq[analyze.Need] {
	return slices.Values(analyze.Needs(analyze.EveryProcess, 0, 0, unrecorded.ReceiveFacts...))
}
