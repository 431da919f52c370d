package algorithm

import (
	"fmt"
	"iter"

	"etrace/record/sim"
	"etrace/tracefmt"
)

// Graph is what an algorithm needs of the graph of who may send to whom.
type Graph uint8

// The graphs that algorithms need.
const (
	// AnyGraph: nothing is needed, or nothing was said.
	AnyGraph Graph = iota
	// CompleteGraph: any two processes may send to each other.
	CompleteGraph
	// Ring: each process may send to the next one in ring order.
	Ring
)

var graphs = [...]struct {
	doc   string
	pairs func(ring []tracefmt.ProcessID) iter.Seq2[tracefmt.ProcessID, tracefmt.ProcessID]
}{
	AnyGraph:      {"any graph: each process sends to its neighbours", noPairs},
	CompleteGraph: {"the complete graph, in which everybody may send to everybody", allPairs},
	Ring:          {"a ring, in which each process may send to the next one in the order of the ids", successors},
}

// String says what is needed, as in "needs the complete graph, ...".
func (g Graph) String() string { return graphs[g].doc }

// Missing returns an error that names the first two processes that the graph
// needs joined and the edges of a simulation, if it has any, do not join.
func (g Graph) Missing(c *sim.Config) error {
	if c.Edges == nil {
		return nil
	}
	joined := make(map[[2]tracefmt.ProcessID]bool, 2*len(c.Edges))
	for _, e := range c.Edges {
		joined[e], joined[[2]tracefmt.ProcessID{e[1], e[0]}] = true, true
	}
	ring := make([]tracefmt.ProcessID, len(c.Members))
	for i, m := range c.Members {
		ring[m.Position-1] = tracefmt.ProcessID(i + 1)
	}
	for p, q := range graphs[g].pairs(ring) {
		if !joined[[2]tracefmt.ProcessID{p, q}] {
			return fmt.Errorf("%s and %s are not joined", c.Members[p-1].Name, c.Members[q-1].Name)
		}
	}
	return nil
}

func noPairs([]tracefmt.ProcessID) iter.Seq2[tracefmt.ProcessID, tracefmt.ProcessID] {
	return func(func(p, q tracefmt.ProcessID) bool) {}
}

// allPairs yields all pairs of different processes.
func allPairs(ring []tracefmt.ProcessID) iter.Seq2[tracefmt.ProcessID, tracefmt.ProcessID] {
	return func(yield func(p, q tracefmt.ProcessID) bool) {
		for i, p := range ring {
			for _, q := range ring[i+1:] {
				if !yield(p, q) {
					return
				}
			}
		}
	}
}

// successors yields each process with the next one on the ring.
func successors(ring []tracefmt.ProcessID) iter.Seq2[tracefmt.ProcessID, tracefmt.ProcessID] {
	return func(yield func(p, q tracefmt.ProcessID) bool) {
		for i, p := range ring {
			if q := ring[(i+1)%len(ring)]; q != p && !yield(p, q) {
				return
			}
		}
	}
}
