package termination

import (
	"etrace/record/algorithm"
	"etrace/record/sim"
	"etrace/tracefmt"
)

var dijkstraScholtenAlgorithm = algorithm.Algorithm{
	Name: "dijkstra-scholten",
	Doc: `The detection of Dijkstra and Scholten: the active processes form a tree, and its root announces when it has no more children.

The process that is started is the root. Each message of the computation is answered by one SIGNAL:
at once, if its receiver is in the tree; else the receiver joins the tree, with the sender as its
parent, and answers when it leaves. A process counts its messages that are not answered yet
(variable deficit). Once it is passive and all its messages are answered, it leaves the tree: it
sends SIGNAL to its parent, or, if it is the root, announces the end. So there are as many signals
as messages, 2M in all, which no detector can beat.` + workDoc + `

The paper lets a process send the signals that do not concern its parent at any time
before that one; here they go at once. If a process becomes passive and has no message unanswered, it sends
SIGNAL in the same step. The root is its own parent, as in Tel. Exactly one process
is the root: with two starts there would be two trees, a case that the paper does not treat.`,
	Source:  "Dijkstra and Scholten, IPL 11(1), 1980; Tel, Introduction to Distributed Algorithms, section 8.2",
	Problem: tracefmt.Termination,
	Basic:   []string{workMessage},
	Traits:  []string{tracefmt.NoRecovery},
	Needs:   algorithm.CompleteGraph,
	Bounds: []tracefmt.Bound{
		exactly("2*fan*(fan**height-1)/(fan-1)", "starts == 1 and live == n and fan > 1",
			"Dijkstra and Scholten 1980: one signal for each message"),
		exactly("2*height", "starts == 1 and live == n and fan == 1", "Dijkstra and Scholten 1980: one signal for each message"),
		exactly("fan*(fan**height-1)/(fan-1)", "starts == 1 and live == n and fan > 1", "Dijkstra and Scholten "+
			"1980, the computation's own messages not counted", workMessage),
		exactly("height", "starts == 1 and live == n and fan == 1", "Dijkstra and Scholten 1980, the "+
			"computation's own messages not counted", workMessage),
	},
	Params: params,
	Tolerates: []algorithm.Tolerance{{
		Faults: algorithm.Down, Most: algorithm.None, Breaks: "a message to it is not answered any more, and " +
			"the end may never be announced", Source: "by the rules: the root waits until each message is answered",
	}},
	Mutants: []algorithm.Mutant{{
		Name: "ignores-deficit", Doc: "A passive process leaves the tree, even with unanswered messages.",
		Breaks: []string{"announcement-not-early"}, Shows: "nodes: 3, start: 1",
	}},
	Suits:   suitsOneStart,
	Example: "nodes: 5, start: 1",
	New:     newDijkstraScholten,
}

// suitsOneStart fails for several starts, and for a scenario that no detector can observe, see suits.
func suitsOneStart(v algorithm.Values, c *sim.Config) *algorithm.Unsuited {
	var first tracefmt.ProcessID
	for i, a := range c.Actions {
		switch {
		case a.Kind != sim.StartProcess || a.Process == first: // no further process that begins
		case first == 0:
			first = a.Process
		default:
			return &algorithm.Unsuited{Start: &c.Actions[i], Reason: c.Members[first-1].Name + " starts, too, expected the start of one process"}
		}
	}
	return checkWork(v, c)
}

// dijkstraScholten is the protocol.
type dijkstraScholten struct {
	work
	parent  sim.Var[tracefmt.ProcessID]
	deficit sim.Var[int64]
	signal  sim.Signal

	ignoresDeficit bool // a mutant
}

// newDijkstraScholten returns the protocol.
func newDijkstraScholten(v algorithm.Values) *sim.Protocol {
	pr := &sim.Protocol{}
	d := &dijkstraScholten{ignoresDeficit: v.Mutant("ignores-deficit")}
	d.work = newWork(pr, v, rules{
		begins: d.becomeRoot, sends: d.countUnanswered, receives: d.handleWork, rests: d.leaveIfDone,
	})
	d.parent = sim.Declare[tracefmt.ProcessID](pr, "parent", "the process's parent in the tree, itself for the root")
	d.deficit = sim.Declare[int64](pr, "deficit", "the number of its unanswered messages")
	d.signal = pr.Signal("SIGNAL", "answers a WORK")
	d.signal.On(d.handleSignal)
	return pr
}

func (d *dijkstraScholten) becomeRoot(p *sim.Process) { d.parent.Set(p, p.ID()) }

func (d *dijkstraScholten) countUnanswered(p *sim.Process, messages int64) {
	sim.Add(p, d.deficit, messages)
}

// handleWork makes the receiver of WORK join the tree; a process in the tree answers at once.
func (d *dijkstraScholten) handleWork(p *sim.Process, from tracefmt.ProcessID) {
	if d.parent.Get(p) == 0 {
		d.parent.Set(p, from)
	} else {
		d.signal.Send(p, from)
	}
}

// handleSignal handles SIGNAL.
func (d *dijkstraScholten) handleSignal(p *sim.Process, _ tracefmt.ProcessID) {
	sim.Add(p, d.deficit, -1)
	if !d.isActive(p) {
		d.leaveIfDone(p)
	}
}

// leaveIfDone makes a passive process without unanswered messages leave the tree; the root announces the end.
func (d *dijkstraScholten) leaveIfDone(p *sim.Process) {
	if d.deficit.Get(p) != 0 && !d.ignoresDeficit {
		return
	}
	switch parent := d.parent.Get(p); parent {
	case 0: // the process has left the tree already
	case p.ID():
		d.announce.Record(p)
	default:
		d.parent.Clear(p)
		d.signal.Send(p, parent)
	}
}
