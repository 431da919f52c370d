package mutex

import (
	"etrace/record/algorithm"
	"etrace/record/sim"
	"etrace/tracefmt"
)

var suzukiKasamiAlgorithm = algorithm.Algorithm{
	Name: "suzuki-kasami",
	Doc: `The mutual exclusion of Suzuki and Kasami: a requester broadcasts a numbered request, and the token lists the served requests.

The holder of the token enters. A requester without the token counts its requests and sends
REQUEST(number) to all others. The token carries a queue and, for each process, the number of its
last served request. A holder that is not inside gives the token to a process that has asked since
its last served request; a process that leaves appends the waiting processes to the queue, in order
of their ids, and sends the token to its head: 0 messages or n. Channels may reorder: an old REQUEST
has an old number.

The paper lets a process append in any fixed order. The queue in order of ids is why
request-order-fairness does not hold. The algorithm has no rule for a lost token: all processes wait
forever, and an election would have to make a new one.`,
	Source:  "Suzuki and Kasami, ACM TOCS 3(4), 1985; Kshemkalyani and Singhal, Distributed Computing, 2008, section 9.9",
	Problem: tracefmt.Mutex,
	Traits:  []string{tracefmt.NoRecovery},
	Token:   []string{"TOKEN"},
	Needs:   algorithm.CompleteGraph,
	Bounds:  []tracefmt.Bound{atMost("n*starts*repeat", "live == n", "Suzuki and Kasami 1985: at most n for each entry")},
	Params:  withToken(),
	Tolerates: []algorithm.Tolerance{{
		Faults: algorithm.Down, Most: algorithm.None,
		Breaks: "the token is lost if that process has it or is sent it, and all wait forever",
		Source: "by the rules: no process enters without the only token",
	}},
	Mutants: []algorithm.Mutant{
		{
			Name: "gives-inside", Doc: "A process inside sends the token at a request.",
			Breaks: []string{"mutual-exclusion", "token-unique"}, Shows: "nodes: 3, start: [1, 2]",
		},
		{
			Name: "keeps-copy", Doc: "A process that sends the token also keeps it.",
			Breaks: []string{"mutual-exclusion", "token-unique"}, Shows: "nodes: 3, start: [2@0, 1@5, 3@5]",
		},
		{
			Name: "forgets-served", Doc: "A process that leaves does not note in the token that its request was " +
				"served, so that its next request seems to come from nowhere.",
			Breaks: []string{"no-starvation"}, Shows: "nodes: 3, start: [2@0, 3@10, 2@13]",
		},
	},
	Example: "nodes: 4, start: all",
	New:     newSuzukiKasami,
}

// numbers has the number of a request by process.
type numbers = sim.Map[tracefmt.ProcessID, int64]

// passed has the fields of TOKEN.
type passed struct {
	served numbers `sim:"ln"`
	queue  processList
}

// suzukiKasami is the protocol.
type suzukiKasami struct {
	section
	token
	rn, ln     sim.Var[numbers]
	queue      sim.Var[processList]
	request    sim.Message[numbered]
	tokenIs    sim.Message[passed]
	insideToo  bool // mutant gives-inside
	keeps      bool // mutant keeps-copy
	forgetting bool // mutant forgets-served
}

// numbered has the fields of REQUEST.
type numbered struct{ number int64 }

// newSuzukiKasami returns the protocol.
func newSuzukiKasami(v algorithm.Values) *sim.Protocol {
	pr := &sim.Protocol{}
	a := &suzukiKasami{insideToo: v.Mutant("gives-inside"), keeps: v.Mutant("keeps-copy"), forgetting: v.Mutant("forgets-served")}
	a.section = newSection(pr, v, rules{a.ask, a.release})
	a.token = declareToken(pr, v, nil)
	a.rn = sim.Declare[numbers](pr, "rn", "the number of the last request of each process, as far as it is known")
	a.ln = sim.Declare[numbers](pr, "ln", "with the token: the number of the last request of each process that was served")
	a.queue = sim.Declare[processList](pr, "queue", "with the token: the processes that get it next, in order")
	a.request = sim.DeclareMessage[numbered](pr, "REQUEST", "asks for the token, with the number of the request")
	a.tokenIs = sim.DeclareMessage[passed](pr, "TOKEN", "the token")
	a.request.On(a.handleRequest)
	a.tokenIs.On(a.handleToken)
	return pr
}

// ask sends REQUEST with the next number to all others. The holder of the token enters at once.
func (a *suzukiKasami) ask(p *sim.Process) {
	if a.token.Get(p) {
		a.enter(p)
		return
	}
	number := a.rn.Get(p).Get(p.ID()) + 1
	sim.Put(p, a.rn, p.ID(), number)
	a.request.Broadcast(p, numbered{number})
}

// handleRequest handles REQUEST: a holder that does not need the token sends it.
func (a *suzukiKasami) handleRequest(p *sim.Process, from tracefmt.ProcessID, m numbered) {
	sim.Put(p, a.rn, from, max(a.rn.Get(p).Get(from), m.number))
	if a.token.Get(p) && (!a.inside.Get(p) || a.insideToo) && a.isDue(p, from) {
		a.passToken(p, from)
	}
}

// isDue reports whether q has an unserved request.
func (a *suzukiKasami) isDue(p *sim.Process, q tracefmt.ProcessID) bool {
	return a.rn.Get(p).Get(q) == a.ln.Get(p).Get(q)+1
}

// passToken sends the token, with its data, to a process.
func (a *suzukiKasami) passToken(p *sim.Process, receiver tracefmt.ProcessID) {
	m := passed{a.ln.Get(p), a.queue.Get(p)}
	if !a.keeps {
		a.token.Clear(p)
		a.ln.Clear(p)
		a.queue.Clear(p)
	}
	a.tokenIs.Send(p, receiver, m)
}

// handleToken handles TOKEN: p enters.
func (a *suzukiKasami) handleToken(p *sim.Process, _ tracefmt.ProcessID, m passed) {
	a.token.Set(p, true)
	a.ln.Set(p, m.served)
	a.queue.Set(p, m.queue)
	a.enter(p)
}

// release marks the request of p as served, queues all unserved requests, and sends the token to the first of
// the queue.
func (a *suzukiKasami) release(p *sim.Process) {
	if !a.forgetting {
		sim.Put(p, a.ln, p.ID(), a.rn.Get(p).Get(p.ID()))
	}
	for _, q := range p.Neighbours() {
		if a.isDue(p, q) && !a.queue.Get(p).Contains(q) {
			sim.Append(p, a.queue, q)
		}
	}
	if queue := a.queue.Get(p); queue.Len() > 0 {
		a.queue.Set(p, queue.From(1))
		a.passToken(p, queue.At(0))
	}
}
