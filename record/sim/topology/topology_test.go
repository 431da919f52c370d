package topology_test

import (
	"math/bits"
	"reflect"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"etrace/record/sim/topology"
)

// graph returns the edges and the lists of neighbours of a topology, and fails unless the graph is simple and
// its edges are in order.
func graph(t rapid.TB, s string, n int) ([]topology.Edge, [][]int) {
	t.Helper()
	top, err := topology.Parse(s)
	if err != nil {
		t.Fatal(err)
	}
	edges, err := top.Edges(n, 1)
	if err != nil {
		t.Fatal(err)
	}
	for i, e := range edges {
		if e.A < 1 || e.A >= e.B || e.B > n {
			t.Fatalf("%s of %d: edge %v", s, n, e)
		}
		if i > 0 && (edges[i-1].A > e.A || edges[i-1].A == e.A && edges[i-1].B >= e.B) {
			t.Fatalf("%s of %d: %v before %v", s, n, edges[i-1], e)
		}
	}
	return edges, topology.Neighbours(n, edges)
}

// distances returns the lengths of the shortest paths from a vertex, -1 for no
// path.
func distances(neighbours [][]int, from int) []int {
	d := make([]int, len(neighbours))
	for v := range d {
		d[v] = -1
	}
	d[from] = 0
	for queue := []int{from}; len(queue) > 0; queue = queue[1:] {
		for _, v := range neighbours[queue[0]] {
			if d[v] < 0 {
				d[v] = d[queue[0]] + 1
				queue = append(queue, v)
			}
		}
	}
	return d
}

// degrees counts the vertices of each degree.
func degrees(neighbours [][]int) map[int]int {
	count := map[int]int{}
	for _, list := range neighbours[1:] {
		count[len(list)]++
	}
	return count
}

// The laws that define each graph, and that it is connected.
func TestLaws(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 40).Draw(t, "n")
		for _, law := range []struct {
			name  string
			edges int
			holds func(neighbours [][]int) bool
		}{
			{"complete", n * (n - 1) / 2, func(g [][]int) bool { return degrees(g)[n-1] == n }},
			{"line", n - 1, func(g [][]int) bool { return distances(g, 1)[n] == n-1 }},
			{"star", n - 1, func(g [][]int) bool { return len(g[1]) == n-1 }},
			{"tree", n - 1, func(g [][]int) bool { // the place i has the depth floor(log2 i)
				for v, d := range distances(g, 1)[1:] {
					if d != bits.Len(uint(v+1))-1 {
						return false
					}
				}
				return true
			}},
		} {
			edges, neighbours := graph(t, law.name, n)
			if len(edges) != law.edges || !law.holds(neighbours) || !topology.Connected(n, edges) {
				t.Errorf("%s of %d: %v", law.name, n, edges)
			}
		}
	})
}

// A ring is connected and everybody has two neighbours: that is a ring. Of two
// processes it is one edge, of one none.
func TestRing(t *testing.T) {
	for n, want := range map[int]int{1: 0, 2: 1, 3: 3, 4: 4, 17: 17} {
		edges, neighbours := graph(t, "ring", n)
		if len(edges) != want || !topology.Connected(n, edges) || n > 2 && degrees(neighbours)[2] != n {
			t.Errorf("ring of %d: %v", n, edges)
		}
	}
}

// A full grid of r rows and w columns has 2rw - r - w edges, and its distances
// are those of Manhattan: so have short last rows, as long as the way goes up.
func TestGrid(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w, r := rapid.IntRange(1, 8).Draw(t, "width"), rapid.IntRange(1, 8).Draw(t, "rows")
		n := w * r
		edges, neighbours := graph(t, "grid("+strconv.Itoa(w)+")", n)
		if len(edges) != 2*r*w-r-w {
			t.Errorf("grid %d x %d has %d edges", r, w, len(edges))
		}
		for v, d := range distances(neighbours, 1)[1:] {
			if d != v/w+v%w {
				t.Errorf("grid %d x %d: place %d is %d from the corner", r, w, v, d)
			}
		}
	})
	// 7 processes: rows of 3, the last one has a single process.
	edges, _ := graph(t, "grid", 7)
	if want := []topology.Edge{{1, 2}, {1, 4}, {2, 3}, {2, 5}, {3, 6}, {4, 5}, {4, 7}, {5, 6}}; !reflect.DeepEqual(edges, want) {
		t.Errorf("grid of 7: %v, want %v", edges, want)
	}
}

