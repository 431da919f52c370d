package election

import (
	"etrace/record/algorithm"
	"etrace/record/sim"
	"etrace/tracefmt"
)

var treeElectionAlgorithm = algorithm.Algorithm{
	Name: "tree-election",
	Doc: `The election on a tree: the best id moves from the leaves inwards, until two neighbours know
it.

A process that starts sends wakeup to all its neighbours, and each woken process does the same, so
that wakeup passes every edge both ways. A process that has wakeup from all its neighbours, and
token from all but one, sends token(the best id that it knows) to the remaining neighbour; leaves
begin. Once a process has token from all neighbours, it knows the best id of all, and elects it. The
two ends of one edge do so: their tokens cross, and each of them sends result(id) to its other
neighbours, which pass it on outwards.

On a tree of N processes that is 2(N-1) wakeups, N tokens and N-2 results, 4N-4 messages,
whatever the tree, the ids and the starts. Without FIFO channels a single process may know
it first: then there are N-1 tokens and N-1 results. There is no rule for crashes and
recoveries.`,
	Source:  "Tel, Introduction to Distributed Algorithms, sections 6.2.2 and 7.1.2",
	Problem: "election",
	Traits:  []string{tracefmt.GreatestWins, tracefmt.NoRecovery},
	Needs:   algorithm.Tree,
	Bounds: []tracefmt.Bound{
		exactly("4*n - 4", "live == n and n > 1", "Tel, theorem 7.2: 4N-4"),
		without(exactly("2*n - 2", "live == n and n > 1", "Tel, theorem 6.16, with the result: N tokens and N-2 results"), "wakeup"),
		atMost("4*n - 4", "", "Tel, theorem 7.2: 4N-4"),
	},
	Example: "nodes: 7, topology: tree, start: all",
	New:     newTreeElection,
}

// treeElection is the protocol.
type treeElection struct {
	woken            sim.Var[bool]
	roused, informed sim.Var[sim.Set[tracefmt.ProcessID]]
	best, outward    sim.Var[tracefmt.ProcessID]
	role             sim.Var[role]
	elected          sim.Elected
	wakeup           sim.Signal
	token, resultIs  sim.Message[named]
}

// newTreeElection returns the protocol.
func newTreeElection(algorithm.Values) *sim.Protocol {
	pr := &sim.Protocol{}
	t := &treeElection{
		woken:    sim.Declare[bool](pr, "woken", "the process has sent wakeup to its neighbours"),
		roused:   sim.Declare[sim.Set[tracefmt.ProcessID]](pr, "roused", "the neighbours from which wakeup came"),
		informed: sim.Declare[sim.Set[tracefmt.ProcessID]](pr, "told", "the neighbours from which token came"),
		best:     sim.Declare[tracefmt.ProcessID](pr, "best", "the greatest id that the process knows"),
		outward:  sim.Declare[tracefmt.ProcessID](pr, "outward", "the receiver of its token"),
		role:     declareRole(pr),
		elected:  pr.Elected(),
		wakeup:   pr.Signal("wakeup", "an election has begun"),
		token:    sim.DeclareMessage[named](pr, "token", "the greatest id on the sender's side of the edge"),
		resultIs: sim.DeclareMessage[named](pr, "result", "announces the winner"),
	}
	t.wakeup.On(t.handleWakeup)
	t.token.On(t.handleToken)
	t.resultIs.On(t.handleResult)
	pr.Start, pr.Busy = t.elected.Noticing(t.wake), t.woken.Get
	return pr
}

// wake makes a process participate, and wakes its neighbours.
func (t *treeElection) wake(p *sim.Process) {
	t.woken.Set(p, true)
	t.best.Set(p, p.ID())
	for _, q := range p.Neighbours() {
		t.wakeup.Send(p, q)
	}
	t.advance(p)
}

// wakeFirst is called before a process handles a message: it wakes the process.
func (t *treeElection) wakeFirst(p *sim.Process) {
	if !t.woken.Get(p) {
		t.wake(p)
	}
}

// handleWakeup handles wakeup.
func (t *treeElection) handleWakeup(p *sim.Process, from tracefmt.ProcessID) {
	t.wakeFirst(p)
	sim.Insert(p, t.roused, from)
	t.advance(p)
}

// handleToken handles a token: p keeps the greatest id.
func (t *treeElection) handleToken(p *sim.Process, from tracefmt.ProcessID, m named) {
	t.wakeFirst(p)
	sim.Insert(p, t.informed, from)
	sim.Raise(p, t.best, m.id)
	t.advance(p)
}

// advance sends the token that is due, and decides once all tokens are in.
func (t *treeElection) advance(p *sim.Process) {
	neighbours, informed := p.Neighbours(), t.informed.Get(p)
	switch {
	case t.elected.Get(p) != 0: // decided before
	case informed.Len() == len(neighbours):
		t.decide(p, t.best.Get(p), t.outward.Get(p))
	case t.outward.Get(p) == 0 && informed.Len() == len(neighbours)-1 && t.roused.Get(p).Len() == len(neighbours):
		for _, q := range neighbours {
			if !informed.Has(q) {
				t.outward.Set(p, q)
				t.token.Send(p, q, named{t.best.Get(p)})
			}
		}
	}
}

// handleResult handles a result.
func (t *treeElection) handleResult(p *sim.Process, from tracefmt.ProcessID, m named) {
	t.wakeFirst(p)
	if t.elected.Get(p) == 0 {
		t.decide(p, m.id, from)
	}
}

// decide elects a process, and sends the result to all neighbours except knows, which has it.
func (t *treeElection) decide(p *sim.Process, winner, knows tracefmt.ProcessID) {
	if winner == p.ID() {
		t.role.Set(p, leader)
	}
	t.elected.Set(p, winner)
	for _, q := range p.Neighbours() {
		if q != knows {
			t.resultIs.Send(p, q, named{winner})
		}
	}
}
