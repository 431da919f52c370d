package consensus

import (
	"etrace/record/algorithm"
	"etrace/record/sim"
	"etrace/tracefmt"
)

var floodsetAlgorithm = algorithm.Algorithm{
	Name: "floodset",
	Doc: `FloodSet, consensus in synchronous rounds: all pass on all values that they know, and at the end decide the least.

Every process that is up when the run begins proposes its id, and participates without a start. In
each of f+1 rounds it sends FLOOD(the set of the values that it knows) to all others, at the
beginning of the round; it adds the values that it gets to its set. When round f+1 is over, it
decides the least value of its set.

It tolerates f crashes, also a crash during a broadcast, which then reaches only some processes.
In at least one of f+1 rounds no process crashes. After that round, all live processes know the
same values, and later rounds add none. With f rounds they may decide differently.

A run takes (f+1)n(n-1) messages and f+1 rounds, however many processes crash.

A round is one unit long (round-length). A message that takes longer is added when it comes, or, after
the decision, is ignored; with such delays the promise does not hold, as with lost messages. The
decision is the first step after round f+1: in a trace it has the note of the round that would
begin then. A start has no effect. A process that is down when the run begins has no value, and a
process that recovers has lost its value; neither participates. The source gives each process any
value to propose.`,
	Source:  "Lynch, Distributed Algorithms, 1996, section 6.2.1",
	Problem: tracefmt.Consensus,
	Traits:  []string{tracefmt.NoRecovery},
	Needs:   algorithm.CompleteGraph,
	Bounds: []tracefmt.Bound{{
		Messages: "(f+1)*live*(n-1)", Kind: tracefmt.ExactCase, Counts: tracefmt.CountsSent,
		Source: "Lynch, section 6.2.1: O((f+1)n^2); by the rules, each that is up sends to all others in each of f+1 rounds",
	}},
	Params: []algorithm.Param{{
		Name: "f", Default: "1", Words: []string{"0"}, Number: true,
		Doc: "the number of crashes that it must tolerate; the algorithm takes f+1 rounds",
	}},
	Tolerates: []algorithm.Tolerance{{
		Param: "f", Breaks: "processes that stay up may decide differently",
		Source: "Lynch, section 6.2.1: of f+1 rounds one is without a crash",
	}},
	Mutants: []algorithm.Mutant{{
		Name: "one-less", Doc: "there are only f rounds, so a value that a crashed process sent to some processes does not reach all in time",
		Breaks: []string{"consensus-agreement"}, Shows: "nodes: 3, crash: 1@0.5, drop: ['FLOOD:1>3#1']",
	}},
	New: newFloodset,
}

// flood has the fields of FLOOD.
type flood struct{ values sim.Set[tracefmt.ProcessID] }

// floodset is the protocol; rounds is the number of its rounds.
type floodset struct {
	decision
	values sim.Var[sim.Set[tracefmt.ProcessID]]
	flood  sim.Message[flood]
	rounds int64
}

// newFloodset returns the protocol.
func newFloodset(v algorithm.Values) *sim.Protocol {
	pr := &sim.Protocol{}
	x := &floodset{
		decision: declareDecision(pr),
		values:   sim.Declare[sim.Set[tracefmt.ProcessID]](pr, "values", "the values that the process knows"),
		flood:    sim.DeclareMessage[flood](pr, "FLOOD", "the values that the sender knows"),
	}
	x.rounds, _ = v.Number("f")
	if !v.Mutant("one-less") {
		x.rounds++
	}
	pr.Begin = func(p *sim.Process) {
		x.proposed.Set(p, p.ID())
		x.values.Set(p, sim.SetOf(p.ID()))
	}
	pr.InRounds, pr.Round = x.takesPart, x.round
	x.flood.On(func(p *sim.Process, _ tracefmt.ProcessID, m flood) {
		if x.takesPart(p) {
			x.values.Set(p, x.values.Get(p).Union(m.values))
		}
	})
	return pr
}

// takesPart reports whether p has proposed and not decided.
func (x *floodset) takesPart(p *sim.Process) bool {
	return x.proposed.Get(p) != 0 && x.decided.Get(p) == 0
}

// round sends the known values at the beginning of a round; after the last round it decides the least value.
func (x *floodset) round(p *sim.Process) {
	if p.Round() <= x.rounds {
		x.flood.Broadcast(p, flood{x.values.Get(p)})
		return
	}
	x.decided.Set(p, x.values.Get(p).At(0))
}
