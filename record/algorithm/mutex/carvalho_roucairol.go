package mutex

import (
	"etrace/record/algorithm"
	"etrace/record/sim"
	"etrace/tracefmt"
)

var carvalhoRoucairolAlgorithm = algorithm.Algorithm{
	Name: "carvalho-roucairol",
	Doc: `The mutual exclusion of Carvalho and Roucairol: a process keeps a permission until another process asks for it.

As in Ricart and Agrawala's, a process with the permission of all others enters, and an older
request goes first. But a process keeps its permissions after it has left, and asks only for the
missing ones: 0 to 2(n-1) messages, none for the process that was inside last. A process that is
asked and has no older request returns the permission with the REPLY. If it waits itself, its own
REQUEST follows the REPLY, with its old number.

The paper does not say which process has which permissions when the run begins; here all permissions
are missing (the alternative gives the permission of each pair to the lower id). A process with all
permissions enters without messages, so entries are not in order of the numbers. Channels may
reorder: a REPLY and the REQUEST after it have different effects, and either may come first. The
algorithm has no rule for a crash.`,
	Source:  "Carvalho and Roucairol, CACM 26(2), 1983; Kshemkalyani and Singhal, Distributed Computing, 2008, section 9.3.1",
	Problem: tracefmt.Mutex,
	Traits:  []string{tracefmt.NoRecovery},
	Needs:   algorithm.CompleteGraph,
	Bounds: []tracefmt.Bound{atMost("2*(n-1)*starts*repeat", "live == n", "Carvalho and Roucairol 1983: "+
		"between 0 and 2(n-1) for each entry")},
	Params: params(),
	Tolerates: []algorithm.Tolerance{{
		Faults: algorithm.Down, Most: algorithm.None, Breaks: "a process that asks for its permission meanwhile " +
			"waits forever", Source: "by the rules: no process enters without all permissions",
	}},
	Mutants: []algorithm.Mutant{
		{
			Name: "keeps", Doc: "A process that gives its permission to another process also keeps the permission of the other.",
			Breaks: []string{"mutual-exclusion"}, Shows: "nodes: 2, start: [1@0, 2@10, 1@20, 2@20]",
		},
		{
			Name: "asks-once", Doc: "A process that gives a permission back while it waits does not ask for it again.",
			Breaks: []string{"no-starvation"}, Shows: "nodes: 3, start: [3@0, 1@10, 3@20.5, 2@20]",
		},
	},
	Example: "nodes: 4, start: all",
	New:     newCarvalhoRoucairol,
}

// carvalhoRoucairol is the protocol.
type carvalhoRoucairol struct {
	permission[processSet]
	keeps, asksOnce bool // mutants
}

// newCarvalhoRoucairol returns the protocol.
func newCarvalhoRoucairol(v algorithm.Values) *sim.Protocol {
	pr := &sim.Protocol{}
	a := &carvalhoRoucairol{keeps: v.Mutant("keeps"), asksOnce: v.Mutant("asks-once")}
	a.permission = newPermission[processSet](pr, v, rules{a.ask, a.release}, "has", "the processes whose permission it has")
	a.request.On(a.handleRequest)
	a.reply.On(a.handleReply)
	return pr
}

// ask sends REQUEST to the processes whose permission p lacks.
func (a *carvalhoRoucairol) ask(p *sim.Process) {
	m := a.nextRequest(p)
	for _, q := range p.Neighbours() {
		if !a.granted.Get(p).Has(q) {
			a.request.Send(p, q, m)
		}
	}
	a.enterIfPermitted(p)
}

// enterIfPermitted makes a waiting process enter when it has all permissions.
func (a *carvalhoRoucairol) enterIfPermitted(p *sim.Process) {
	if a.waits.Get(p) && a.granted.Get(p).Len() == len(p.Neighbours()) {
		a.enter(p)
	}
}

// handleRequest handles REQUEST.
func (a *carvalhoRoucairol) handleRequest(p *sim.Process, from tracefmt.ProcessID, m asks) {
	if a.goesFirst(p, from, m) {
		sim.Insert(p, a.deferred, from)
		return
	}
	if a.returnPermission(p, from) && a.waits.Get(p) && !a.asksOnce {
		a.request.Send(p, from, asks{a.stamp.Get(p).clock})
	}
}

// returnPermission sends a REPLY. It reports whether the process has thereby lost the permission of the receiver.
func (a *carvalhoRoucairol) returnPermission(p *sim.Process, receiver tracefmt.ProcessID) (lost bool) {
	lost = a.granted.Get(p).Has(receiver) && !a.keeps
	if lost {
		a.granted.Set(p, a.granted.Get(p).Without(receiver))
	}
	a.reply.Send(p, receiver)
	return lost
}

// handleReply handles REPLY: p has the permission of the sender.
func (a *carvalhoRoucairol) handleReply(p *sim.Process, from tracefmt.ProcessID) {
	sim.Insert(p, a.granted, from)
	a.enterIfPermitted(p)
}

func (a *carvalhoRoucairol) release(p *sim.Process) {
	for q := range a.deferred.Take(p).Values() {
		a.returnPermission(p, q)
	}
}
