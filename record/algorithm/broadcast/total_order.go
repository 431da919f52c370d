package broadcast

import (
	"etrace/record/algorithm"
	"etrace/record/sim"
	"etrace/tracefmt"
)

var totalOrderAlgorithm = algorithm.Algorithm{
	Name: "total-order-broadcast",
	Doc: `Total order broadcast: all processes deliver the messages in one order. The order is
chosen by a sequencer or agreed on by all processes.

variant=sequencer: the first process, the one with the least id, is the sequencer. A process that
starts sends REQUEST(m, sender) to it. The sequencer numbers all messages, also its own, in the order
in which they come to it. It sends ORDER(number, m, sender) to every other process, also to the
requester. Each process delivers in the order of the numbers; a message that comes too
early waits. A broadcast takes n messages; a broadcast of the sequencer takes n-1. The sequencer is
a single point of failure: after its crash nothing is delivered. A new sequencer would need an
election, and an agreement on the last number of the old one. Both are left out here.

variant=isis: all processes are equal. A process that starts sends DATA(m, sender) to all others.
Each process, the sender included, proposes a priority: one more than the greatest priority that it
knows of, with its id to break ties. PROPOSE goes to the sender, which takes the greatest of all n
proposals and sends it to all others as FINAL. Each process keeps the messages in a list by priority:
first the proposed priority, later the final one, which is never less. It delivers from the front as
long as the front is final. A broadcast takes 3(n-1) messages. If a process crashes before its
proposal, the sender waits forever, and all messages behind its message wait as well. In the paper,
a new view of the group resolves this; views are left out here.

The property broadcast-total-order examines the order. Channels may reorder, and second copies of
messages are ignored. Two broadcasts of one process may be delivered in the other order: if
channels reorder, the sequencer may receive the second one first. In the sources, crashed processes
stay down. Here all data that decide the order are on stable storage: the given numbers, the number
of the last delivery, the priorities and the list. So a process that recovers delivers no message
twice, and none in another order. It waits forever for the messages that arrived while it was down.`,
	Source: "variant=sequencer: Kaashoek and Tanenbaum, Group Communication in the Amoeba Distributed " +
		"Operating System, ICDCS 1991; variant=isis: Birman and Joseph, Reliable Communication in the Presence " +
		"of Failures, ACM TOCS 5(1), 1987, ABCAST; both: Kshemkalyani and Singhal, Distributed Computing, 2008, section 6.6",
	Problem: tracefmt.Broadcast,
	Traits:  []string{tracefmt.NoRecovery, tracefmt.TotalOrder},
	Needs:   algorithm.CompleteGraph,
	Bounds: []tracefmt.Bound{
		exactly("3*(n-1)*starts", "variant_isis == 1 and live == n", "Birman and Joseph 1987: DATA, PROPOSE and FINAL for each other process"),
		exactly("n*starts - 1", "variant_isis == 0 and live == n and above == n-1",
			"by the rules: REQUEST and n-1 ORDER for each broadcast; the sequencer is among the starters, and needs no REQUEST"),
		exactly("n*starts", "variant_isis == 0 and live == n", "by the rules: REQUEST and n-1 ORDER for each broadcast"),
	},
	Params: []algorithm.Param{{
		Name: "variant", Default: "sequencer", Words: []string{"sequencer", "isis"},
		Doc: "sequencer: the first process chooses the order; isis: all processes propose priorities",
	}},
	Tolerates: []algorithm.Tolerance{
		{
			Faults: algorithm.Down, Of: "sequencer", Among: func(v algorithm.Values, p, _ tracefmt.ProcessID) bool {
				return v.Is("variant", "sequencer") && p == sequencer
			},
			Most: algorithm.None, Breaks: "nothing is delivered any more", Source: "by the rules: no other sequencer is chosen",
		},
		{
			Faults: algorithm.Down, Among: func(v algorithm.Values, _, _ tracefmt.ProcessID) bool { return v.Is("variant", "isis") },
			Most: algorithm.None, Breaks: "a process that broadcasts may wait forever for a proposal, and so may all " +
				"messages after it", Source: "by the rules: there is no view of the group",
		},
	},
	Mutants: []algorithm.Mutant{{
		Name: "no-waiting", Doc: "with either variant, a message is delivered as soon as its place in the order " +
			"is known, whatever comes before it",
		Breaks: []string{"broadcast-total-order"}, Shows: "nodes: 3, reorder: on, start: [2@0, 3@0], slow: 'ORDER:1>3#1=4'",
	}},
	New: newTotalOrder,
}

