package election

import (
	"cmp"

	"etrace/record/algorithm"
	"etrace/record/sim"
	"etrace/tracefmt"
)

var itaiRodehAlgorithm = algorithm.Algorithm{
	Name: "itai-rodeh",
	Doc: `The anonymous ring election of Itai and Rodeh: processes without ids draw random ids, until one is unique.

The processes know the size of the ring, but have no ids: the names in the trace are used by no
rule. In a round, an active process draws an id from 1 to K, each as likely, and sends token(id,
round, 1, unique) clockwise. Rounds go before ids: an active process that gets a token of a later
round, or of a greater id in its own, becomes passive and passes it on; it drops a smaller token,
and passes a token like its own on as not unique. A passive process passes every token on. Each hop
is counted, so after n tokens a process knows that its own token is back: if that is still unique,
it is the leader, else it begins the next round.

It needs FIFO channels and as many live processes as the ring has. It ends with probability 1, with
an unbounded number of messages. The leader learns that it leads, and stores it in the variable
role; no other process learns which process leads. What a process draws is decided by the seed of
the run, for each process apart.

A process participates in one election: once it is not asleep, a start has no effect.
A process that has not started starts before it handles its first message, or only relays from then
on (parameter join). There is no rule for crashes and recoveries.`,
	Source: "Itai and Rodeh, Symmetry Breaking in Distributive Networks, FOCS 1981, and Information and " +
		"Computation 88(1), 1990; the rules as in Fokkink and Pang, Simplifying Itai-Rodeh Leader Election for Anonymous Rings, 2005",
	Problem: "election",
	Traits:  []string{tracefmt.NoRecovery, tracefmt.OnRing},
	Needs:   algorithm.Ring,
	Bounds: []tracefmt.Bound{
		boundInWords("O(n log n) on average", "", "Itai and Rodeh 1990, if K is at least n: expected messages; of a single run no bound holds"),
		// Every process sends a token of its own, and passes on that of the winner, which
		// itself need not.
		kind(tracefmt.LeastCase, atMost("2*live - 1", "live == n and n > 1", "by the rules: a token of each process, n hops of the winner's")),
	},
	Params: []algorithm.Param{
		{
			Name: "join", Default: "wake", Words: []string{"wake", "relay"}, Bounded: []string{"wake"},
			Doc: "a process that a message reaches before its start: wake: it starts; relay: it only relays, and does not compete",
		},
		{
			Name: "K", Default: "n", Words: []string{"n"}, Number: true,
			Doc: "the number of ids from which a process draws; with 1 all processes draw the same, no token is unique, " +
				"and under equal delays the run is proven to loop",
		},
	},
	Example: "nodes: 5, start: all",
	New:     newItaiRodeh,
}

// token has the fields of the message.
type token struct {
	id     int64
	round  sim.Counter
	hops   int64
	unique bool
}

// itaiRodeh is the protocol.
type itaiRodeh struct {
	standing sim.Var[standing]
	role     sim.Var[role]
	id       sim.Var[int64]
	round    sim.Var[sim.Counter]
	token    sim.Message[token]
	// ids is the number of ids to draw from; 0 means the number of processes.
	ids  int64
	wake bool
}

// newItaiRodeh returns the protocol.
func newItaiRodeh(v algorithm.Values) *sim.Protocol {
	pr := &sim.Protocol{Draws: true}
	a := &itaiRodeh{
		standing: sim.Declare[standing](pr, "standing", "asleep: no message has reached the process; active: it competes; passive: it relays"),
		role:     declareRole(pr),
		id:       sim.Declare[int64](pr, "id", "the id that the process has drawn in this round"),
		round:    sim.Declare[sim.Counter](pr, "round", "the round in which it competes, from 1"),
		token:    sim.DeclareMessage[token](pr, "token", "carries a drawn id round the ring"),
		wake:     v["join"] == "wake",
	}
	a.ids, _ = v.Number("K")
	a.token.On(a.handleToken)
	pr.Start = a.enter
	pr.Busy = func(p *sim.Process) bool { return a.standing.Get(p) != asleep }
	return pr
}

// enter makes a process active.
func (a *itaiRodeh) enter(p *sim.Process) {
	a.standing.Set(p, active)
	a.draw(p)
}

// draw begins a round: the process draws an id and sends a token with it.
func (a *itaiRodeh) draw(p *sim.Process) {
	round := sim.Add(p, a.round, 1)
	id := p.Draw(cmp.Or(a.ids, size(p)))
	a.id.Set(p, id)
	a.token.SendNext(p, token{id, round, 1, true})
}

// size returns the number of processes, which every process knows.
func size(p *sim.Process) int64 { return int64(p.Last()) }

// handleToken handles a token: the own one, that of another active process, or one to forward.
func (a *itaiRodeh) handleToken(p *sim.Process, _ tracefmt.ProcessID, m token) {
	if a.standing.Get(p) == asleep {
		a.wakeOrRelay(p)
	}
	switch {
	case a.standing.Get(p) == passive:
		a.passOn(p, m)
	case a.role.Get(p) == leader:
		// the election is over
	case m.hops == size(p):
		a.handleOwnToken(p, m)
	default:
		a.handleOtherToken(p, m)
	}
}

// wakeOrRelay is called before a process handles a message: a process that is asleep starts, or only relays from now
// on.
func (a *itaiRodeh) wakeOrRelay(p *sim.Process) {
	if a.wake {
		a.enter(p)
		return
	}
	a.standing.Set(p, passive)
}

// handleOwnToken handles the own token after a full circle: p is the leader if its id is unique, otherwise it draws
// again.
func (a *itaiRodeh) handleOwnToken(p *sim.Process, m token) {
	if m.unique {
		a.role.Set(p, leader)
		return
	}
	a.draw(p)
}

// handleOtherToken handles the token of another process at an active process. Tokens are ordered by round, then by
// id: p drops a smaller token, becomes passive at a greater one, and marks an equal one as not unique.
func (a *itaiRodeh) handleOtherToken(p *sim.Process, m token) {
	switch cmp.Or(cmp.Compare(m.round, a.round.Get(p)), cmp.Compare(m.id, a.id.Get(p))) {
	case 0:
		m.unique = false
		a.passOn(p, m)
	case 1:
		a.standing.Set(p, passive)
		a.passOn(p, m)
	}
}

// passOn forwards a token.
func (a *itaiRodeh) passOn(p *sim.Process, m token) {
	m.hops++
	a.token.SendNext(p, m)
}
