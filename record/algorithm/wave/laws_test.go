package wave_test

import (
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"etrace/fixtures/interaction"
	"etrace/record/sim/topology"
	"etrace/tracefmt"
)

// sizes are how many processes the laws are compared with.
var sizes = []int{2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 16, 25}

// asynchronous is plans in which messages take any time, and overtake each other.
var asynchronous = []string{"delay: 'uniform(0,3)'", "delay: exponential(1), reorder: on", "delay: 'uniform(0,9)', reorder: on"}

type graph []topology.Edge

// shaped are the graphs of these shapes that there are with n processes.
func shaped(t *testing.T, n int, shapes ...string) (graphs []graph) {
	t.Helper()
	for _, shape := range shapes {
		s, err := topology.Parse(shape)
		if err != nil {
			t.Fatal(err)
		}
		if edges, err := s.Edges(n, 1); err == nil {
			graphs = append(graphs, edges)
		}
	}
	return graphs
}

// drawTree draws a tree of n processes: each but the first is joined to one of lower id.
func drawTree(t *rapid.T, n int) (g graph) {
	for p := 2; p <= n; p++ {
		g = append(g, topology.Edge{A: rapid.IntRange(1, p-1).Draw(t, "joined to"), B: p})
	}
	return g
}

// drawGraph draws a connected graph: a tree with further edges.
func drawGraph(t *rapid.T, n int) graph {
	g := drawTree(t, n)
	joined := map[topology.Edge]bool{}
	for _, e := range g {
		joined[e] = true
	}
	for range rapid.IntRange(0, 2*n).Draw(t, "more") {
		e := topology.Edge{A: rapid.IntRange(1, n).Draw(t, "a"), B: rapid.IntRange(1, n).Draw(t, "b")}
		if e.A < e.B && !joined[e] {
			joined[e] = true
			g = append(g, e)
		}
	}
	return g
}

func (g graph) String() string {
	parts := make([]string, len(g))
	for i, e := range g {
		parts[i] = fmt.Sprintf("%d-%d", e.A, e.B)
	}
	return strings.Join(parts, ",")
}

// distances are those from p, of the processes 1 to n.
func (g graph) distances(p, n int) []int {
	far := make([]int, n+1)
	for q := range far {
		far[q] = n
	}
	far[p] = 0
	for range n {
		for _, e := range g {
			far[e.A], far[e.B] = min(far[e.A], far[e.B]+1), min(far[e.B], far[e.A]+1)
		}
	}
	return far[1:]
}

// eccentricity returns the distance of the farthest process from p. crossed is true if two neighbours are both
// so far away.
func (g graph) eccentricity(p, n int) (far int, crossed bool) {
	distances := g.distances(p, n)
	for _, d := range distances {
		far = max(far, d)
	}
	for _, e := range g {
		crossed = crossed || distances[e.A-1] == far && distances[e.B-1] == far
	}
	return far, crossed
}

func (g graph) diameter(n int) (far int) {
	for p := 1; p <= n; p++ {
		from, _ := g.eccentricity(p, n)
		far = max(far, from)
	}
	return far
}

// quiet is a run that ends by itself.
func quiet(t interaction.T, algorithm string, n int, g graph, plan string) *tracefmt.Memory {
	t.Helper()
	m := interaction.Record(t, "algorithm: %s, nodes: %d, edges: '%s', %s", algorithm, n, g, plan)
	if end := m.Run().End; end != tracefmt.Quiescent {
		t.Fatalf("%s, %s: ends %s", g, plan, end)
	}
	return m
}

// uncovered returns a decision, and a process without an event before it by the messages of the run; 0 for
// none.
func uncovered(m *tracefmt.Memory) (at tracefmt.Seq, p tracefmt.ProcessID) {
	n := len(m.Run().Members)
	known := make([]map[tracefmt.ProcessID]bool, n+1)
	sent := map[tracefmt.MessageID]map[tracefmt.ProcessID]bool{}
	for q := range known {
		known[q] = map[tracefmt.ProcessID]bool{tracefmt.ProcessID(q): true}
	}
	for e := range m.Events(1) {
		before := known[e.Process]
		switch {
		case e.Kind == tracefmt.Send:
			sent[e.Message] = map[tracefmt.ProcessID]bool{}
			for q := range before {
				sent[e.Message][q] = true
			}
		case e.Kind == tracefmt.Receive:
			for q := range sent[e.Message] {
				before[q] = true
			}
		case e.Kind == tracefmt.Note && e.Type == "decide":
			for q := tracefmt.ProcessID(1); int(q) <= n; q++ {
				if !before[q] {
					return e.Seq, q
				}
			}
		}
	}
	return 0, 0
}

