package mutex

import (
	"etrace/record/algorithm"
	"etrace/record/sim"
	"etrace/tracefmt"
)

var lamportAlgorithm = algorithm.Algorithm{
	Name: "lamport-mutex",
	Doc: `The mutual exclusion of Lamport: all processes keep the queue of requests. The head
enters once every other process has sent it a later message.

Every message has the sender's clock, which ticks before each broadcast or answer. At each receipt
it becomes greater than the clock of the message. A requester puts its request into its queue and
sends REQUEST to all others; these put it into theirs and send REPLY, always. A process that leaves
takes its request out and sends RELEASE. A process enters when its request is the oldest in its
queue, and it has received a message with a later clock from every other process (REPLY, REQUEST or
RELEASE). An entry takes 3(n-1) messages. If a request happened before another, its process enters
first.

With ack=needed, the footnote of the paper, a process whose own, younger REQUEST is on its way sends
no REPLY: 2(n-1) to 3(n-1) messages. Channels must be FIFO: else a REPLY may overtake the REQUEST
that was sent before it, and two processes enter. A process enters at the end of the step in which
the conditions come true. The algorithm has no rule for a crash.`,
	Source:  "Lamport, CACM 21(7), 1978, the five rules; Kshemkalyani and Singhal, Distributed Computing, 2008, section 9.2",
	Problem: tracefmt.Mutex,
	Traits:  []string{tracefmt.NoRecovery, tracefmt.RequestOrder},
	FIFO:    true,
	Needs:   algorithm.CompleteGraph,
	Bounds: []tracefmt.Bound{
		atMost("3*(n-1)*starts*repeat", "live == n", "Lamport 1978, the five rules: REQUEST, REPLY and RELEASE to and from all others"),
	},
	Params: params(algorithm.Param{
		Name: "ack", Default: "always", Words: []string{"always", "needed"},
		Doc: "needed: no REPLY by a process whose own younger REQUEST is in flight",
	}),
	Tolerates: []algorithm.Tolerance{{
		Faults: algorithm.Down, Most: algorithm.None, Breaks: "a process that asks meanwhile waits for its REPLY forever",
		Source: "by the rules: no process enters before it has heard from all",
	}},
	Mutants: []algorithm.Mutant{{
		Name: "head-is-enough", Doc: "A process enters when its request is the oldest of its queue, without having heard from the others.",
		Breaks: []string{"mutual-exclusion", "mutual-exclusion-definitely", "mutual-exclusion-possibly"}, Shows: "nodes: 2, start: [1, 2]",
	}},
	Example: "nodes: 4, start: all",
	New:     newLamport,
}

// lamport is the protocol.
type lamport struct {
	section
	clock                  sim.Var[int64]
	stamp                  sim.Var[stamp]
	queue                  sim.Var[sim.Set[stamp]]
	heard                  sim.Var[sim.Map[tracefmt.ProcessID, int64]]
	request, reply, leaves sim.Message[asks]
	needed                 bool
	headIsEnough           bool // mutant
}

// newLamport returns the protocol.
func newLamport(v algorithm.Values) *sim.Protocol {
	pr := &sim.Protocol{}
	a := &lamport{needed: v.Is("ack", "needed"), headIsEnough: v.Mutant("head-is-enough")}
	a.section = newSection(pr, v, rules{a.ask, a.release})
	a.clock = sim.Declare[int64](pr, "clock", "Lamport's clock, which the messages carry")
	a.stamp = sim.Declare[stamp](pr, "stamp", "clock and id of the last request")
	a.queue = sim.Declare[sim.Set[stamp]](pr, "queue", "the requests that are known and not released, the oldest first")
	a.heard = sim.Declare[sim.Map[tracefmt.ProcessID, int64]](pr, "heard", "the highest clock that each has sent")
	a.request = sim.DeclareMessage[asks](pr, "REQUEST", "asks to enter")
	a.reply = sim.DeclareMessage[asks](pr, "REPLY", "acknowledges a request")
	a.leaves = sim.DeclareMessage[asks](pr, "RELEASE", "the sender has left")
	a.request.On(a.handlerWithClock(a.handleRequest))
	a.reply.On(a.handlerWithClock(func(*sim.Process, stamp) {}))
	a.leaves.On(a.handlerWithClock(a.handleRelease))
	return pr
}

// ask sends REQUEST with a new timestamp to all.
func (a *lamport) ask(p *sim.Process) {
	a.stamp.Set(p, stamp{sim.Add(p, a.clock, 1), p.ID()})
	sim.Insert(p, a.queue, a.stamp.Get(p))
	a.request.Broadcast(p, asks{a.clock.Get(p)})
	a.enterIfOldest(p)
}

// handlerWithClock returns the handler of a type of messages. It updates the clock, applies the rule of this type,
// and lets the process enter if it may.
func (a *lamport) handlerWithClock(
	rule func(p *sim.Process, theirs stamp),
) func(*sim.Process, tracefmt.ProcessID, asks) {
	return func(p *sim.Process, from tracefmt.ProcessID, m asks) {
		a.clock.Set(p, max(a.clock.Get(p), m.clock)+1)
		sim.Put(p, a.heard, from, max(a.heard.Get(p).Get(from), m.clock))
		rule(p, stamp{m.clock, from})
		a.enterIfOldest(p)
	}
}

// handleRequest applies REQUEST: it queues the request, and replies if necessary.
func (a *lamport) handleRequest(p *sim.Process, theirs stamp) {
	sim.Insert(p, a.queue, theirs)
	if a.needed && a.waits.Get(p) && sim.Less(theirs, a.stamp.Get(p)) {
		// The own REQUEST carries the same timestamp.
		return
	}
	a.reply.Send(p, theirs.id, asks{sim.Add(p, a.clock, 1)})
}

// handleRelease applies RELEASE: it removes the request of the sender from the queue.
func (a *lamport) handleRelease(p *sim.Process, theirs stamp) {
	for s := range a.queue.Get(p).Values() {
		if s.id == theirs.id {
			a.queue.Set(p, a.queue.Get(p).Without(s))
		}
	}
}

// enterIfOldest makes a waiting process enter if its request is the oldest, and all others have sent a later timestamp.
func (a *lamport) enterIfOldest(p *sim.Process) {
	request := a.stamp.Get(p)
	if !a.waits.Get(p) || a.queue.Get(p).At(0) != request {
		return
	}
	for _, q := range p.Neighbours() {
		if !a.headIsEnough && sim.Less(stamp{a.heard.Get(p).Get(q), q}, request) {
			return
		}
	}
	a.enter(p)
}

// release removes the request of p, and sends RELEASE to all.
func (a *lamport) release(p *sim.Process) {
	a.queue.Set(p, a.queue.Get(p).Without(a.stamp.Get(p)))
	a.leaves.Broadcast(p, asks{sim.Add(p, a.clock, 1)})
}
