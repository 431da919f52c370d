package algorithm

import (
	"errors"
	"fmt"
	"iter"

	"etrace/record/sim"
	"etrace/tracefmt"
)

// Graph is the requirement of an algorithm for the graph of neighbours.
type Graph uint8

// The graphs that algorithms need.
const (
	// AnyGraph: no requirement.
	AnyGraph Graph = iota
	// CompleteGraph: any two processes may send to each other.
	CompleteGraph
	// Ring: each process may send to the next one in ring order.
	Ring
	// ConnectedGraph: there is a way between any two processes.
	ConnectedGraph
	// Tree: there is one way between any two processes.
	Tree
	// GivenGraph: the graph is connected, and the scenario gives its edges. With three or more processes the
	// default, all edges, is refused.
	GivenGraph
)

var graphs = [...]struct {
	doc string
	// pairs are the pairs that must be neighbours.
	pairs func(ring []tracefmt.ProcessID) iter.Seq2[tracefmt.ProcessID, tracefmt.ProcessID]
	// misses describes another unmet requirement, "" for none.
	misses func(c *sim.Config) string
}{
	AnyGraph:       {"any graph: each process sends to its neighbours", noPairs, nothingMissed},
	CompleteGraph:  {"the complete graph (every process may send to every other)", allPairs, nothingMissed},
	Ring:           {"a ring (each process may send to its successor in the order of the ids)", successors, nothingMissed},
	ConnectedGraph: {"a connected graph (a path joins every two processes)", noPairs, disconnected},
	Tree:           {"a tree, such as --topology tree, line or star (exactly one path joins every two processes)", noPairs, noTree},
	GivenGraph:     {"a connected graph whose edges are given, such as --topology tree, line or star", noPairs, notGiven},
}

// String describes the requirement, as in "needs the complete graph, ...".
func (g Graph) String() string { return graphs[g].doc }

// Missing returns an error that names a requirement that the edges of a simulation do not meet, such as two
// processes without an edge; nil if all are met.
func (g Graph) Missing(c *sim.Config) error {
	if c.Edges != nil {
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
	}
	if reason := graphs[g].misses(c); reason != "" {
		return errors.New(reason)
	}
	return nil
}

func nothingMissed(*sim.Config) string { return "" }

// disconnected names two processes without a path between them; "" for a connected graph.
func disconnected(c *sim.Config) string {
	if c.Edges == nil {
		return ""
	}
	groups, _ := joinedGroups(c)
	for p := range c.Members {
		if groups[p+1] != groups[1] {
			return fmt.Sprintf("there is no way from %s to %s", c.Members[0].Name, c.Members[p].Name)
		}
	}
	return ""
}

// notGiven describes a scenario without edges, or two processes without a path between them; "" if all is given.
func notGiven(c *sim.Config) string {
	if c.Edges == nil && len(c.Members) > 2 {
		return "every two processes are neighbours"
	}
	return disconnected(c)
}

// noTree returns the reason why the graph is not a tree; "" for a tree.
func noTree(c *sim.Config) string {
	if reason := notGiven(c); reason != "" {
		return reason
	}
	if _, closing := joinedGroups(c); closing != nil {
		return fmt.Sprintf("there are two ways from %s to %s", c.Members[closing[0]-1].Name, c.Members[closing[1]-1].Name)
	}
	return ""
}

// joinedGroups returns the connected component of each process, and the first edge that closes a cycle, nil for
// none.
func joinedGroups(c *sim.Config) (groups []tracefmt.ProcessID, closing *[2]tracefmt.ProcessID) {
	groups = make([]tracefmt.ProcessID, len(c.Members)+1)
	for p := range groups {
		groups[p] = tracefmt.ProcessID(p)
	}
	for i, e := range c.Edges {
		a, b := groups[e[0]], groups[e[1]]
		if a == b && closing == nil {
			closing = &c.Edges[i]
		}
		for p := range groups {
			if groups[p] == b {
				groups[p] = a
			}
		}
	}
	return groups, closing
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