// A torus has 2n edges, everybody has four neighbours, and the distance is the
// sum of the distances round both rings.
func TestTorus(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w, r := rapid.IntRange(3, 7).Draw(t, "width"), rapid.IntRange(3, 7).Draw(t, "rows")
		n := w * r
		edges, neighbours := graph(t, "torus("+strconv.Itoa(w)+")", n)
		if len(edges) != 2*n || degrees(neighbours)[4] != n {
			t.Errorf("torus %d x %d: %v", r, w, edges)
		}
		for v, d := range distances(neighbours, 1)[1:] {
			row, column := v/w, v%w
			if d != min(row, r-row)+min(column, w-column) {
				t.Errorf("torus %d x %d: place %d is %d from the first", r, w, v, d)
			}
		}
	})
	// There is a torus of n with rows of w exactly if n = w*r for w, r >= 3; by default w is the least that is not below r.
	for n := 1; n <= 60; n++ {
		chosen := ""
		for w := n; w >= -1; w-- {
			name := "torus(" + strconv.Itoa(w) + ")"
			possible := w >= 3 && n%w == 0 && n/w >= 3
			if possible && w >= n/w {
				chosen = name
			}
			if top, err := topology.Parse(name); err != nil {
				t.Fatal(err)
			} else if _, err := top.Edges(n, 0); (err == nil) != possible {
				t.Errorf("%s of %d: %v", name, n, err)
			}
		}
		top, err := topology.Parse("torus")
		if err != nil {
			t.Fatal(err)
		}
		switch got, err := top.Edges(n, 0); {
		case (err == nil) != (chosen != ""):
			t.Errorf("torus of %d: %v, want that of %q", n, err, chosen)
		case err == nil:
			if want, _ := graph(t, chosen, n); !reflect.DeepEqual(got, want) {
				t.Errorf("torus of %d: %v, want %s", n, got, chosen)
			}
		}
	}
	// By default 12 is 3 rows of 4.
	square, _ := graph(t, "torus", 12)
	if rows, _ := graph(t, "torus(4)", 12); !reflect.DeepEqual(square, rows) {
		t.Errorf("torus of 12: %v", square)
	}
}

// The distance in a hypercube is that of Hamming.
func TestHypercube(t *testing.T) {
	for k := range 7 {
		n := 1 << k
		edges, neighbours := graph(t, "hypercube", n)
		if len(edges) != n*k/2 || degrees(neighbours)[k] != n {
			t.Errorf("hypercube of %d: %v", n, edges)
		}
		for from := 1; from <= n; from++ {
			for v, d := range distances(neighbours, from)[1:] {
				if d != bits.OnesCount(uint(v^(from-1))) {
					t.Fatalf("hypercube of %d: %d and %d are %d apart", n, from-1, v, d)
				}
			}
		}
	}
}

// A random regular graph is regular and connected, and the same for a seed.
func TestRandomRegular(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(2, 30).Draw(t, "n")
		var valid []int // degrees of a connected graph
		for d := 1; d < n; d++ {
			if d*n%2 == 0 && (d > 1 || n == 2) {
				valid = append(valid, d)
			}
		}
		d := rapid.SampledFrom(valid).Draw(t, "d")
		seed := rapid.Int64Range(0, 1000).Draw(t, "seed")
		top, err := topology.Parse("random-regular(" + strconv.Itoa(d) + ")")
		if err != nil {
			t.Fatal(err)
		}
		edges, err := top.Edges(n, seed)
		if err != nil {
			t.Fatal(err)
		}
		if degrees(topology.Neighbours(n, edges))[d] != n || !topology.Connected(n, edges) {
			t.Errorf("%d neighbours each of %d: %v", d, n, edges)
		}
		if again, _ := top.Edges(n, seed); !reflect.DeepEqual(edges, again) {
			t.Errorf("the same seed gives %v and %v", edges, again)
		}
	})
}

