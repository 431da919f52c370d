package topology

import (
	"fmt"
	"math/bits"
	"math/rand/v2"
)

// mostTries bounds the search for a random graph. Most tries succeed, so it is hardly ever reached.
const mostTries = 10_000

// randomRegular draws by the method of Steger and Wormald (Combinatorics, Probability and Computing 8(4),
// 1999). Each vertex has d ends. Free ends are joined at random as long as that makes no loop and no double
// edge. If no two ends are left that could be joined, the drawing begins again. For fixed d every graph becomes
// equally likely as n grows. Dense graphs are complements of sparse ones. A graph that is not connected is
// drawn again.
func randomRegular(n int, numbers []int64, seed int64) ([]Edge, error) {
	d := numbers[0]
	if len(numbers) > 1 {
		seed = numbers[1]
	}
	switch {
	case d < 0 || d >= int64(n) || d*int64(n)%2 != 0:
		return nil, fmt.Errorf("%d neighbours each, expected less than %d, and an even number of ends in all", d, n)
	case d < 2 && n > int(d)+1:
		return nil, fmt.Errorf("%d neighbours each do not connect them", d)
	}
	g := drawing{n, rand.NewPCG(uint64(seed), 0x9e3779b97f4a7c15)}
	for range mostTries {
		edges, ok := g.graph(int(d))
		if ok && Connected(n, edges) {
			return edges, nil
		}
	}
	return nil, fmt.Errorf("no connected graph with %d neighbours each was found in %d tries", d, mostTries)
}

// drawing draws random graphs with n vertices.
type drawing struct {
	n     int
	words *rand.PCG
}

// below returns a random number from 0 to n-1.
func (g drawing) below(n int) int {
	hi, _ := bits.Mul64(g.words.Uint64(), uint64(n))
	return int(hi)
}

// graph tries to draw a graph in which every vertex has d edges. A dense graph is the complement of a sparse
// one.
func (g drawing) graph(d int) ([]Edge, bool) {
	if 2*d < g.n {
		return g.draw(d)
	}
	missing, ok := g.draw(g.n - 1 - d)
	if !ok {
		return nil, false
	}
	without := make(map[Edge]bool, len(missing))
	for _, e := range missing {
		without[e] = true
	}
	var edges []Edge
	possible, _ := complete(g.n, nil, 0)
	for _, e := range possible {
		if !without[e] {
			edges = append(edges, e)
		}
	}
	return edges, true
}

// draw tries to draw a graph in which every vertex has d edges.
func (g drawing) draw(d int) ([]Edge, bool) {
	ends := make([]int, 0, g.n*d) // a vertex for each of its free ends
	for v := 1; v <= g.n; v++ {
		for range d {
			ends = append(ends, v)
		}
	}
	joined := make(map[Edge]bool, g.n*d/2)
	var edges []Edge
	for len(ends) > 0 {
		e, ok := g.join(&ends, joined)
		if !ok {
			return nil, false
		}
		edges = append(edges, e)
	}
	return edges, true
}

// join removes two free ends that may be joined, and returns their edge. After many random failures it checks
// whether there are any; ok is false without.
func (g drawing) join(ends *[]int, joined map[Edge]bool) (Edge, bool) {
	list := *ends
	for tries := 0; ; tries++ {
		if tries == 4*len(list) && !joinable(list, joined) {
			return Edge{}, false
		}
		i, j := g.below(len(list)), g.below(len(list))
		e := Edge{min(list[i], list[j]), max(list[i], list[j])}
		if e.A == e.B || joined[e] {
			continue
		}
		joined[e] = true
		last := len(list) - 1
		list[max(i, j)] = list[last]
		list[min(i, j)] = list[last-1]
		*ends = list[:last-1]
		return e, true
	}
}

// joinable reports whether two of the free ends may be joined: they belong to different vertices without an
// edge.
func joinable(ends []int, joined map[Edge]bool) bool {
	for i, a := range ends {
		for _, b := range ends[:i] {
			if a != b && !joined[Edge{min(a, b), max(a, b)}] {
				return true
			}
		}
	}
	return false
}
