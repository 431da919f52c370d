package sim

import (
	"fmt"
	"slices"

	"etrace/tracefmt"
)

// buildNeighbours makes the lists of neighbours from the edges of the config.
func (k *kernel) buildNeighbours() {
	if k.Edges == nil {
		return
	}
	k.neighbours = make([][]tracefmt.ProcessID, len(k.processes))
	for _, e := range k.Edges {
		k.neighbours[e[0]] = append(k.neighbours[e[0]], e[1])
		k.neighbours[e[1]] = append(k.neighbours[e[1]], e[0])
	}
	for _, list := range k.neighbours {
		slices.Sort(list)
	}
}

// validateEdges returns an error for an edge that does not connect two processes.
func (c *Config) validateEdges() error {
	n := tracefmt.ProcessID(len(c.Members))
	seen := make(map[[2]tracefmt.ProcessID]bool, len(c.Edges))
	for _, e := range c.Edges {
		p, q := min(e[0], e[1]), max(e[0], e[1])
		if p < 1 || q > n || p == q || seen[[2]tracefmt.ProcessID{p, q}] {
			return fmt.Errorf("an edge between the processes number %d and %d, expected two of %d, each pair once", e[0], e[1], n)
		}
		seen[[2]tracefmt.ProcessID{p, q}] = true
	}
	return nil
}

// Neighbours returns the processes that this one may send to, in ascending order: all others, unless the
// config has edges. The list must not be changed.
func (p *Process) Neighbours() []tracefmt.ProcessID {
	p.requireIdentity("asks for the ids of its neighbours")
	return p.neighbours()
}

// neighbours is Neighbours without the check for anonymous processes.
func (p *Process) neighbours() []tracefmt.ProcessID {
	k := p.k
	if k.neighbours != nil {
		return k.neighbours[p.id]
	}
	if p.remaining == nil {
		for q := tracefmt.ProcessID(1); q <= p.Last(); q++ {
			if q != p.id {
				p.remaining = append(p.remaining, q)
			}
		}
	}
	return p.remaining
}

// Towards returns the neighbour on a shortest path to q, or p itself if q is p. ok is false if the config has no
// edges, or if there is no path.
func (p *Process) Towards(q tracefmt.ProcessID) (next tracefmt.ProcessID, ok bool) {
	p.requireIdentity("asks for the id of a neighbour")
	k := p.k
	if k.neighbours == nil {
		return 0, false
	}
	if p.id == q {
		return q, true
	}
	// A breadth-first search from q: the first process that has p as a neighbour is on a shortest path.
	seen, queue := make([]bool, len(k.processes)), []tracefmt.ProcessID{q}
	for seen[q] = true; len(queue) > 0; queue = queue[1:] {
		for _, neighbour := range k.neighbours[queue[0]] {
			if neighbour == p.id {
				return queue[0], true
			}
			if !seen[neighbour] {
				seen[neighbour], queue = true, append(queue, neighbour)
			}
		}
	}
	return 0, false
}

// bridgeTo returns neighbour, the process at the given number of places on a side of the ring. A neighbour beyond skipped
// processes becomes one in the graph, too: it is a bridge of the repaired ring.
func (p *Process) bridgeTo(neighbour tracefmt.ProcessID, side, places int) tracefmt.ProcessID {
	p.bridges[side] = 0
	if places > 1 {
		p.bridges[side] = neighbour
	}
	return neighbour
}

// checkReceiver reports whether the process may send to q. If q is no neighbour, or no process at all, this is a
// mistake of the algorithm and ends the run, also if the algorithm only trusted a lie.
func (p *Process) checkReceiver(q tracefmt.ProcessID) bool {
	k := p.k
	switch {
	case q < 1 || q > p.Last():
		k.fail(p, k.noReceiver(q))
		return false
	case k.neighbours == nil || p.bridges[0] == q || p.bridges[1] == q:
		return true
	}
	if _, found := slices.BinarySearch(k.neighbours[p.id], q); found {
		return true
	}
	k.fail(p, fmt.Sprintf("it sends to process %s, which is no neighbour of it", k.Members[q-1].Name))
	return false
}

// noReceiver describes a receiver that is not a process, for an error.
func (k *kernel) noReceiver(q tracefmt.ProcessID) string {
	reason := fmt.Sprintf("it sends to the process number %d, expected 1 to %d", q, len(k.Members))
	if q == 0 {
		reason = "it sends to no process (number 0)"
	}
	lies := func(a Action) bool { return a.Kind == LieProcess || a.Kind == ForgeMessage }
	if slices.ContainsFunc(k.Actions, lies) {
		reason += ", which a lie or a forged message may have named"
	}
	return reason
}