// newTotalOrder returns the protocol of the variant.
func newTotalOrder(v algorithm.Values) *sim.Protocol {
	pr := &sim.Protocol{}
	o := ordered{notes: declareNotes(pr), number: declareNumber(pr), noWaiting: v.Mutant("no-waiting")}
	if v.Is("variant", "isis") {
		declareISIS(pr, o)
	} else {
		declareSequencer(pr, o)
	}
	return pr
}

// ordered is the common part of both variants.
type ordered struct {
	notes
	number    sim.Var[int64]
	noWaiting bool // mutant
}

// next notes the next broadcast of a process, and returns its message.
func (o ordered) next(p *sim.Process) delivery { return o.announce(p, sim.Add(p, o.number, 1)) }

// sequencer is the process that makes the order: the one with the least id.
const sequencer tracefmt.ProcessID = 1

// placed is a message with its place in the order.
type placed struct {
	number int64
	m      string
	sender tracefmt.ProcessID
}

// bySequencer is the protocol with variant=sequencer.
type bySequencer struct {
	ordered
	numbered  sim.Var[sim.Set[string]]
	delivered sim.Var[int64]
	waiting   sim.Var[sim.Map[int64, delivery]]
	request   sim.Message[delivery]
	order     sim.Message[placed]
}

// declareSequencer declares the protocol with variant=sequencer.
func declareSequencer(pr *sim.Protocol, o ordered) {
	s := &bySequencer{
		ordered:   o,
		numbered:  sim.Declare[sim.Set[string]](pr, "numbered", "as the sequencer: the messages that it has numbered", sim.Stable),
		delivered: sim.Declare[int64](pr, "delivered", "the number of the message that it has delivered last", sim.Stable),
		waiting:   sim.Declare[sim.Map[int64, delivery]](pr, "waiting", "the messages that have arrived too early, by their numbers"),
		request:   sim.DeclareMessage[delivery](pr, "REQUEST", "asks the sequencer for the position of m in the order"),
		order:     sim.DeclareMessage[placed](pr, "ORDER", "gives m this position in the order"),
	}
	pr.Start = func(p *sim.Process) { s.request.SendOrTake(p, sequencer, s.next(p)) }
	s.request.On(s.handleRequest)
	s.order.On(s.handleOrder)
}

// handleRequest handles REQUEST at the sequencer: it gives the message the next number, once.
func (s *bySequencer) handleRequest(p *sim.Process, _ tracefmt.ProcessID, d delivery) {
	if s.numbered.Get(p).Has(d.m) {
		return
	}
	m := placed{int64(sim.Insert(p, s.numbered, d.m).Len()), d.m, d.sender}
	s.order.Broadcast(p, m)
	s.order.SendOrTake(p, p.ID(), m)
}

// handleOrder handles ORDER.
func (s *bySequencer) handleOrder(p *sim.Process, _ tracefmt.ProcessID, m placed) {
	d := delivery{m.m, m.sender}
	switch next := s.delivered.Get(p) + 1; {
	case s.noWaiting:
		s.deliverMessage(p, m.number, d)
	case m.number == next:
		s.deliverMessage(p, next, d)
		s.deliverWaiting(p)
	case m.number > next:
		sim.Put(p, s.waiting, m.number, d)
	}
}

// deliverWaiting delivers the waiting messages whose turn it is.
func (s *bySequencer) deliverWaiting(p *sim.Process) {
	for next := s.delivered.Get(p) + 1; s.waiting.Get(p).Has(next); next++ {
		d := s.waiting.Get(p).Get(next)
		s.waiting.Set(p, s.waiting.Get(p).Without(next))
		s.deliverMessage(p, next, d)
	}
}

// deliverMessage delivers the message with the number.
func (s *bySequencer) deliverMessage(p *sim.Process, number int64, d delivery) {
	s.delivered.Set(p, number)
	s.deliver.Record(p, d)
}