// On 6 labelled vertices there are 15 graphs with four neighbours each, the
// complements of the perfect matchings, and 70 with three: 10 ways to split them
// for K(3,3), and 60 prisms. All come up.
func TestRandomRegularReachesAll(t *testing.T) {
	for s, want := range map[string]int{"random-regular(4)": 15, "random-regular(3)": 70} {
		top, err := topology.Parse(s)
		if err != nil {
			t.Fatal(err)
		}
		seen := map[string]bool{}
		for seed := range int64(2000) {
			edges, err := top.Edges(6, seed)
			if err != nil {
				t.Fatal(err)
			}
			key := ""
			for _, e := range edges {
				key += strconv.Itoa(10*e.A + e.B)
			}
			seen[key] = true
		}
		if len(seen) != want {
			t.Errorf("%s of 6 processes: %d graphs, want %d", s, len(seen), want)
		}
	}
}

// A parsed text is written as before; a seed of its own wins over that of the run.
func TestParse(t *testing.T) {
	for input, want := range map[string]string{
		"ring": "ring", "complete": "complete", "grid( 4 )": "grid(4)", "random-regular(3, 7)": "random-regular(3,7)",
	} {
		top, err := topology.Parse(input)
		if err != nil || top.String() != want {
			t.Errorf("%q: %v, %v, want %s", input, top, err, want)
		}
		if top.Complete() != (want == "complete") {
			t.Errorf("%q: complete %v", input, top.Complete())
		}
	}
	seeded, _ := topology.Parse("random-regular(3,7)")
	unseeded, _ := topology.Parse("random-regular(3)")
	x, _ := seeded.Edges(10, 1)
	y, _ := unseeded.Edges(10, 7)
	if !reflect.DeepEqual(x, y) {
		t.Errorf("seed 7: %v and %v", x, y)
	}
}

func TestErrors(t *testing.T) {
	for input, want := range map[string]string{
		"rind":              `unknown topology "rind"`,
		"ring(3)":           `"ring(3)": expected ring`,
		"grid(":             `"grid(": expected grid[(W)]`,
		"grid(a)":           "expected grid[(W)]",
		"random-regular":    "expected random-regular(D[,SEED])",
		"random-regular()":  "expected random-regular(D[,SEED])",
		"grid(1,2)":         "expected grid[(W)]",
		"grid(0)":           "grid(0) of 7 processes: rows of 0, expected 1 to 7",
		"grid(8)":           "rows of 8, expected 1 to 7",
		"torus":             "torus of 7 processes: expected a rectangle of at least 3 by 3",
		"torus(0)":          "rows of 0, expected full rows and columns of at least 3",
		"torus(7)":          "rows of 7, expected full rows and columns of at least 3",
		"hypercube":         "hypercube of 7 processes: expected 1, 2, 4, 8, 16, ... processes",
		"random-regular(3)": "3 neighbours each, expected less than 7, and an even number of ends in all",
		"random-regular(8)": "8 neighbours each",
		"random-regular(0)": "0 neighbours each do not connect them",
	} {
		top, err := topology.Parse(input)
		if err == nil {
			_, err = top.Edges(7, 0)
		}
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", input, err, want)
		}
	}
	top, err := topology.Parse("random-regular(4)")
	if err == nil {
		_, err = top.Edges(4, 0) // as many neighbours as processes
	}
	if err == nil || !strings.Contains(err.Error(), "4 neighbours each, expected less than 4") {
		t.Errorf("of 4 processes: %v", err)
	}
}

func TestEveryShapeIsDocumented(t *testing.T) {
	for _, s := range topology.Shapes.All() {
		if s.Doc == "" || !strings.HasPrefix(s.Usage(), s.Name) {
			t.Errorf("%s: %q, %q", s.Name, s.Usage(), s.Doc)
		}
	}
}
