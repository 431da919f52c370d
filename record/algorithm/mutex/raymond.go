package mutex

import (
	"etrace/record/algorithm"
	"etrace/record/sim"
	"etrace/tracefmt"
)

var raymondAlgorithm = algorithm.Algorithm{
	Name: "raymond",
	Doc: `The mutual exclusion of Raymond: on a tree, each process knows which neighbour is on the
way to the token. It asks that neighbour once, on behalf of all who asked it.

A process has a holder, itself or the neighbour on the way to the token, and a queue of neighbours,
and of itself, that have asked it. After every event, a process first passes the token: if it has
the token, is not inside and the queue is not empty, the head of the queue becomes the holder: a
neighbour gets PRIVILEGE, the process itself enters. Then it asks: if its holder is a neighbour, the
queue is not empty and it has not asked yet, it sends REQUEST to the holder.

An isolated entry costs twice the distance to the token. If all processes request again and again,
an entry costs 4(n-1)/n messages on any tree. A REQUEST may overtake a PRIVILEGE on the same edge;
nothing breaks. The tree is the graph of the run (--topology, --edges), or, on the complete graph, a
tree of all processes by rank: a line, a star round the first, or a binary tree, in which number i
is below i/2, rounded down. The paper begins with messages that inform all processes of the token's
place; here they know it. The algorithm has no rule for a lost message or a recovery: a process that
recovers has forgotten which neighbour to ask, and waits.`,
	Source:  "Raymond, ACM TOCS 7(1), 1989, section 3; Kshemkalyani and Singhal, Distributed Computing, 2008, section 9.10",
	Problem: tracefmt.Mutex,
	Traits:  []string{tracefmt.NoRecovery},
	Token:   []string{"PRIVILEGE"},
	Bounds: []tracefmt.Bound{atMost("2*(n-1)*starts*repeat", "live == n", "Raymond 1989: at most twice the "+
		"diameter for each entry, on the average of a run")},
	Params: withToken(algorithm.Param{
		Name: treeParam, Default: graphTree, Words: []string{graphTree, "line", "star", "binary"},
		Doc: "the tree on which messages go; graph: the graph of the run, or the binary tree if every process may send to every other",
	}),
	Tolerates: []algorithm.Tolerance{{
		Faults: algorithm.Down, Most: algorithm.None, Breaks: "no request and no token gets past it, and a process that " +
			"asks may wait forever", Source: "by the rules: messages go along the edges of one tree",
	}},
	Mutants: []algorithm.Mutant{
		{
			Name: "gives-inside", Doc: "A process inside sends the privilege at a request.",
			Breaks: []string{"mutual-exclusion"}, Shows: "nodes: 7, params: {tree: binary}, start: all",
		},
		{
			Name: "no-second", Doc: "No REQUEST follows a PRIVILEGE in the same step, though others wait.",
			Breaks: []string{"no-starvation"}, Shows: "nodes: 7, params: {tree: binary}, start: all",
		},
		{
			Name: "last-first", Doc: "The last of the queue is served first.",
			Breaks: []string{"bounded-bypass(2)"}, Shows: "nodes: 3, params: {tree: star, repeat: 4}, start: all",
		},
	},
	Suits:   suitsTree,
	Example: "nodes: 4, start: all",
	New:     newRaymond,
}

const (
	treeParam = "tree"
	graphTree = "graph"
)

// parents has, by the word of the parameter tree, the function that returns the parent of a process in a tree
// with root 1.
var parents = map[string]func(p tracefmt.ProcessID) tracefmt.ProcessID{
	"line":    func(p tracefmt.ProcessID) tracefmt.ProcessID { return p - 1 },
	"star":    func(p tracefmt.ProcessID) tracefmt.ProcessID { return min(1, p-1) },
	"binary":  func(p tracefmt.ProcessID) tracefmt.ProcessID { return p / 2 },
	graphTree: func(p tracefmt.ProcessID) tracefmt.ProcessID { return p / 2 },
}

// raymond is the protocol.
type raymond struct {
	section
	token
	holder                           sim.Var[tracefmt.ProcessID]
	queue                            sim.Var[processList]
	asked                            sim.Var[bool]
	request, privilege               sim.Signal
	insideToo, noSecond, lastIsFirst bool // mutants
}

