package election

import (
	"etrace/record/algorithm"
	"etrace/record/sim"
	"etrace/tracefmt"
)

var echoAlgorithm = algorithm.Algorithm{
	Name: "echo",
	Doc: `The echo wave with extinction: on any connected graph, only the wave of the greatest initiator returns to it.

An initiator, a process that starts, sends wave(its id) to all its neighbours. A process that gets
the wave of a greater root than that of its present one, or its first wave, joins it: the sender
becomes its parent, and it sends the wave to all other neighbours. It ignores the wave of a smaller
root. It counts the waves of its present root: once that wave has come from all neighbours, it sends
the wave to its parent, as an echo; if it is the root itself, it has won. A wave of one initiator
passes every edge twice, E being the number of edges: once each way, or there and back. A process
that has joined the wave of a greater process begins no wave.

With elected-pass=on the winner sends elected(id) to its neighbours, and a process that hears it
first forwards it to all others, so all processes learn it: 2E-n+1 messages more. By default only
the winner knows the result. The wave of one initiator alone, without extinction, is echo-wave:
it elects no leader. The best process is the greatest initiator (variable part). There is no rule
for crashes and recoveries: a wave never comes back from a process that is down.`,
	Source: "Chang, Echo Algorithms, IEEE TSE 8(4), 1982; Segall, Distributed Network Protocols, IEEE TIT " +
		"29(1), 1983; extinction as in Tel, Introduction to Distributed Algorithms, section 7.3",
	Problem: "election",
	Traits:  []string{tracefmt.NoRecovery},
	Best:    []string{"part", tracefmt.BestID},
	Needs:   algorithm.ConnectedGraph,
	Bounds: []tracefmt.Bound{
		without(exactly("2*edges", "starts == 1 and live == n", "Chang 1982; Tel, theorem 6.17: 2E for a single wave"), "elected"),
		without(atMost("2*edges*starts", "", "Tel, section 7.3: at most 2E for each wave"), "elected"),
		without(kind(tracefmt.LeastCase, atMost("2*edges", "live == n", "the wave that wins passes every edge twice")), "elected"),
	},
	Params: []algorithm.Param{{
		Name: "elected-pass", Default: "off", Words: onOff,
		Doc: "on: the winner floods the graph with elected, so that all learn of it",
	}},
	Example: "nodes: 6, start: all",
	New:     newEcho,
}

// part is the part of a process in an election on a graph. The words are in the order of their rank.
type part uint8

const (
	bystander part = iota
	initiator
)

// Words implements [sim.Words].
func (part) Words() []string { return []string{"bystander", "initiator"} }

// echo is the protocol.
type echo struct {
	part         sim.Var[part]
	role         sim.Var[role]
	root, parent sim.Var[tracefmt.ProcessID]
	heard        sim.Var[sim.Set[tracefmt.ProcessID]]
	elected      sim.Elected // declared for elected-pass=on only
	wave         sim.Message[rooted]
	electedIs    sim.Message[named]
	pass         bool
}

// rooted has the fields of a wave: the initiator at its root.
type rooted struct{ root tracefmt.ProcessID }

// newEcho returns the protocol.
func newEcho(v algorithm.Values) *sim.Protocol {
	pr := &sim.Protocol{}
	e := &echo{
		part:   sim.Declare[part](pr, "part", "initiator: the process has begun its own wave; bystander: it has not"),
		role:   declareRole(pr),
		root:   sim.Declare[tracefmt.ProcessID](pr, "root", "the initiator whose wave the process has joined"),
		parent: sim.Declare[tracefmt.ProcessID](pr, "parent", "the neighbour from which that wave came first"),
		heard:  sim.Declare[sim.Set[tracefmt.ProcessID]](pr, "heard", "the neighbours from which that wave came"),
		wave:   sim.DeclareMessage[rooted](pr, "wave", "the wave of the root, outward or as an echo"),
		pass:   v.On("elected-pass"),
	}
	if e.pass {
		e.elected = pr.Elected()
		e.electedIs = sim.DeclareMessage[named](pr, "elected", "announces the winner")
		e.electedIs.On(e.handleElected)
	}
	e.wave.On(e.handleWave)
	pr.Start = e.start
	pr.Busy = func(p *sim.Process) bool { return e.root.Get(p) >= p.ID() }
	return pr
}

// start begins a wave.
func (e *echo) start(p *sim.Process) {
	e.part.Set(p, initiator)
	e.join(p, p.ID(), 0)
	e.echoOrWin(p)
}

// join makes a process participate in a wave.
func (e *echo) join(p *sim.Process, root, parent tracefmt.ProcessID) {
	e.root.Set(p, root)
	e.parent.Set(p, parent)
	e.heard.Clear(p)
	for _, q := range p.Neighbours() {
		if q != parent {
			e.wave.Send(p, q, rooted{root})
		}
	}
}

// handleWave handles a wave: a wave with a greater root replaces that of p, and a wave with a smaller one ends here.
func (e *echo) handleWave(p *sim.Process, from tracefmt.ProcessID, m rooted) {
	if m.root < e.root.Get(p) {
		return // the wave ends here, and its root never gets an echo
	}
	if m.root > e.root.Get(p) {
		e.join(p, m.root, from)
	}
	sim.Insert(p, e.heard, from)
	e.echoOrWin(p)
}

// echoOrWin ends the part of a process in a wave that it has heard from all neighbours: it echoes, or wins as the
// root.
func (e *echo) echoOrWin(p *sim.Process) {
	switch {
	case e.heard.Get(p).Len() < len(p.Neighbours()): // it waits for further neighbours
	case e.root.Get(p) == p.ID():
		e.win(p)
	default:
		e.wave.Send(p, e.parent.Get(p), rooted{e.root.Get(p)})
	}
}

// win makes a process the leader, and announces that.
func (e *echo) win(p *sim.Process) {
	e.role.Set(p, leader)
	if e.pass {
		e.believe(p, p.ID(), 0)
	}
}

// handleElected handles elected.
func (e *echo) handleElected(p *sim.Process, from tracefmt.ProcessID, m named) {
	if e.elected.Get(p) != m.id {
		e.believe(p, m.id, from)
	}
}

// believe makes q the coordinator of p, and announces it to all others.
func (e *echo) believe(p *sim.Process, q, from tracefmt.ProcessID) {
	e.elected.Set(p, q)
	for _, neighbour := range p.Neighbours() {
		if neighbour != from {
			e.electedIs.Send(p, neighbour, named{q})
		}
	}
}
