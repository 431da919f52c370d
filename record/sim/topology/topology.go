package topology

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"etrace/tracefmt/text"
)

// Edge joins two vertices, with A < B.
type Edge struct{ A, B int }

// Shape is a family of graphs, one for each permitted number of vertices.
type Shape struct {
	// Name is the name in texts, such as "grid".
	Name string
	// Parameters is the placeholder of the numbers in brackets in help texts, "" if the shape takes none.
	Parameters string
	// Doc describes which vertices are joined.
	Doc string
	// least and most limit the number of arguments of the shape.
	minimum, maximum int
	// drawn is true if the last number is a seed, by default the seed of the run.
	drawn bool
	edges func(n int, numbers []int64, seed int64) ([]Edge, error)
}

// Key implements [text.Named].
func (s *Shape) Key() string { return s.Name }

// Usage returns the name with the placeholders of its numbers, such as "grid[(W)]".
func (s *Shape) Usage() string {
	switch {
	case s.Parameters == "":
		return s.Name
	case s.minimum == 0:
		return s.Name + "[(" + s.Parameters + ")]"
	}
	return s.Name + "(" + s.Parameters + ")"
}

// Shapes is the registry of all shapes.
var Shapes = text.NewRegistry("topology",
	&Shape{Name: "complete", Doc: "every two processes are neighbours", edges: complete},
	&Shape{Name: "grid", Parameters: "W", Doc: "rows of W, by default of the square root of the number of " +
		"processes rounded up; the last row may be short", maximum: 1, edges: grid},
	&Shape{Name: "hypercube", Doc: "2^k processes, two are joined if their places, counted from 0, differ in " +
		"one binary digit", edges: hypercube},
	&Shape{Name: "line", Doc: "each is joined to the next one", edges: line},
	&Shape{Name: "random-regular", Parameters: "D[,SEED]", Doc: "a connected graph in which every process has D " +
		"neighbours, drawn by the seed, by default that of the run; D is less than the number of processes, and " +
		"one of the two is even", minimum: 1, maximum: 2, drawn: true, edges: randomRegular},
	&Shape{Name: "ring", Doc: "each is joined to the next one, and the last to the first", edges: ring},
	&Shape{Name: "star", Doc: "all others are neighbours of the first process", edges: star},
	&Shape{Name: "torus", Parameters: "W", Doc: "full rows of W, each row and each column closed to a ring of " +
		"at least 3; by default as close to a square as the number of processes allows", maximum: 1, edges: torus},
	&Shape{Name: "tree", Doc: "a binary tree: the one in place i hangs below the one in place i/2, rounded down", edges: tree},
)

// Topology is a shape with its numbers. The zero value is the complete graph.
type Topology struct {
	shape   *Shape
	numbers []int64
}

// Parse reads a shape and its numbers: "ring", "grid(4)", "random-regular(3,7)".
func Parse(s string) (Topology, error) {
	name, list, bracket := strings.Cut(s, "(")
	shape, err := Shapes.Lookup(strings.TrimSpace(name))
	if err != nil {
		return Topology{}, err
	}
	list, closed := strings.CutSuffix(list, ")")
	bad := fmt.Errorf("%s: expected %s", text.Quote(s), shape.Usage())
	if bracket != closed {
		return Topology{}, bad
	}
	t := Topology{shape: shape}
	if bracket {
		for part := range strings.SplitSeq(list, ",") {
			i, err := strconv.ParseInt(strings.TrimSpace(part), 10, 64)
			if err != nil {
				return Topology{}, bad
			}
			t.numbers = append(t.numbers, i)
		}
	}
	if len(t.numbers) < shape.minimum || len(t.numbers) > shape.maximum {
		return Topology{}, bad
	}
	if shape.Name == "complete" {
		t = Topology{}
	}
	return t, nil
}

// Complete reports whether every two processes are neighbours, as in the
// zero value.
func (t Topology) Complete() bool { return t.shape == nil }

// Ring reports whether the vertices form a ring in their order.
func (t Topology) Ring() bool { return t.shape != nil && t.shape.Name == "ring" }

// Drawn reports whether the edges depend on the seed of the run.
func (t Topology) Drawn() bool {
	return t.shape != nil && t.shape.drawn && len(t.numbers) < t.shape.maximum
}

// String returns what [Parse] reads.
func (t Topology) String() string {
	if t.shape == nil {
		return "complete"
	}
	var numbers []string
	for _, i := range t.numbers {
		numbers = append(numbers, strconv.FormatInt(i, 10))
	}
	if numbers == nil {
		return t.shape.Name
	}
	return t.shape.Name + "(" + strings.Join(numbers, ",") + ")"
}

// Edges returns the edges between the vertices 1 to n, in ascending order. It fails if the shape has no graph
// with n vertices; the error lists the permitted numbers.
func (t Topology) Edges(n int, seed int64) ([]Edge, error) {
	if t.shape == nil {
		return complete(n, nil, 0)
	}
	edges, err := t.shape.edges(n, t.numbers, seed)
	if err != nil {
		return nil, fmt.Errorf("%s of %s: %w", t, text.Counted(n, "process", "processes"), err)
	}
	slices.SortFunc(edges, func(x, y Edge) int { return cmp.Or(cmp.Compare(x.A, y.A), cmp.Compare(x.B, y.B)) })
	return edges, nil
}

// Neighbours returns, for each vertex from 1 to n, its neighbours in ascending order.
func Neighbours(n int, edges []Edge) [][]int {
	lists := make([][]int, n+1)
	for _, e := range edges {
		lists[e.A] = append(lists[e.A], e.B)
		lists[e.B] = append(lists[e.B], e.A)
	}
	for _, list := range lists {
		slices.Sort(list)
	}
	return lists
}

// Connected reports whether a path leads from each vertex to every other.
func Connected(n int, edges []Edge) bool {
	if n < 2 {
		return true
	}
	neighbours := Neighbours(n, edges)
	reached, visit := make([]bool, n+1), []int{1}
	reached[1] = true
	for i := 0; i < len(visit); i++ {
		for _, v := range neighbours[visit[i]] {
			if !reached[v] {
				reached[v] = true
				visit = append(visit, v)
			}
		}
	}
	return len(visit) == n
}
