package mutex

import (
	"etrace/record/algorithm"
	"etrace/record/sim"
	"etrace/tracefmt"
)

var ricartAgrawalaAlgorithm = algorithm.Algorithm{
	Name: "ricart-agrawala",
	Doc: `The mutual exclusion of Ricart and Agrawala: a process with all replies enters, and an older request is answered first.

A requester adds one to the highest number that it knows of, and sends REQUEST(number) to all
others. A process that is inside, or waits with an older request, defers its REPLY until it leaves;
any other replies at once. Of two requests with equal numbers, that of the lower id is older. With
n-1 REPLYs a process enters: 2(n-1) messages, and the older of two requests enters first. Channels
may reorder.

In the paper a process does not count the number of its own request as known; here it does. Entries
are in ascending order of (number, id) either way. A REPLY has no number, so the numbers are not
Lamport's clocks: a request that happened before another may have the higher number
(request-order-fairness). The algorithm has no rule for a crash: all other requesters wait forever
for the REPLY of the crashed process.`,
	Source:  "Ricart and Agrawala, CACM 24(1), 1981, section 2; Kshemkalyani and Singhal, Distributed Computing, 2008, section 9.3",
	Problem: tracefmt.Mutex,
	Traits:  []string{tracefmt.NoRecovery},
	Needs:   algorithm.CompleteGraph,
	Bounds:  []tracefmt.Bound{exactly("2*(n-1)*starts*repeat", "live == n", "Ricart and Agrawala 1981: 2(N-1) for each entry")},
	Params:  params(),
	Tolerates: []algorithm.Tolerance{{
		Faults: algorithm.Down, Most: algorithm.None, Breaks: "a process that asks it meanwhile waits for its " +
			"REPLY forever", Source: "by the rules: no process enters without all REPLYs",
	}},
	Mutants: []algorithm.Mutant{
		{
			Name: "nobody-waits", Doc: "Each process replies at once, so that two simultaneous requesters both enter.",
			Breaks: []string{"mutual-exclusion", "mutual-exclusion-possibly"}, Shows: "nodes: 3, start: [2@0, 3@0, 1@1.5]",
		},
		{
			Name: "ties", Doc: "A request with the same number is deferred for any id, so both processes wait for each other.",
			Breaks: []string{"no-starvation"}, Shows: "nodes: 3, start: [2, 3]",
		},
	},
	Example: "nodes: 4, start: all",
	New:     newRicartAgrawala,
}

// ricartAgrawala is the protocol.
type ricartAgrawala struct {
	permission[int64]
	nobodyWaits, ties bool // mutants
}

// newRicartAgrawala returns the protocol.
func newRicartAgrawala(v algorithm.Values) *sim.Protocol {
	pr := &sim.Protocol{}
	a := &ricartAgrawala{nobodyWaits: v.Mutant("nobody-waits"), ties: v.Mutant("ties")}
	a.permission = newPermission[int64](pr, v, rules{a.ask, a.release}, "replies", "the number of replies that it has received")
	a.request.On(a.handleRequest)
	a.reply.On(a.handleReply)
	return pr
}

// ask sends REQUEST to all others; a single process enters at once.
func (a *ricartAgrawala) ask(p *sim.Process) {
	m := a.nextRequest(p)
	a.granted.Clear(p)
	a.request.Broadcast(p, m)
	if p.Last() == 1 {
		a.enter(p)
	}
}

// handleRequest handles REQUEST: p replies, or defers the reply until its exit.
func (a *ricartAgrawala) handleRequest(p *sim.Process, from tracefmt.ProcessID, m asks) {
	first := a.goesFirst(p, from, m) || a.ties && a.waits.Get(p) && a.stamp.Get(p).clock == m.clock
	if first && !a.nobodyWaits {
		sim.Insert(p, a.deferred, from)
	} else {
		a.reply.Send(p, from)
	}
}

// handleReply handles REPLY: p enters with the last one.
func (a *ricartAgrawala) handleReply(p *sim.Process, _ tracefmt.ProcessID) {
	if sim.Add(p, a.granted, 1) == int64(p.Last())-1 {
		a.enter(p)
	}
}

// release sends the deferred replies.
func (a *ricartAgrawala) release(p *sim.Process) {
	for q := range a.deferred.Take(p).Values() {
		a.reply.Send(p, q)
	}
}
