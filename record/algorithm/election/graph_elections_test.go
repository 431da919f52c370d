package election_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"

	"etrace/fixtures/size"
	"etrace/record/sim/topology"
	"etrace/tracefmt"
)

// graphs are graphs of n processes for n up to 12: some trees, some not.
func graphs(t *testing.T, n int) map[string][]topology.Edge {
	t.Helper()
	list := map[string][]topology.Edge{}
	for _, shape := range []string{"line", "star", "tree", "ring", "grid", "complete"} {
		s, err := topology.Parse(shape)
		if err != nil {
			t.Fatal(err)
		}
		if edges, err := s.Edges(n, 1); err == nil {
			list[shape] = edges
		}
	}
	return list
}

func edgeList(edges []topology.Edge) string {
	var parts []string
	for _, e := range edges {
		parts = append(parts, fmt.Sprintf("%d-%d", e.A, e.B))
	}
	return strings.Join(parts, ",")
}

// A single wave passes each edge twice: 2E messages, whatever the graph, who starts, and
// the delays. Its initiator is the only leader.
func TestEchoOneWave(t *testing.T) {
	for n := 2; n <= size.Pick(4, 7, 12); n++ {
		for shape, edges := range graphs(t, n) {
			for starter := 1; starter <= n; starter++ {
				for i, delay := range asynchronous {
					m, c := mustRun(
						t, "echo", "nodes", fmt.Sprint(n), "edges", edgeList(edges), "start", fmt.Sprint(starter),
						"delay", delay, "seed", fmt.Sprint(i+1),
					)
					if c.Sent != 2*len(edges) || m.Run().End != tracefmt.Quiescent || !slices.Equal(leaders(m), []string{fmt.Sprint(starter)}) {
						t.Errorf("%s of %d, %d starts: %d messages, leaders %v, "+
							"%s, want 2*%d", shape, n, starter, c.Sent, leaders(m), m.Run().End, len(edges))
					}
				}
			}
		}
	}
}

// Of several waves that of the greatest initiator is the only one to come back: exactly
// one leader, for every set of starters, at least 2E messages and at most 2E for each
// wave. With elected-pass=on everybody hears of it, by a flood of 2E-n+1 messages.
func TestEchoExtinction(t *testing.T) {
	for n := 2; n <= size.Pick(4, 5, 6); n++ {
		for shape, edges := range graphs(t, n) {
			for set := 1; set < 1<<n; set++ {
				var starters []string
				for p := 1; p <= n; p++ {
					if set&(1<<(p-1)) != 0 {
						starters = append(starters, fmt.Sprint(p))
					}
				}
				winner, e := starters[len(starters)-1], len(edges)
				m, c := mustRun(t, "echo", "nodes", fmt.Sprint(n), "edges", edgeList(edges), "start", strings.Join(starters, ","),
					"param", "elected-pass=on", "delay", asynchronous[set%2], "seed", fmt.Sprint(set))
				waves, label := c.ByType["wave"], fmt.Sprintf("%s of %d, starts %v", shape, n, starters)
				// Smaller waves die early or late, by the delays; the winning wave costs exactly 2E.
				if waves < 2*e || waves > 2*e*len(starters) || c.ByType["elected"] != 2*e-n+1 {
					t.Errorf("%s: %v, E = %d", label, c.ByType, e)
				}
				if !slices.Equal(leaders(m), []string{winner}) || c.unanimous() != winner || m.Run().End != tracefmt.Quiescent {
					t.Errorf("%s: leaders %v, elected %v, %s", label, leaders(m), c.elected(), m.Run().End)
				}
			}
		}
	}
}

