package mutex

import (
	"etrace/record/algorithm"
	"etrace/record/sim"
	"etrace/tracefmt"
)

var tokenRingAlgorithm = algorithm.Algorithm{
	Name: "token-ring-mutex",
	Doc: `Mutual exclusion on a ring: a token goes round, and a waiting process keeps it while it is inside.

The holder has the token when the run begins. A waiting process that receives the token enters; any
other process passes TOKEN to its successor in the same step. A process that leaves passes it on,
too. An entry costs one message if all processes wait; a round without requests costs n. A waiting
process sends nothing, so no process hears of its request before it has entered. So if a request
happened before another, its process enters first.

The token circles forever, also without requests. So a run ends at --until, or at a proven loop
once all requests are served. On a repaired ring with a single process left, this process keeps the
token. The algorithm has no rule for a lost token.`,
	Source:  "Tanenbaum and van Steen, Distributed Systems, section 6.3, a token ring algorithm; Le Lann, IFIP Congress 1977",
	Problem: tracefmt.Mutex,
	Traits:  []string{tracefmt.NoRecovery, tracefmt.OnRing, tracefmt.RequestOrder},
	Token:   []string{"TOKEN"},
	Needs:   algorithm.Ring,
	Params:  withToken(),
	Tolerates: []algorithm.Tolerance{{
		Faults: algorithm.Down, Most: algorithm.None,
		Breaks: "the token is lost if that process has it or is sent it, and no process enters any more",
		Source: "Tanenbaum and van Steen, section 6.3: a token that is lost would have to be made anew",
	}},
	Mutants: []algorithm.Mutant{{
		Name: "leaves-it", Doc: "A process that leaves keeps the token, so that no other gets it.",
		Breaks: []string{"no-starvation"}, Shows: "nodes: 3, start: [1, 2]",
	}},
	Example: "nodes: 4, start: all",
	New:     newTokenRing,
}

// tokenRing is the protocol.
type tokenRing struct {
	section
	token
	tokenIs sim.Signal
	keeps   bool // mutant leaves-it
}

// newTokenRing returns the protocol.
func newTokenRing(v algorithm.Values) *sim.Protocol {
	pr := &sim.Protocol{}
	a := &tokenRing{keeps: v.Mutant("leaves-it")}
	a.section = newSection(pr, v, rules{a.ask, a.release})
	a.token = declareToken(pr, v, nil)
	a.tokenIs = pr.Signal("TOKEN", "the token")
	a.tokenIs.On(a.handleToken)
	pr.Wake = func(p *sim.Process) {
		if a.token.Get(p) {
			a.passToken(p)
		}
	}
	return pr
}

// passToken sends the token to the successor.
func (a *tokenRing) passToken(p *sim.Process) {
	a.token.Clear(p)
	a.tokenIs.SendNext(p)
}

// handleToken handles TOKEN. A token from the process itself means that it is alone on the ring.
func (a *tokenRing) handleToken(p *sim.Process, from tracefmt.ProcessID) {
	switch {
	case a.waits.Get(p):
		a.token.Set(p, true)
		a.enter(p)
	case from == p.ID():
		a.token.Set(p, true)
	default:
		a.tokenIs.SendNext(p)
	}
}

// ask makes a process enter at once if it has the token, which only a process alone on the ring keeps.
func (a *tokenRing) ask(p *sim.Process) {
	if a.token.Get(p) {
		a.enter(p)
	}
}

func (a *tokenRing) release(p *sim.Process) {
	if !a.keeps {
		a.passToken(p)
	}
}