// newRaymond returns the protocol.
func newRaymond(v algorithm.Values) *sim.Protocol {
	pr := &sim.Protocol{}
	a := &raymond{insideToo: v.Mutant("gives-inside"), noSecond: v.Mutant("no-second"), lastIsFirst: v.Mutant("last-first")}
	a.section = newSection(pr, v, rules{a.ask, a.serveQueue})
	a.holder = sim.Declare[tracefmt.ProcessID](pr, "holder", "the process itself, or the neighbour on the way to the token")
	a.queue = sim.Declare[processList](pr, "queue", "the requesters: neighbours, and the process itself")
	a.asked = sim.Declare[bool](pr, "asked", "the process has asked its holder")
	a.token = declareToken(pr, v, func(p *sim.Process, holder tracefmt.ProcessID) {
		a.holder.Set(p, neighbourTowards(p, holder, parents[v[treeParam]]))
	})
	a.request = pr.Signal("REQUEST", "asks for the token, on behalf of all who have asked the sender")
	a.privilege = pr.Signal("PRIVILEGE", "the token")
	a.request.On(a.handleRequest)
	a.privilege.On(a.handlePrivilege)
	return pr
}

// neighbourTowards returns p's neighbour on the path to the holder, or p itself. The path is in the graph of the run,
// or in the tree with these parents if the run has no graph.
func neighbourTowards(
	p *sim.Process, holder tracefmt.ProcessID, parent func(tracefmt.ProcessID) tracefmt.ProcessID,
) tracefmt.ProcessID {
	if next, ok := p.Towards(holder); ok {
		return next
	}
	for q := holder; q > 0; q = parent(q) {
		if q == p.ID() || parent(q) == p.ID() {
			return q
		}
	}
	return parent(p.ID())
}

// suitsTree fails if the graph is no tree, or if both a graph and the parameter "tree" are given.
func suitsTree(v algorithm.Values, c *sim.Config) *algorithm.Unsuited {
	if c.Edges == nil {
		return nil
	}
	if !v.Is(treeParam, graphTree) {
		return &algorithm.Unsuited{Param: treeParam, Reason: v[treeParam] + " beside a graph, expected one of them"}
	}
	if err := algorithm.Tree.Missing(c); err != nil {
		return &algorithm.Unsuited{Graph: true, Reason: err.Error() + ", expected a tree"}
	}
	return nil
}

func (a *raymond) ask(p *sim.Process) { a.handleRequest(p, p.ID()) }

// handleRequest handles REQUEST, and the request of the process itself.
func (a *raymond) handleRequest(p *sim.Process, from tracefmt.ProcessID) {
	sim.Append(p, a.queue, from)
	a.serveQueue(p)
}

// handlePrivilege handles PRIVILEGE: p has the token.
func (a *raymond) handlePrivilege(p *sim.Process, _ tracefmt.ProcessID) {
	a.holder.Set(p, p.ID())
	a.token.Set(p, true)
	a.serveQueue(p)
}

// serveQueue is the last part of each step: it passes on the token, or asks for it, if the queue is not empty.
func (a *raymond) serveQueue(p *sim.Process) {
	if passed := a.passToHead(p); passed && a.noSecond {
		return
	}
	// After a crash a process has no holder: it has forgotten its neighbour's direction to the token.
	if holder := a.holder.Get(p); holder != 0 && holder != p.ID() && a.queue.Get(p).Len() > 0 && !a.asked.Get(p) {
		a.asked.Set(p, true)
		a.request.Send(p, holder)
	}
}

// passToHead gives the token to the head of the queue. It reports whether this is another process.
func (a *raymond) passToHead(p *sim.Process) (passed bool) {
	queue := a.queue.Get(p)
	if a.holder.Get(p) != p.ID() || a.inside.Get(p) && !a.insideToo || queue.Len() == 0 {
		return false
	}
	head, tail := queue.At(0), queue.From(1)
	if a.lastIsFirst {
		head, tail = queue.Last(), queue.First(queue.Len()-1)
	}
	a.queue.Set(p, tail)
	a.holder.Set(p, head)
	a.asked.Set(p, false)
	if head == p.ID() {
		a.enter(p)
		return false
	}
	a.token.Clear(p)
	a.privilege.Send(p, head)
	return true
}
