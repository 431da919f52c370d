package mutex

import (
	"etrace/record/algorithm"
	"etrace/record/sim"
	"etrace/tracefmt"
)

var centralAlgorithm = algorithm.Algorithm{
	Name: "central-mutex",
	Doc: `Mutual exclusion by a coordinator: it lets one after the other in, in the order in which their requests arrive.

A requester sends REQUEST to the coordinator, enters with its GRANT, and sends RELEASE when it
leaves: 3 messages. The coordinator itself asks, enters and leaves without any. A request that
happened before another arrives first where channels are FIFO, and so enters first.

When the coordinator crashes, all processes wait forever: an election would have to choose a new
one. If a process crashes inside, its RELEASE never comes.`,
	Source:  "Tanenbaum and van Steen, Distributed Systems, section 6.3, a centralized algorithm",
	Problem: tracefmt.Mutex,
	Traits:  []string{tracefmt.NoRecovery, tracefmt.RequestOrder},
	FIFO:    true,
	Needs:   algorithm.CompleteGraph,
	Bounds: []tracefmt.Bound{
		atMost("3*starts*repeat", "live == n", "Tanenbaum and van Steen: 3 for each entry; the coordinator's own entries need none"),
	},
	Params: params(algorithm.Param{
		Name: "coordinator", Default: "first", Words: []string{"first"}, Process: true,
		Doc: "the coordinator; first: the process with the lowest id",
	}),
	Tolerates: []algorithm.Tolerance{{
		Faults: algorithm.Down, Of: tracefmt.Coordinator, Among: func(v algorithm.Values, p, _ tracefmt.ProcessID) bool {
			return p == v.Process("coordinator", 1)
		},
		Most: algorithm.None, Breaks: "a process that asks it meanwhile waits forever", Source: "Tanenbaum and van Steen, section 6.3",
	}},
	Mutants: []algorithm.Mutant{
		{
			Name: "always-grants", Doc: "The coordinator grants each request when it arrives.",
			Breaks: []string{"mutual-exclusion"}, Shows: "nodes: 4, start: all",
		},
		{
			Name: "last-first", Doc: "The coordinator grants the request that arrived last, here its own, although it knows an older one.",
			Breaks: []string{"request-order-fairness"}, Shows: "nodes: 3, start: [2@0, 3@1, 1@3]",
		},
	},
	Example: "nodes: 4, start: all",
	New:     newCentral,
}

// central is the protocol.
type central struct {
	section
	coordinator             tracefmt.ProcessID
	granted                 sim.Var[tracefmt.ProcessID]
	queue                   sim.Var[processList]
	request, grant, release sim.Signal
	alwaysGrants, lastFirst bool // mutants
}

// newCentral returns the protocol.
func newCentral(v algorithm.Values) *sim.Protocol {
	pr := &sim.Protocol{}
	a := &central{coordinator: v.Process("coordinator", 1), alwaysGrants: v.Mutant("always-grants"), lastFirst: v.Mutant("last-first")}
	a.section = newSection(pr, v, rules{
		ask:     func(p *sim.Process) { a.request.SendOrTake(p, a.coordinator) },
		release: func(p *sim.Process) { a.release.SendOrTake(p, a.coordinator) },
	})
	a.granted = sim.Declare[tracefmt.ProcessID](pr, "granted", "at the coordinator: the process in the critical section")
	a.queue = sim.Declare[processList](pr, "queue", "at the coordinator: the waiting processes, in the order of arrival")
	a.request = pr.Signal("REQUEST", "asks to enter")
	a.grant = pr.Signal("GRANT", "lets the receiver in")
	a.release = pr.Signal("RELEASE", "the sender has left")
	a.request.On(a.handleRequest)
	a.grant.On(func(p *sim.Process, _ tracefmt.ProcessID) { a.enter(p) })
	a.release.On(a.handleRelease)
	return pr
}

// handleRequest handles REQUEST at the coordinator: it grants the request, or queues it.
func (a *central) handleRequest(p *sim.Process, from tracefmt.ProcessID) {
	if a.granted.Get(p) != 0 && !a.alwaysGrants {
		sim.Append(p, a.queue, from)
		return
	}
	a.grantTo(p, from)
}

// grantTo grants the request of a process.
func (a *central) grantTo(p *sim.Process, entrant tracefmt.ProcessID) {
	a.granted.Set(p, entrant)
	a.grant.SendOrTake(p, entrant)
}

// handleRelease handles RELEASE: the coordinator grants the next request of the queue.
func (a *central) handleRelease(p *sim.Process, _ tracefmt.ProcessID) {
	queue := a.queue.Get(p)
	if queue.Len() == 0 {
		a.granted.Clear(p)
		return
	}
	head, tail := queue.At(0), queue.From(1)
	if a.lastFirst {
		head, tail = queue.Last(), queue.First(queue.Len()-1)
	}
	a.queue.Set(p, tail)
	a.grantTo(p, head)
}
