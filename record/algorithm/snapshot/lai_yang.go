package snapshot

import (
	"etrace/record/algorithm"
	"etrace/record/sim"
	"etrace/tracefmt"
)

var laiYangAlgorithm = algorithm.Algorithm{
	Name: "lai-yang",
	Doc: `The snapshot of Lai and Yang: a bit of each message says whether its sender had recorded
its state. Channels may reorder.

A process that is started records. MONEY carries one bit: whether its sender had recorded. A process
that gets a message with this bit records its state before it accepts the message. A process that
records notes its balance, and for each channel the sums sent and received so far. The amount in
transit from p to q is the amount that p had sent to q less the amount that q had received from p,
in the two records. The snapshot needs no messages of its own.` + paymentsDoc + `

A process that receives no message with the bit never records. So the snapshot is complete only if the computation
continues long enough. A process that records because of a message notes its sender (field before): the trace has the
receive before the note, but the message does not belong to the recorded state. A start of a process that has recorded
has no effect.`,
	Source:  "Lai and Yang, IPL 25(3), 1987; Kshemkalyani and Singhal, Distributed Computing, 2008, section 4.4",
	Problem: tracefmt.Snapshot,
	Basic:   []string{moneyMessage},
	Traits:  []string{tracefmt.NoRecovery},
	Needs:   algorithm.ConnectedGraph,
	Bounds: []tracefmt.Bound{
		exactly("0", "", "Lai and Yang 1987: the snapshot itself sends no message", moneyMessage),
		exactly("pays*n", "live == n and n > 1", "Lai and Yang 1987: only the computation sends messages"),
	},
	Params: params,
	Tolerates: []algorithm.Tolerance{{
		Faults: algorithm.Down, Most: algorithm.None, Breaks: "it may never record, and the snapshot lacks its " +
			"state and the messages that were in flight to it", Source: "by the rules: a snapshot is the records of all",
	}},
	Mutants: []algorithm.Mutant{{
		Name: "colour-blind", Doc: "Processes ignore the bit: only an initiator records its state.",
		Breaks: []string{"snapshot-consistent"}, Shows: "nodes: 2, start: [1@0.5, 2@2.5]",
	}},
	Example: "nodes: 4, start: 1",
	New:     newLaiYang,
}

// laiYang is the protocol.
type laiYang struct {
	payments
	sent, received sim.Var[amounts]
	money          sim.Message[markedMoney]
	recording      sim.Note[sums]

	colourBlind bool // a mutant
}

// markedMoney has the fields of MONEY; marked is true if its sender had recorded.
type markedMoney struct {
	amount int64
	marked bool
}

// sums has the fields of the note record. before is the sender of the message with the bit that has just
// arrived, and is not in the state yet; it is 0 for a start.
type sums struct {
	state          int64
	sent, received amounts
	before         tracefmt.ProcessID
}

// newLaiYang returns the protocol.
func newLaiYang(v algorithm.Values) *sim.Protocol {
	pr := &sim.Protocol{}
	l := &laiYang{colourBlind: v.Mutant("colour-blind")}
	l.payments = newPayments(pr, v, rules{l.transfer, l.begin, l.count})
	l.sent = sim.Declare[amounts](pr, "sent", "the amounts that it had sent to each process before that")
	l.received = sim.Declare[amounts](pr, "received", "the amounts that it had received from each process before that")
	l.money = sim.DeclareMessage[markedMoney](pr, moneyMessage, "a payment, and whether its sender had recorded")
	l.recording = sim.DeclareNote[sums](pr, "record", "the process records its amount, and the amounts sent and received so far")
	l.money.On(l.handleMoney)
	return pr
}

// count sets the sums to 0 at the beginning.
func (l *laiYang) count(p *sim.Process) {
	l.sent.Set(p, nothing(p))
	l.received.Set(p, nothing(p))
}

// transfer sends a payment, with the bit.
func (l *laiYang) transfer(p *sim.Process, receiver tracefmt.ProcessID, amount int64) {
	recorded := l.recorded.Get(p)
	if !recorded {
		add(p, l.sent, receiver, amount)
	}
	l.money.Send(p, receiver, markedMoney{amount, recorded})
}

// handleMoney handles MONEY.
func (l *laiYang) handleMoney(p *sim.Process, from tracefmt.ProcessID, m markedMoney) {
	if m.marked && !l.recorded.Get(p) && !l.colourBlind {
		l.begin(p, from)
	}
	sim.Add(p, l.amount, m.amount)
	if !l.recorded.Get(p) {
		add(p, l.received, from, m.amount)
	}
}

// begin makes a process record before it takes the message from a process, 0 for a start.
func (l *laiYang) begin(p *sim.Process, from tracefmt.ProcessID) {
	l.recorded.Set(p, true)
	l.recording.Record(p, sums{l.amount.Get(p), l.sent.Get(p), l.received.Get(p), from})
}
