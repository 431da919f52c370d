package snapshot

import (
	"etrace/record/algorithm"
	"etrace/record/sim"
	"etrace/tracefmt"
)

var chandyLamportAlgorithm = algorithm.Algorithm{
	Name: "chandy-lamport",
	Doc: `The snapshot of Chandy and Lamport: a marker on every channel divides what was sent before the recording from what comes after.

A process that is started records its balance, and sends MARKER to all neighbours before any other
message. From then on it records the messages that arrive on each channel, until the MARKER of that
channel. A process that gets its first MARKER records in the same way; the channel of this MARKER
is recorded as empty. A process with the markers of all its channels has completed its part (note
recorded). Each channel has one MARKER: 2E, E being the number of edges, n(n-1) on the complete
graph, however many processes start: together they make one snapshot.` + paymentsDoc + `

Channels must be FIFO: money that overtakes the marker is recorded twice. A start of a process that
has recorded has no effect. A process without channels has completed its part at once.`,
	Source:  "Chandy and Lamport, ACM TOCS 3(1), 1985, section 3; Kshemkalyani and Singhal, Distributed Computing, 2008, section 4.3",
	Problem: tracefmt.Snapshot,
	Basic:   []string{moneyMessage},
	Traits:  []string{tracefmt.NoRecovery},
	Needs:   algorithm.ConnectedGraph,
	FIFO:    true,
	Bounds: []tracefmt.Bound{
		exactly("2*edges", "starts > 0 and live == n", "Chandy and Lamport 1985: one marker on each channel, "+
			"the computation's own messages not counted", moneyMessage),
		exactly("2*edges + pays*n", "starts > 0 and live == n and n > 1", "Chandy and Lamport 1985: one marker on each channel"),
	},
	Params: params,
	Tolerates: []algorithm.Tolerance{{
		Faults: algorithm.Down, Most: algorithm.None, Breaks: "it may not record, nor send its MARKERs, and " +
			"the others wait for these forever", Source: "by the rules: a process that records waits for the MARKER of each channel",
	}},
	Mutants: []algorithm.Mutant{{
		Name: "no-channel", Doc: "Messages that arrive on a channel before its marker are not recorded as the state of the channel.",
		Breaks: []string{"sum-preserved"}, Shows: "nodes: 2, start: 1@1.5",
	}},
	Example: "nodes: 4, start: 1",
	New:     newChandyLamport,
}

// chandyLamport is the protocol.
type chandyLamport struct {
	payments
	open      sim.Var[sim.Set[tracefmt.ProcessID]]
	channels  sim.Var[amounts]
	money     sim.Message[money]
	marker    sim.Signal
	recording sim.Note[state]
	completed sim.Note[contents]

	noChannel bool // a mutant
}

// money has the fields of MONEY.
type money struct{ amount int64 }

// state has the fields of the note record.
type state struct{ state int64 }

// contents has the fields of the note recorded, by which a process has completed its part.
type contents struct{ channels amounts }

// newChandyLamport returns the protocol.
func newChandyLamport(v algorithm.Values) *sim.Protocol {
	pr := &sim.Protocol{}
	c := &chandyLamport{noChannel: v.Mutant("no-channel")}
	c.payments = newPayments(pr, v, rules{send: c.transfer, record: c.begin})
	c.open = sim.Declare[sim.Set[tracefmt.ProcessID]](pr, "open", "the channels whose markers have not arrived since it recorded")
	c.channels = sim.Declare[amounts](pr, "channels", "the amounts that arrived on each channel after the recording and before the marker")
	c.money = sim.DeclareMessage[money](pr, moneyMessage, "a payment")
	c.marker = pr.Signal("MARKER", "what comes after it was sent after the recording")
	c.recording = sim.DeclareNote[state](pr, "record", "the process records its amount")
	c.completed = sim.DeclareNote[contents](pr, "recorded", "it has recorded the messages in flight to it, by sender")
	c.money.On(c.handleMoney)
	c.marker.On(c.handleMarker)
	return pr
}

// transfer sends a payment.
func (c *chandyLamport) transfer(p *sim.Process, receiver tracefmt.ProcessID, amount int64) {
	c.money.Send(p, receiver, money{amount})
}

// handleMoney handles MONEY.
func (c *chandyLamport) handleMoney(p *sim.Process, from tracefmt.ProcessID, m money) {
	sim.Add(p, c.amount, m.amount)
	if c.open.Get(p).Has(from) && !c.noChannel {
		add(p, c.channels, from, m.amount)
	}
}

// begin makes a process record its state and send markers; from is the channel of the first marker, 0 at an
// initiator.
func (c *chandyLamport) begin(p *sim.Process, from tracefmt.ProcessID) {
	c.recorded.Set(p, true)
	c.open.Set(p, sim.SetOf(p.Neighbours()...).Without(from))
	c.channels.Set(p, nothing(p))
	c.recording.Record(p, state{c.amount.Get(p)})
	c.marker.Broadcast(p)
	c.completeIfAllMarkers(p)
}

// handleMarker ends the recording of the channel.
func (c *chandyLamport) handleMarker(p *sim.Process, from tracefmt.ProcessID) {
	switch open := c.open.Get(p); {
	case !c.recorded.Get(p):
		c.begin(p, from)
	case open.Has(from):
		c.open.Set(p, open.Without(from))
		c.completeIfAllMarkers(p)
	}
}

// completeIfAllMarkers completes the part of a process when it has the markers of all channels.
func (c *chandyLamport) completeIfAllMarkers(p *sim.Process) {
	if c.open.Get(p).Len() == 0 {
		c.completed.Record(p, contents{c.channels.Get(p)})
	}
}