// On every tree of up to 6 processes and larger drawn ones, whoever starts and whatever
// the delays: 2(N-1) wakeups, N tokens, N-2 results, together 4N-4, and everybody
// decides once, for the greatest.
func TestTreeElection(t *testing.T) {
	for n := 2; n <= size.Pick(4, 5, 6); n++ {
		for code := range pow(n, n-2) {
			expectTree(t, n, pruefer(n, code), code)
		}
	}
	random := rand.New(rand.NewPCG(6, 6))
	for n := 7; n <= 64; n += 3 {
		expectTree(t, n, pruefer(n, random.IntN(1<<30)), n)
	}
}

func pow(base, exponent int) int {
	power := 1
	for range exponent {
		power *= base
	}
	return power
}

// pruefer returns the tree of a Prüfer code, which is given as a number to the base n.
func pruefer(n, number int) (edges []topology.Edge) {
	code, degree := make([]int, n-2), make([]int, n+1)
	for i := range code {
		code[i], number = number%n+1, number/n
		degree[code[i]]++
	}
	join := func(a, b int) { edges = append(edges, topology.Edge{A: min(a, b), B: max(a, b)}) }
	for _, p := range code {
		leaf := 1
		for degree[leaf] != 0 {
			leaf++
		}
		join(leaf, p)
		degree[leaf]--
		degree[p]--
	}
	var last []int
	for p := 1; p <= n; p++ {
		if degree[p] == 0 {
			last = append(last, p)
		}
	}
	join(last[0], last[1])
	return edges
}

func expectTree(t *testing.T, n int, edges []topology.Edge, seed int) {
	t.Helper()
	starts := []string{"all", fmt.Sprint(seed%n + 1), fmt.Sprintf("%d,%d@2.5", seed%n+1, (seed+1)%n+1)}
	for i, delay := range append(asynchronous, "1") {
		m, c := mustRun(
			t, "tree-election", "nodes", fmt.Sprint(n), "edges", edgeList(edges), "start", starts[(seed+i)%3],
			"delay", delay, "seed", fmt.Sprint(seed),
		)
		want := fmt.Sprint(map[string]int{"wakeup": 2 * (n - 1), "token": n, "result": n - 2})
		if n == 2 {
			want = fmt.Sprint(map[string]int{"wakeup": 2, "token": 2})
		}
		label := fmt.Sprintf("tree %s, start %s", edgeList(edges), starts[(seed+i)%3])
		if got := fmt.Sprint(c.ByType); got != want || c.Sent != 4*n-4 {
			t.Errorf("%s: %s, want %s", label, got, want)
		}
		if !slices.Equal(leaders(m), []string{fmt.Sprint(n)}) || c.unanimous() != fmt.Sprint(n) ||
			!slices.Equal(decisions(m), slices.Repeat([]int{1}, n)) {
			t.Errorf("%s: leaders %v, elected %v, decisions %v", label, leaders(m), c.elected(), decisions(m))
		}
	}
}

// contender is what an active process has drawn in a round.
type contender struct{ place, id int }

// drawnIDs returns what was drawn in each round, in the order of the ring.
func drawnIDs(t *testing.T, m *tracefmt.Memory) [][]contender {
	t.Helper()
	n := len(m.Run().Members)
	id, round := make([]int, n+1), make([]int, n+1)
	var rounds [][]contender
	for e := range m.Events(1) {
		if e.Kind != tracefmt.State {
			continue
		}
		drawn := false
		for name, v := range map[string]*int{"id": &id[e.Process], "round": &round[e.Process]} {
			if value, ok := e.Field(name); ok {
				x, err := strconv.Atoi(string(value))
				if err != nil {
					t.Fatal(err)
				}
				*v, drawn = x, true
			}
		}
		if drawn { // a round always changes, an id need not
			if len(rounds) < round[e.Process] {
				rounds = append(rounds, nil)
			}
			at := &rounds[round[e.Process]-1]
			*at = append(*at, contender{m.Run().Members[e.Process-1].Position, id[e.Process]})
		}
	}
	for _, r := range rounds {
		slices.SortFunc(r, func(a, b contender) int { return a.place - b.place })
	}
	return rounds
}

