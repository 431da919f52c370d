package sim

import (
	"fmt"
	"slices"

	"etrace/tracefmt"
)

// join makes the lists of neighbours from the edges of the config.
func (k *kernel) join() {
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
	p.anonymous("asks for the ids of its neighbours")
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
	p.anonymous("asks for the id of a neighbour")
	k := p.k
	if k.neighbours == nil {
		return 0, false
	}
	seen, last := make([]bool, len(k.processes)), []tracefmt.ProcessID{q}
	for seen[q] = true; len(last) > 0; last = last[1:] {
		if last[0] == p.id {
			return p.id, true
		}
		for _, nearer := range k.neighbours[last[0]] {
			if nearer == p.id {
				return last[0], true
			}
			if !seen[nearer] {
				seen[nearer], last = true, append(last, nearer)
			}
		}
	}
	return 0, false
}

// reach returns the process at the given number of places on a side of the ring. It is then a neighbour in the
// graph: a ring that skips crashed processes is repaired.
func (p *Process) reach(neighbour tracefmt.ProcessID, side, places int) tracefmt.ProcessID {
	p.bridges[side] = 0
	if places > 1 {
		p.bridges[side] = neighbour
	}
	return neighbour
}

// reaches reports whether the process may send to q. If q is no neighbour, or no process at all, this is a
// mistake of the algorithm and ends the run, also if the algorithm only trusted a lie.
func (p *Process) reaches(q tracefmt.ProcessID) bool {
	k := p.k
	switch {
	case q < 1 || q > p.Last():
		k.fail(p, k.addressee(q))
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

// addressee describes a receiver that is not a process, for an error.
func (k *kernel) addressee(q tracefmt.ProcessID) string {
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
