package snapshot_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"etrace/fixtures/interaction"
	"etrace/record/algorithm/snapshot"
	"etrace/tracefmt"
)

// The laws that theory states of the snapshots, compared with runs: each number follows
// from the rule and from the graph, which is drawn here edge by edge.

var sizes = []int{2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 16, 25}

// graph is a connected graph of the processes 1 to n.
type graph struct {
	name  string
	n     int
	edges [][2]int
}

// graphs returns some graphs of n processes.
func graphs(n int) []graph {
	complete, line, star, wheel := graph{"complete", n, nil}, graph{"line", n, nil}, graph{"star", n, nil}, graph{"line with chords", n, nil}
	for p := 1; p <= n; p++ {
		for q := p + 1; q <= n; q++ {
			complete.edges = append(complete.edges, [2]int{p, q})
			if q == p+1 {
				line.edges = append(line.edges, [2]int{p, q})
			}
			if p == 1 {
				star.edges = append(star.edges, [2]int{p, q})
			}
			if q == p+1 || q == p+3 {
				wheel.edges = append(wheel.edges, [2]int{p, q})
			}
		}
	}
	return []graph{complete, line, star, wheel}
}

// eccentricity is the greatest distance from the nearest of these to any process.
func (g graph) eccentricity(from []int) int {
	reached := slices.Clone(from)
	for far := 0; ; far++ {
		next := slices.Clone(reached)
		for _, e := range g.edges {
			for i, p := range e {
				if q := e[1-i]; slices.Contains(reached, p) && !slices.Contains(next, q) {
					next = append(next, q)
				}
			}
		}
		if len(next) == len(reached) {
			return far
		}
		reached = next
	}
}

func (g graph) String() string {
	edges := make([]string, len(g.edges))
	for i, e := range g.edges {
		edges[i] = fmt.Sprintf("%d-%d", e[0], e[1])
	}
	return fmt.Sprintf("nodes: %d, edges: '%s'", g.n, strings.Join(edges, ","))
}

// run runs an algorithm on a graph; more is the rest of the scenario.
func run(t interaction.T, algorithm string, g graph, more string) (*watched, *interaction.Totals) {
	t.Helper()
	m := interaction.Record(t, "algorithm: %s, %v%s", algorithm, g, more)
	return watch(m), interaction.Count(m)
}

// initiators are sets of those who start.
func initiators(n int) [][]int {
	numbers := make([]int, n)
	for i := range numbers {
		numbers[i] = i + 1
	}
	return [][]int{{1}, {(n + 1) / 2}, {1, n}, numbers}
}

// starts returns the starts of the listed processes at an instant.
func starts(at string, list []int) string {
	texts := make([]string, len(list))
	for i, p := range list {
		texts[i] = fmt.Sprintf("%d@%s", p, at)
	}
	return ", start: [" + strings.Join(texts, ", ") + "]"
}

// Chandy and Lamport: 2E markers, however many start. With unit delays the last process
// records after the greatest distance from those who start, and the last part is complete one later.
func TestMarkers(t *testing.T) {
	for _, n := range sizes {
		for _, g := range graphs(n) {
			for _, from := range initiators(n) {
				label := fmt.Sprintf("%s of %d, %v", g.name, n, from)
				w, c := run(t, "chandy-lamport", g, starts("1.5", from))
				if c.ByType["MARKER"] != 2*len(g.edges) || c.ByType["MONEY"] != 3*n {
					t.Errorf("%s: %d MARKER and %d MONEY, want %d and %d", label, c.ByType["MARKER"], c.ByType["MONEY"], 2*len(g.edges), 3*n)
				}
				expectCut(t, label, w)
				var recorded, complete tracefmt.Time
				for _, p := range w.parts {
					recorded, complete = max(recorded, w.m.At(p.recorded).Time), max(complete, w.m.At(p.complete).Time)
				}
				begun, far := 3*tracefmt.Unit/2, tracefmt.Time(g.eccentricity(from))*tracefmt.Unit
				if recorded != begun+far || complete != begun+far+tracefmt.Unit {
					t.Errorf("%s: the last records at %v and completes at %v, "+
						"want %v and %v", label, recorded, complete, begun+far, begun+far+tracefmt.Unit)
				}
			}
		}
	}
}