// tokenHops is how far the token of a process goes in its round: to the next active one
// with a greater id, or round the ring.
func tokenHops(n int, round []contender, i int) int {
	for j := 1; j < len(round); j++ {
		if next := round[(i+j)%len(round)]; next.id > round[i].id {
			return (next.place - round[i].place + n) % n
		}
	}
	return n
}

// The processes with the greatest id of a round go on, until one is alone with it. Messages and leader depend
// only on the draws, not on delays or starts. Exactly one process leads, in every run.
func TestItaiRodeh(t *testing.T) {
	for n := 2; n <= 24; n += 1 + n/6 {
		for seed := range size.Pick(5, 20, 60) {
			k := []string{"n", "2", "3", "100"}[seed%4]
			start := []string{"all", "1", fmt.Sprintf("1,%d@3.5", n)}[seed%3]
			delay := append(asynchronous, "1")[seed%3]
			m, c := mustRun(t, "itai-rodeh", "nodes", fmt.Sprint(n), "start", start, "delay", delay, "seed", fmt.Sprint(seed), "param", "K="+k)
			label := fmt.Sprintf("n = %d, K = %s, seed %d", n, k, seed)
			expectItaiRodeh(t, label, n, m, c)
		}
	}
}

func expectItaiRodeh(t *testing.T, label string, n int, m *tracefmt.Memory, c *totals) {
	t.Helper()
	rounds := drawnIDs(t, m)
	sent, going := 0, n
	for _, round := range rounds {
		if len(round) != going {
			t.Errorf("%s: %d draw in a round, want %d: %v", label, len(round), going, rounds)
		}
		greatest := slices.MaxFunc(round, func(a, b contender) int { return a.id - b.id })
		going = 0
		for i, x := range round {
			sent += tokenHops(n, round, i)
			if x.id == greatest.id {
				going++
			}
		}
	}
	last := rounds[len(rounds)-1]
	winner := slices.MaxFunc(last, func(a, b contender) int { return a.id - b.id })
	want := []string{m.Run().Members[winner.place-1].Name}
	if going != 1 || !slices.Equal(leaders(m), want) || m.Run().End != tracefmt.Quiescent {
		t.Errorf("%s: leaders %v, %s, want %v", label, leaders(m), m.Run().End, want)
	}
	if c.Sent != sent || sent < 2*n-1 {
		t.Errorf("%s: %d messages, want %d, and at least 2n-1", label, c.Sent, sent)
	}
}

// With one id to draw from, no process is ever alone with it. Without randomness the run never ends, which a
// loop proves. Each round equals the one before with the number of the round counted up.
func TestItaiRodehNeverEnds(t *testing.T) {
	m, _ := mustRun(t, "itai-rodeh", "nodes", "3", "start", "all", "param", "K=1")
	last := m.At(tracefmt.Seq(m.Len()))
	if len(leaders(m)) != 0 || m.Run().End != tracefmt.Stopped || last.Type != tracefmt.LoopNote {
		t.Errorf("leaders %v, %s after %+v", leaders(m), m.Run().End, last)
	}
}

// Of two processes with K = 2 a round decides with probability 1/2, whoever they are: of
// 1000 runs each leads in 500, standard deviation 16, and 2 rounds on average, with
// standard deviation sqrt(2)/sqrt(1000) = 0.045. Five times that are allowed.
func TestItaiRodehIsFair(t *testing.T) {
	leads, rounds := 0, 0
	for seed := range 1000 {
		m, _ := mustRun(t, "itai-rodeh", "nodes", "2", "start", "all", "seed", fmt.Sprint(seed))
		rounds += len(drawnIDs(t, m))
		if slices.Equal(leaders(m), []string{"1"}) {
			leads++
		}
	}
	if leads < 420 || leads > 580 || rounds < 1775 || rounds > 2225 {
		t.Errorf("1 leads in %d runs, %d rounds, want 500 and 2000, about", leads, rounds)
	}
}