// expectEcho: 2E messages, one decision, that of the initiator, after all have taken part. With
// unit delays at 2e, or at 2e+1 if two processes that far away are neighbours; and the longest
// chain is as long.
func expectEcho(t interaction.T, n int, g graph, initiator int, plan string, unit bool) {
	t.Helper()
	m := quiet(t, "echo-wave", n, g, fmt.Sprintf("start: %d, %s", initiator, plan))
	c, label := interaction.Count(m), fmt.Sprintf("n = %d, edges %s, %d starts, %s", n, g, initiator, plan)
	if c.Sent != 2*len(g) {
		t.Fatalf("%s: %d messages, want 2*%d", label, c.Sent, len(g))
	}
	list := decisions(m)
	if len(list) != 1 || int(list[0].Process) != initiator {
		t.Fatalf("%s: decided: %v, want %d alone", label, decided(m), initiator)
	}
	if at, p := uncovered(m); at != 0 {
		t.Fatalf("%s: decision at seq %d before anything of %d", label, at, p)
	}
	far, crossed := g.eccentricity(initiator, n)
	want := 2 * far
	if crossed {
		want++
	}
	if unit && (list[0].Time != tracefmt.Time(want)*tracefmt.Unit || c.Depth != want) {
		t.Fatalf("%s: decided %v, depth %d, want %d", label, decided(m), c.Depth, want)
	}
}

func TestEchoWave(t *testing.T) {
	for _, n := range sizes {
		for _, g := range shaped(t, n, "line", "star", "tree", "ring", "grid", "hypercube", "complete") {
			for initiator := 1; initiator <= n; initiator += 1 + n/16 {
				expectEcho(t, n, g, initiator, "delay: 1", true)
				expectEcho(t, n, g, initiator, fmt.Sprintf("%s, seed: %d", asynchronous[(n+initiator)%3], initiator), false)
			}
		}
	}
}

func TestEchoWaveAnywhere(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.SampledFrom(sizes).Draw(t, "n")
		g, initiator := drawGraph(t, n), rapid.IntRange(1, n).Draw(t, "initiator")
		expectEcho(t, n, g, initiator, "delay: 1", true)
		expectEcho(t, n, g, initiator, drawDelays(t), false)
	})
}

func drawDelays(t *rapid.T) string {
	return fmt.Sprintf("%s, seed: %d", rapid.SampledFrom(asynchronous).Draw(t, "delays"), rapid.IntRange(0, 999).Draw(t, "seed"))
}

// expectTree: one token of each process, and exactly two decide, which are neighbours, after
// all have taken part. With unit delays the last one does at floor(D/2)+1, and the longest
// chain is as long.
func expectTree(t interaction.T, n int, g graph, plan string, unit bool) {
	t.Helper()
	m := quiet(t, "tree-wave", n, g, plan)
	c, label := interaction.Count(m), fmt.Sprintf("n = %d, edges %s, %s", n, g, plan)
	senders := map[tracefmt.ProcessID]bool{}
	for e := range m.Events(1) {
		if e.Kind == tracefmt.Send {
			senders[e.Process] = true
		}
	}
	if c.Sent != n || len(senders) != n {
		t.Fatalf("%s: %d messages of %d, want one of each", label, c.Sent, len(senders))
	}
	list := decisions(m)
	if len(list) != 2 || !g.joins(int(list[0].Process), int(list[1].Process)) {
		t.Fatalf("%s: decided: %v, want two neighbours", label, decided(m))
	}
	if at, p := uncovered(m); at != 0 {
		t.Fatalf("%s: decision at seq %d before anything of %d", label, at, p)
	}
	want := g.diameter(n)/2 + 1
	if unit && (list[1].Time != tracefmt.Time(want)*tracefmt.Unit || c.Depth != want) {
		t.Fatalf("%s: decided %v, depth %d, want %d", label, decided(m), c.Depth, want)
	}
}

func (g graph) joins(p, q int) bool {
	for _, e := range g {
		if e.A == p && e.B == q || e.A == q && e.B == p {
			return true
		}
	}
	return false
}

func TestTreeWave(t *testing.T) {
	for _, n := range sizes {
		for i, g := range shaped(t, n, "line", "star", "tree") {
			expectTree(t, n, g, "delay: 1", true)
			expectTree(t, n, g, fmt.Sprintf("%s, seed: %d", asynchronous[(n+i)%3], n), false)
		}
	}
}

func TestTreeWaveAnywhere(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.SampledFrom(sizes).Draw(t, "n")
		g := drawTree(t, n)
		expectTree(t, n, g, "delay: 1", true)
		expectTree(t, n, g, drawDelays(t), false)
	})
}

// On a graph with a cycle no process decides, and those of the cycle send nothing.
func TestTreeWaveOnACycle(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(3, 12).Draw(t, "n")
		g := drawGraph(t, n)
		if len(g) == n-1 {
			return
		}
		m := quiet(t, "tree-wave", n, g, drawDelays(t))
		if len(decisions(m)) != 0 || interaction.Count(m).Sent > n-3 {
			t.Fatalf("edges %s: %d messages, decided %v", g, interaction.Count(m).Sent, decided(m))
		}
	})
}
