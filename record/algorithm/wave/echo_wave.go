package wave

import (
	"etrace/record/algorithm"
	"etrace/record/sim"
	"etrace/tracefmt"
)

var echoWaveAlgorithm = algorithm.Algorithm{
	Name: "echo-wave",
	Doc: `The echo algorithm: on any connected graph, the wave of one initiator goes out to all and comes back.

The initiator, the process that starts, sends wave to all its neighbours. Any other process takes
the sender of the first wave that it gets for its parent, and sends wave to all its other
neighbours. Once a process has heard wave from all its neighbours, it sends wave to its parent, as
an echo; the initiator decides. The edges to the parents are a tree that spans the graph, on which
the echoes come back.

A wave crosses every edge twice, once in each direction: 2E messages for E edges, for any graph,
initiator, delays and order of messages. Where each message takes one unit, the initiator decides
after 2e, where e is its distance to the farthest process; after 2e+1 if two processes that far away
are neighbours, since each gets the wave of the other one unit later. The longest chain of messages
has the same length.

The source leaves some cases open; here they are as follows. A process that a wave has reached begins no
wave, so its start has no effect. With several initiators their waves are not distinguished: a process
joins the first wave that reaches it, and each initiator decides once it has heard its neighbours, though
some process may not have taken part. Several initiators need extinction, as in the election echo. There
is no rule for crashes and recoveries: the echo of a process that is down never comes.`,
	Source:  "Chang, Echo Algorithms, IEEE TSE 8(4), 1982; Tel, Introduction to Distributed Algorithms, 2000, section 6.2.2",
	Problem: tracefmt.Wave,
	Traits:  []string{tracefmt.DecidesOnce, tracefmt.NoRecovery},
	Needs:   algorithm.ConnectedGraph,
	Bounds: []tracefmt.Bound{{
		Messages: "2*edges", If: "starts == 1 and live == n", Kind: tracefmt.ExactCase, Counts: tracefmt.CountsSent,
		Source: "Chang 1982; Tel, theorem 6.17: 2E",
	}},
	Tolerates: []algorithm.Tolerance{{
		Faults: algorithm.Down, Most: algorithm.None, Breaks: "its echo does not come, and the initiator " +
			"does not decide", Source: "by the rules: an echo waits for those of all neighbours",
	}},
	Mutants: []algorithm.Mutant{
		{
			Name: "replies-at-once", Doc: "A process echoes its first wave at once, instead of after hearing " +
				"all its neighbours: the initiator does not wait for those farther away.",
			Breaks: []string{"wave-covers"}, Shows: "nodes: 5, topology: line, start: 1",
		},
		{
			Name: "all-decide", Doc: "Each process that has heard all its neighbours decides, besides its echo.",
			Breaks: []string{"wave-decides-once"}, Shows: "nodes: 3, topology: line, start: 1",
		},
	},
	Example: "nodes: 6, start: 1",
	New:     newEchoWave,
}

// echoWave is the protocol.
type echoWave struct {
	story
	initiator sim.Var[bool]
	parent    sim.Var[tracefmt.ProcessID]
	heard     sim.Var[sim.Set[tracefmt.ProcessID]]
	wave      sim.Signal

	repliesAtOnce, allDecide bool // mutants
}

// newEchoWave returns the protocol.
func newEchoWave(v algorithm.Values) *sim.Protocol {
	pr := &sim.Protocol{}
	e := &echoWave{
		story:         declareStory(pr),
		initiator:     sim.Declare[bool](pr, "initiator", "the process has begun the wave"),
		parent:        sim.Declare[tracefmt.ProcessID](pr, "parent", "the sender of the first wave"),
		heard:         sim.Declare[sim.Set[tracefmt.ProcessID]](pr, "heard", "the neighbours from which the wave came"),
		wave:          pr.Signal("wave", "the wave, outward or as an echo"),
		repliesAtOnce: v.Mutant("replies-at-once"),
		allDecide:     v.Mutant("all-decide"),
	}
	e.wave.On(e.handleWave)
	pr.Start, pr.Busy = e.begin, e.takesPart
	return pr
}

// takesPart reports whether the wave has reached the process.
func (e *echoWave) takesPart(p *sim.Process) bool { return e.initiator.Get(p) || e.parent.Get(p) != 0 }

// begin makes the process the initiator of a wave.
func (e *echoWave) begin(p *sim.Process) {
	e.initiator.Set(p, true)
	e.start.Record(p)
	e.wave.Broadcast(p)
	e.echoOrDecide(p)
}

// handleWave handles a wave.
func (e *echoWave) handleWave(p *sim.Process, from tracefmt.ProcessID) {
	if e.heard.Get(p).Has(from) {
		// A copy of an earlier message.
		return
	}
	sim.Insert(p, e.heard, from)
	if !e.takesPart(p) {
		e.join(p, from)
	}
	e.echoOrDecide(p)
}

// join makes a process participate in the wave that came from its parent.
func (e *echoWave) join(p *sim.Process, parent tracefmt.ProcessID) {
	e.parent.Set(p, parent)
	for _, q := range p.Neighbours() {
		if q != parent || e.repliesAtOnce {
			e.wave.Send(p, q)
		}
	}
}

// echoOrDecide ends the part of a process that has heard the wave from all neighbours: it echoes, or decides as the
// initiator.
func (e *echoWave) echoOrDecide(p *sim.Process) {
	if e.heard.Get(p).Len() < len(p.Neighbours()) {
		return
	}
	if !e.initiator.Get(p) && !e.repliesAtOnce {
		e.wave.Send(p, e.parent.Get(p))
	}
	if e.initiator.Get(p) || e.allDecide {
		e.decide.Record(p)
	}
}
