package broadcast

import (
	"etrace/record/algorithm"
	"etrace/record/sim"
	"etrace/tracefmt"
)

var causalAlgorithm = algorithm.Algorithm{
	Name: "causal-broadcast",
	Doc: `Causal broadcast with vector timestamps: a message waits until all that may have caused it is delivered.

Each process counts in a vector v how many messages of each process it has delivered. A process that
starts adds one for itself, delivers its message at once, and sends DATA(m, sender, v) to all
others: n-1 messages for each broadcast. A message that arrives waits for all earlier messages of its
sender. It also waits until the receiver has delivered as many messages of all the others as the
vector counts. Then the receiver delivers and counts it, and examines all waiting messages again, in
the order of their arrival. Channels may reorder, and a second copy of a message is ignored.

So no process delivers an answer before the question, nor two messages of one process in another
order than they were broadcast in. Concurrent broadcasts are delivered in any order. The algorithm
is not reliable: messages are not passed on, and after a lost message all messages that it may have
caused wait forever.

In the source, crashed processes stay down. Here the vector is on stable storage, and the waiting
messages are not. So a process that recovers delivers no message twice, and numbers its messages without
repetition. It misses the messages that arrived while it was down, and never delivers messages that these
may have caused.`,
	Source:  "Birman, Schiper, Stephenson, Lightweight Causal and Atomic Group Multicast, ACM TOCS 9(3), 1991, CBCAST",
	Problem: tracefmt.Broadcast,
	Traits:  []string{tracefmt.CausalOrder, tracefmt.NoRecovery},
	Needs:   algorithm.CompleteGraph,
	Bounds: []tracefmt.Bound{
		exactly("(n-1)*starts", "", "Birman, Schiper, Stephenson 1991: one DATA to each of the others"),
	},
	Tolerates: []algorithm.Tolerance{{
		Faults: algorithm.Crashes, Most: algorithm.None, Breaks: "a message that it has sent to some processes only never " +
			"reaches the others, and messages that it may have caused wait forever", Source: "by the rules: no process passes a message on",
	}},
	Mutants: []algorithm.Mutant{
		{
			Name: "no-waiting", Doc: "a message is delivered when it arrives, and may overtake its causes and earlier messages of its sender",
			Breaks: []string{causalOrder, "broadcast-fifo-order"}, Shows: "nodes: 3, start: [1@0, 1@0.5], reorder: on, slow: 'DATA:1>3#1=5'",
		},
		{
			Name: "fifo-only", Doc: "a message waits for the earlier ones of its sender only, so that an answer " +
				"may be delivered before the question",
			Breaks: []string{causalOrder}, Shows: "nodes: 3, start: [1@0, 2@1.5], slow: 'DATA:1>3=5'",
		},
	},
	New: newCausal,
}

const causalOrder = "broadcast-causal-order"

// vector has the number of messages by sender.
type vector = sim.Map[tracefmt.ProcessID, int64]

// stamped is a message with the vector of its sender at the broadcast, which includes the message itself.
type stamped struct {
	m      string
	sender tracefmt.ProcessID
	v      vector
}

// causal is the protocol.
type causal struct {
	notes
	v       sim.Var[vector]
	waiting sim.Var[sim.List[stamped]]
	data    sim.Message[stamped]

	noWaiting, fifoOnly bool // mutants
}

// newCausal returns the protocol.
func newCausal(v algorithm.Values) *sim.Protocol {
	pr := &sim.Protocol{}
	c := &causal{
		notes:   declareNotes(pr),
		v:       sim.Declare[vector](pr, "v", "the number of delivered messages of each process, its own included", sim.Stable),
		waiting: sim.Declare[sim.List[stamped]](pr, "waiting", "the messages that have arrived too early"),
		data:    sim.DeclareMessage[stamped](pr, "DATA", "the sender broadcasts m, after it delivered this number of messages from each process"),

		noWaiting: v.Mutant("no-waiting"), fifoOnly: v.Mutant("fifo-only"),
	}
	pr.Start = func(p *sim.Process) {
		d := c.announce(p, c.v.Get(p).Get(p.ID())+1)
		m := stamped{d.m, d.sender, c.deliverMessage(p, d)}
		c.data.Broadcast(p, m)
	}
	c.data.On(c.handleData)
	return pr
}

// handleData handles DATA.
func (c *causal) handleData(p *sim.Process, _ tracefmt.ProcessID, m stamped) {
	switch {
	case c.isCopy(p, m): // delivered before, or waiting already
	case c.isReady(p, m):
		c.deliverMessage(p, delivery{m.m, m.sender})
		c.deliverWaiting(p)
	default:
		sim.Append(p, c.waiting, m)
	}
}

// isCopy reports whether the message has arrived before. The mutant no-waiting cannot know.
func (c *causal) isCopy(p *sim.Process, m stamped) bool {
	return !c.noWaiting && (m.v.Get(m.sender) <= c.v.Get(p).Get(m.sender) || c.waiting.Get(p).Contains(m))
}

// isReady reports whether all possible causes of the message are delivered.
func (c *causal) isReady(p *sim.Process, m stamped) bool {
	clock := c.v.Get(p)
	switch {
	case c.noWaiting:
		return true
	case m.v.Get(m.sender) != clock.Get(m.sender)+1:
		return false
	case c.fifoOnly:
		return true
	}
	for q, count := range m.v.All() {
		if q != m.sender && count > clock.Get(q) {
			return false
		}
	}
	return true
}

// deliverWaiting delivers the waiting messages whose causes are delivered. The recursion ends, since each call delivers
// one message.
func (c *causal) deliverWaiting(p *sim.Process) {
	for m := range c.waiting.Get(p).Values() {
		if c.isReady(p, m) {
			c.waiting.Set(p, c.waiting.Get(p).Without(m))
			c.deliverMessage(p, delivery{m.m, m.sender})
			c.deliverWaiting(p)
			return
		}
	}
}

// deliverMessage delivers a message, and returns the vector after the delivery.
func (c *causal) deliverMessage(p *sim.Process, d delivery) vector {
	v := sim.Put(p, c.v, d.sender, c.v.Get(p).Get(d.sender)+1)
	c.deliver.Record(p, d)
	return v
}