// expectCut checks a snapshot that is to be complete.
func expectCut(t interface{ Errorf(string, ...any) }, label string, w *watched) {
	if !w.isComplete() || len(w.orphans) > 0 || w.sum() != 100*int64(len(w.parts)) {
		t.Errorf("%s: %swant a whole snapshot of %d", label, w, 100*len(w.parts))
	}
}

// Lai and Yang: no message beside the computation's own. With as many payments as it takes
// each process has one with the bit: the snapshot is complete. On the complete graph each pays
// everybody after it has recorded.
func TestNoControlMessages(t *testing.T) {
	for _, n := range sizes {
		for _, g := range graphs(n) {
			for _, from := range initiators(n) {
				label := fmt.Sprintf("%s of %d, %v", g.name, n, from)
				w, c := run(t, "lai-yang", g, starts("1.5", from))
				if c.Sent != 3*n {
					t.Errorf("%s: %d messages, want %d", label, c.Sent, 3*n)
				}
				if len(w.orphans) > 0 {
					t.Errorf("%s: %s", label, w)
				}
				if n > 12 {
					continue // the bit takes up to n payments for each hop
				}
				pays := n * (g.eccentricity(from) + 1)
				w, _ = run(t, "lai-yang", g, starts("1.5", from)+fmt.Sprintf(", params: {pays: %d}", pays))
				expectCut(t, fmt.Sprintf("%s, %d payments", label, pays), w)
			}
		}
	}
}

// ownLaws are the laws of each algorithm for any delays.
var ownLaws = map[string]func(t interface{ Errorf(string, ...any) }, label string, g graph, w *watched, c *interaction.Totals){
	"chandy-lamport": func(t interface{ Errorf(string, ...any) }, label string, g graph, w *watched, c *interaction.Totals) {
		if c.ByType["MARKER"] != 2*len(g.edges) {
			t.Errorf("%s: %d MARKER, want %d", label, c.ByType["MARKER"], 2*len(g.edges))
		}
		expectCut(t, label, w)
	},
	"lai-yang": func(t interface{ Errorf(string, ...any) }, label string, _ graph, w *watched, c *interaction.Totals) {
		if len(w.orphans) > 0 || c.ByType["MONEY"] != c.Sent {
			t.Errorf("%s: %s", label, w)
		}
		if w.isComplete() {
			expectCut(t, label, w)
		}
	},
}

// For any delays, and with channels that reorder where the algorithm needs no others.
func TestForAnyDelays(t *testing.T) {
	for _, a := range snapshot.All() {
		t.Run(a.Name, func(t *testing.T) {
			expectOwn, known := ownLaws[a.Name]
			if !known {
				t.Fatalf("ownLaws has no row for %s: what holds of it for any delays?", a.Name)
			}
			rapid.Check(t, func(t *rapid.T) {
				n := rapid.SampledFrom(sizes).Draw(t, "n")
				g := rapid.SampledFrom(graphs(n)).Draw(t, "graph")
				from := rapid.SampledFrom(initiators(n)).Draw(t, "initiators")
				more := starts(rapid.SampledFrom([]string{"0", "0.5", "1.5", "2", "9"}).Draw(t, "start"), from) +
					fmt.Sprintf(", params: {pays: %d}, delay: '%s', seed: %d", rapid.IntRange(1, 12).Draw(t, "pays"),
						rapid.SampledFrom([]string{"uniform(0.1,5)", "exponential(1)", "1"}).Draw(t, "delay"), rapid.IntRange(0, 1<<20).Draw(t, "seed"))
				if !a.FIFO {
					more += ", reorder: " + rapid.SampledFrom([]string{"on", "off"}).Draw(t, "reorder")
				}
				w, c := run(t, a.Name, g, more)
				expectOwn(t, fmt.Sprint(g, more), g, w, c)
			})
		})
	}
}