// priority is the place of a message in the order: by number, then by process.
type priority struct {
	number  int64
	process tracefmt.ProcessID
}

// proposal is a priority for a message.
type proposal struct {
	m        string
	priority priority
}

// queued is a message in the list, which is sorted by priority.
type queued struct {
	priority priority
	final    bool
	message  delivery
}

// isis is the protocol with variant=isis.
type isis struct {
	ordered
	prio      sim.Var[int64]
	list      sim.Var[sim.Set[queued]]
	known     sim.Var[sim.Set[string]]
	proposals sim.Var[sim.Map[string, sim.Set[priority]]]
	data      sim.Message[delivery]
	propose   sim.Message[proposal]
	final     sim.Message[proposal]
}

// declareISIS declares the protocol with variant=isis.
func declareISIS(pr *sim.Protocol, o ordered) {
	i := &isis{
		ordered: o,
		prio:    sim.Declare[int64](pr, "prio", "the greatest known priority", sim.Stable),
		list: sim.Declare[sim.Set[queued]](pr, "list", "the messages that are not delivered, by priority, "+
			"and whether it is the final one", sim.Stable),
		known: sim.Declare[sim.Set[string]](pr, "known", "the messages that have ever been in the list", sim.Stable),
		proposals: sim.Declare[sim.Map[string, sim.Set[priority]]](pr, "proposals",
			"as a sender: the priorities proposed for its messages, until they are final"),
		data:    sim.DeclareMessage[delivery](pr, "DATA", "the sender broadcasts m"),
		propose: sim.DeclareMessage[proposal](pr, "PROPOSE", "proposes a priority for m"),
		final:   sim.DeclareMessage[proposal](pr, "FINAL", "gives m its final priority"),
	}
	pr.Start = func(p *sim.Process) {
		d := i.next(p)
		sim.Put(p, i.proposals, d.m, sim.Set[priority]{})
		i.data.Broadcast(p, d)
		i.data.SendOrTake(p, p.ID(), d)
	}
	i.data.On(i.handleData)
	i.propose.On(i.handlePropose)
	i.final.On(i.handleFinal)
}

// handleData proposes a priority, once for each message.
func (i *isis) handleData(p *sim.Process, from tracefmt.ProcessID, d delivery) {
	if i.known.Get(p).Has(d.m) {
		return
	}
	sim.Insert(p, i.known, d.m)
	proposed := priority{sim.Add(p, i.prio, 1), p.ID()}
	sim.Insert(p, i.list, queued{proposed, false, d})
	i.propose.SendOrTake(p, from, proposal{d.m, proposed})
}

// handlePropose handles PROPOSE. With the last proposal the sender announces the final priority.
func (i *isis) handlePropose(p *sim.Process, _ tracefmt.ProcessID, m proposal) {
	open := i.proposals.Get(p)
	if !open.Has(m.m) {
		return
	}
	proposed := open.Get(m.m).With(m.priority)
	if proposed.Len() < int(p.Last()) {
		sim.Put(p, i.proposals, m.m, proposed)
		return
	}
	i.proposals.Set(p, open.Without(m.m))
	m.priority = proposed.At(proposed.Len() - 1)
	i.final.Broadcast(p, m)
	i.final.SendOrTake(p, p.ID(), m)
}

// handleFinal handles FINAL, and delivers the messages at the front of the list that are final.
func (i *isis) handleFinal(p *sim.Process, _ tracefmt.ProcessID, m proposal) {
	sim.Raise(p, i.prio, m.priority.number)
	for q := range i.list.Get(p).Values() {
		if q.message.m == m.m {
			i.list.Set(p, i.list.Get(p).Without(q).With(queued{m.priority, true, q.message}))
		}
	}
	for q := range i.list.Get(p).Values() {
		switch {
		case q.final:
			i.deliverQueued(p, q)
		case !i.noWaiting:
			return
		}
	}
}

// deliverQueued delivers a message of the list.
func (i *isis) deliverQueued(p *sim.Process, q queued) {
	i.list.Set(p, i.list.Get(p).Without(q))
	i.deliver.Record(p, q.message)
}
