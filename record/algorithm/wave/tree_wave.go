package wave

import (
	"etrace/record/algorithm"
	"etrace/record/sim"
	"etrace/tracefmt"
)

var treeWaveAlgorithm = algorithm.Algorithm{
	Name: "tree-wave",
	Doc: `The wave on a tree: it begins at all the leaves and moves inwards, until two neighbours meet it.

All processes begin by themselves when the run begins. A process that has heard token from all its
neighbours but one, and has not sent token yet, sends it to the remaining neighbour: a leaf does so
at once. A process that has heard token from all its neighbours decides.

Each process sends one token, N messages in all, whatever the tree, the delays and their order. A
tree has N-1 edges, so that one of them carries two tokens: its two ends, and no others, decide.
Where each message takes one unit, the last process decides after floor(D/2)+1 units, D being the
diameter. One process alone decides at once.

The source leaves some cases open; here they are as follows. On a graph with a cycle no process of
the cycle ever hears all its neighbours but one, so that no process decides. Such a graph is
accepted. A run must name its edges: without them, all processes would be neighbours. A start has no
effect. There is no rule for crashes and recoveries: a process that is down sends no token.`,
	Source:  "Tel, Introduction to Distributed Algorithms, 2000, section 6.2.1",
	Problem: tracefmt.Wave,
	Traits:  []string{tracefmt.NoRecovery},
	Needs:   algorithm.GivenGraph,
	Bounds: []tracefmt.Bound{{
		Messages: "n", If: "edges == n-1 and live == n and n > 1", Kind: tracefmt.ExactCase, Counts: tracefmt.CountsSent,
		Source: "Tel, theorem 6.16: N",
	}},
	Tolerates: []algorithm.Tolerance{{
		Faults: algorithm.Down, Most: algorithm.None, Breaks: "it sends no token, and no process may decide",
		Source: "by the rules: a process sends nothing before it has heard all neighbours but one",
	}},
	Mutants: []algorithm.Mutant{{
		Name: "decides-early", Doc: "A process decides when it sends its token, without waiting for one to come back.",
		Breaks: []string{"wave-covers"}, Shows: "nodes: 5, topology: line",
	}},
	Example: "nodes: 7, topology: tree",
	New:     newTreeWave,
}

// treeWave is the protocol.
type treeWave struct {
	story
	heard   sim.Var[sim.Set[tracefmt.ProcessID]]
	outward sim.Var[tracefmt.ProcessID]
	token   sim.Signal

	decidesEarly bool // a mutant
}

// newTreeWave returns the protocol.
func newTreeWave(v algorithm.Values) *sim.Protocol {
	pr := &sim.Protocol{}
	t := &treeWave{
		story:        declareStory(pr),
		heard:        sim.Declare[sim.Set[tracefmt.ProcessID]](pr, "heard", "the neighbours from which token came"),
		outward:      sim.Declare[tracefmt.ProcessID](pr, "outward", "the receiver of the process's token"),
		token:        pr.Signal("token", "all on the sender's side of the edge have taken part"),
		decidesEarly: v.Mutant("decides-early"),
	}
	t.token.On(t.handleToken)
	pr.Wake = t.wake
	return pr
}

func (t *treeWave) wake(p *sim.Process) {
	t.start.Record(p)
	t.advance(p)
}

// handleToken handles a token.
func (t *treeWave) handleToken(p *sim.Process, from tracefmt.ProcessID) {
	if !t.heard.Get(p).Has(from) { // a token from a neighbour that was heard is a duplicate
		sim.Insert(p, t.heard, from)
		t.advance(p)
	}
}

// advance sends the token when it has come from all neighbours but one, and decides when it has come from all.
func (t *treeWave) advance(p *sim.Process) {
	heard := t.heard.Get(p)
	switch silent := len(p.Neighbours()) - heard.Len(); {
	case silent == 0:
		t.decide.Record(p)
	case silent == 1 && t.outward.Get(p) == 0:
		for _, q := range p.Neighbours() {
			if !heard.Has(q) {
				t.outward.Set(p, q)
				t.token.Send(p, q)
			}
		}
		if t.decidesEarly {
			t.decide.Record(p)
		}
	}
}
