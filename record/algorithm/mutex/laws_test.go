package mutex_test

import (
	"encoding/json"
	"fmt"
	"math/big"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"etrace/fixtures/interaction"
	"etrace/record/algorithm/mutex"
	"etrace/tracefmt"
)

// Laws that no suite can express: means as exact fractions, orders of entries, and what holds in every run.

// sent counts the messages.
func sent(t interaction.T, format string, args ...any) int {
	t.Helper()
	return interaction.Count(interaction.Record(t, format, args...)).Sent
}

// harmonic is H(n) = 1 + 1/2 + ... + 1/n.
func harmonic(n int) *big.Rat {
	h := new(big.Rat)
	for i := 1; i <= n; i++ {
		h.Add(h, big.NewRat(1, int64(i)))
	}
	return h
}

// recursiveTrees yields the fathers of all trees on the ranks 1 to n in which that of rank k is
// one of 1 to k-1, the root being its own.
func recursiveTrees(n int, yield func(fathers []int)) {
	fathers := []int{1}
	var grow func()
	grow = func() {
		if len(fathers) == n {
			yield(fathers)
			return
		}
		for father := 1; father <= len(fathers); father++ {
			fathers = append(fathers, father)
			grow()
			fathers = fathers[:len(fathers)-1]
		}
	}
	grow()
}

// stirling is the number c(n, k) of permutations of n things with k cycles.
func stirling(n, k int) int {
	switch {
	case n == 0 && k == 0:
		return 1
	case n == 0 || k == 0:
		return 0
	}
	return stirling(n-1, k-1) + (n-1)*stirling(n-1, k)
}

// The mean over all (n-1)! recursive trees and all n requesters is H(n-1) messages, H(n)-1 of them REQUESTs; d
// of these are sent in c(n, d+1) of the n! cases. If the next requester differs from the last, the mean is
// n(H(n)-1)/(n-1) REQUESTs and one TOKEN.
func TestNaimiTrehelMean(t *testing.T) {
	for n := 2; n <= 6; n++ {
		messages, requests, tokens, cases := 0, 0, 0, 0
		paths := make([]int, n)
		recursiveTrees(n, func(fathers []int) {
			list := strings.Trim(strings.Join(strings.Fields(fmt.Sprint(fathers)), ","), "[]")
			for asker := 1; asker <= n; asker++ {
				c := interaction.Count(interaction.Record(t, `algorithm: naimi-trehel, nodes: %d, start: %d, params: {fathers: "%s"}`, n, asker, list))
				messages, requests, tokens, cases = messages+c.Sent, requests+c.ByType["REQUEST"], tokens+c.ByType["TOKEN"], cases+1
				paths[c.ByType["REQUEST"]]++
			}
		})
		if got := big.NewRat(int64(messages), int64(cases)); got.Cmp(harmonic(n-1)) != 0 {
			t.Errorf("n = %d: %v messages on average, want H(n-1) = %v", n, got, harmonic(n-1))
		}
		want := new(big.Rat).Sub(harmonic(n), big.NewRat(1, 1))
		if got := big.NewRat(int64(requests), int64(cases)); got.Cmp(want) != 0 {
			t.Errorf("n = %d: %v REQUESTs on average, want H(n)-1 = %v", n, got, want)
		}
		remaining := cases * (n - 1) / n // where the root asks there is no message
		want.Mul(want, big.NewRat(int64(n), int64(n-1)))
		if got := big.NewRat(int64(requests), int64(remaining)); got.Cmp(want) != 0 || tokens != remaining {
			t.Errorf("n = %d: %v REQUESTs on average if another one asks, and %d TOKENs in %d cases, want "+
				"n(H(n)-1)/(n-1) = %v, and one", n, got, tokens, remaining, want)
		}
		for d, got := range paths {
			if got != stirling(n, d+1) {
				t.Errorf("n = %d: %d of the cases have a path of %d, want c(%d, %d) = %d", n, got, d, n, d+1, stirling(n, d+1))
			}
		}
	}
}

// The mean over all holders and all who may ask: on the line twice the mean distance (n*n-1)/(3n),
// on the star 4(n-1)^2/n^2.
func TestRaymondMeans(t *testing.T) {
	for _, size := range sizes {
		n := int64(size)
		for tree, want := range map[string]*big.Rat{
			"line": big.NewRat(2*(n*n-1), 3*n), "star": big.NewRat(4*(n-1)*(n-1), n*n),
		} {
			total := 0
			for holder := range n {
				for asker := range n {
					total += sent(t, "algorithm: raymond, nodes: %d, start: %d, params: {tree: %s, holder: %d}", n, asker+1, tree, holder+1)
				}
			}
			if got := big.NewRat(int64(total), n*n); got.Cmp(want) != 0 {
				t.Errorf("%s of %d: %v messages on average, want %v", tree, n, got, want)
			}
		}
	}
}

// The first request after the star costs 2(n-1)/n on average: the star is no random tree.
func TestNaimiTrehelFirstOfAll(t *testing.T) {
	for _, n := range sizes {
		total := 0
		for asker := 1; asker <= n; asker++ {
			total += sent(t, "algorithm: naimi-trehel, nodes: %d, start: %d", n, asker)
		}
		if total != 2*(n-1) {
			t.Errorf("n = %d: %d messages for one request of each, want 2(n-1)", n, total)
		}
	}
}

// After all have entered one by one, a requester lacks the permissions of the processes that entered since its own
// entry: 2(k-1) messages for the k-th latest, n-1 on average. With Suzuki and Kasami the cost is n, except for
// the holder, which is n-1 on average as well. With a coordinator it is 3(n-1)/n.
func TestMeansOfTheNext(t *testing.T) {
	for _, n := range sizes {
		var starts []string
		for p := 1; p <= n; p++ {
			starts = append(starts, fmt.Sprintf("%d@%d", p, 20*p))
		}
		for algorithm, want := range map[string]int{
			"carvalho-roucairol": n * (n - 1), "suzuki-kasami": n * (n - 1), "central-mutex": 3 * (n - 1),
		} {
			once := fmt.Sprintf("algorithm: %s, nodes: %d, start: [%s", algorithm, n, strings.Join(starts, ", "))
			before, total := sent(t, "%s]", once), 0
			for p := 1; p <= n; p++ {
				more := sent(t, "%s, %d@%d]", once, p, 20*(n+1)) - before
				if algorithm == "carvalho-roucairol" && more != 2*(n-p) {
					t.Errorf("carvalho-roucairol, %d of %d: %d messages, want 2*%d", p, n, more, n-p)
				}
				total += more
			}
			if total != want {
				t.Errorf("%s of %d: %d messages for one request of each, want %d", algorithm, n, total, want)
			}
		}
	}
}

// drawPlan draws what happens to an algorithm: who asks when, how often, and how long messages
// take.
func drawPlan(t *rapid.T, algorithm string, n int) string {
	var starts []string
	for range rapid.IntRange(1, 2*n).Draw(t, "starts") {
		starts = append(starts, fmt.Sprintf("%d@%d", rapid.IntRange(1, n).Draw(t, "process"), rapid.IntRange(0, 12).Draw(t, "time")))
	}
	delay := rapid.SampledFrom([]string{"1", "exponential(1)", `"uniform(0.5,1.5)"`}).Draw(t, "delay")
	return fmt.Sprintf("algorithm: %s, nodes: %d, start: [%s], delay: %s, seed: %d, params: {repeat: %d, hold: %d}",
		algorithm, n, strings.Join(starts, ", "), delay, rapid.IntRange(1, 99).Draw(t, "seed"),
		rapid.IntRange(1, 3).Draw(t, "repeat"), rapid.IntRange(1, 3).Draw(t, "hold"))
}

// In every run with FIFO channels, for any delays: LOCKED = REQUEST + RELINQUISH, RELEASE = REQUEST,
// RELINQUISH <= INQUIRE, and FAIL + INQUIRE <= K an entry. So 6K-3 messages suffice for an entry, on average.
func TestMaekawaIdentities(t *testing.T) {
	inquiries := 0
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.SampledFrom([]int{4, 9}).Draw(t, "n") // square grids
		k := map[int]int{4: 3, 9: 5}[n]
		m := interaction.Record(t, "%s", drawPlan(t, "maekawa", n))
		c, entries := interaction.Count(m), len(entriesOf(m))
		byType := c.ByType
		inquiries += byType["INQUIRE"]
		switch {
		case m.Run().End != tracefmt.Quiescent || byType["REQUEST"] != entries*(k-1):
			t.Fatalf("%v, %d entries, end %s", byType, entries, m.Run().End)
		case byType["LOCKED"] != byType["REQUEST"]+byType["RELINQUISH"] ||
			byType["RELEASE"] != byType["REQUEST"] || byType["RELINQUISH"] > byType["INQUIRE"]:
			t.Fatalf("%v", byType)
		case byType["FAIL"]+byType["INQUIRE"] > k*entries || c.Sent > (6*k-3)*entries:
			t.Fatalf("%v for %d entries with K = %d", byType, entries, k)
		}
	})
	if inquiries == 0 {
		t.Error("no INQUIRE in any plan; the law was not put to the test")
	}
}

// entry is an entry into the critical section with the stamp of its request.
type entry struct {
	Process tracefmt.ProcessID
	Clock   int64
	ID      int64
}

// entriesOf are the entries of a run in their order, with the stamps as far as there are any.
func entriesOf(m *tracefmt.Memory) (entries []entry) {
	stamps := map[tracefmt.ProcessID]entry{}
	for e := range m.Events(1) {
		if value, ok := e.Field("stamp"); ok && e.Kind.AssignsVariables() {
			s := entry{Process: e.Process}
			if json.Unmarshal(value, &s) == nil {
				stamps[e.Process] = s
			}
		}
		if e.Kind == tracefmt.Note && e.Type == "enter" {
			s := stamps[e.Process]
			s.Process = e.Process
			entries = append(entries, s)
		}
	}
	return entries
}

func older(x, y entry) int {
	if x.Clock != y.Clock {
		return int(x.Clock - y.Clock)
	}
	return int(x.ID - y.ID)
}

// With Ricart and Agrawala's and Lamport's, entries are in ascending order of number and
// id, always, and with FIFO channels the others enter at most 2(n-1) times while one waits. Ricart and
// Agrawala's need none.
func TestEntriesInOrder(t *testing.T) {
	for _, algorithm := range []string{"lamport-mutex", "ricart-agrawala"} {
		t.Run(algorithm, func(t *testing.T) {
			rapid.Check(t, func(t *rapid.T) {
				n := rapid.SampledFrom(sizes[:11]).Draw(t, "n")
				reorders := algorithm == "ricart-agrawala" && rapid.Bool().Draw(t, "reorder")
				plan := drawPlan(t, algorithm, n)
				if reorders {
					plan += ", reorder: on"
				}
				m := interaction.Record(t, "%s", plan)
				if entries := entriesOf(m); len(entries) == 0 || !slices.IsSortedFunc(entries, older) {
					t.Fatalf("entries %v", entries)
				}
				if overtakes := bypassed(m); overtakes > 2*(n-1) && !reorders {
					t.Fatalf("%d entries of others while one waits, want at most %d", overtakes, 2*(n-1))
				}
			})
		})
	}
}

// bypassed is how often the others enter at most while a process waits.
func bypassed(m *tracefmt.Memory) (maximum int) {
	waiting := map[tracefmt.ProcessID]int{}
	for e := range m.Events(1) {
		switch {
		case e.Kind != tracefmt.Note:
		case e.Type == "request":
			waiting[e.Process] = 0
		case e.Type == "enter":
			delete(waiting, e.Process)
			for p := range waiting {
				waiting[p]++
				maximum = max(maximum, waiting[p])
			}
		}
	}
	return maximum
}

// M9: with Carvalho and Roucairol's, who has all permissions enters unheard: (1,2), (2,2), (2,1).
func TestEntriesOutOfOrder(t *testing.T) {
	entries := entriesOf(interaction.Record(t, "algorithm: carvalho-roucairol, nodes: 2, start: [2@8, 2@15, 1@34]"))
	want := []entry{{2, 1, 2}, {2, 2, 2}, {1, 2, 1}}
	if !slices.Equal(entries, want) || slices.IsSortedFunc(entries, older) {
		t.Errorf("entries %v, want %v", entries, want)
	}
}

// M26: the loop of an idle ring is one round of n hops.
func TestIdleRingLoops(t *testing.T) {
	for _, n := range sizes {
		m := interaction.Record(t, "algorithm: token-ring-mutex, nodes: %d", n)
		last := m.At(tracefmt.Seq(m.Len()))
		var from, end tracefmt.Seq
		if _, err := fmt.Sscanf(string(last.Payload), `{"from":%d,"to":%d}`, &from, &end); err != nil || last.Type != tracefmt.LoopNote {
			t.Fatalf("n = %d: %s %s, want a loop", n, last.Type, last.Payload)
		}
		hops := 0
		for seq := from + 1; seq <= end; seq++ {
			if m.At(seq).Kind == tracefmt.Receive {
				hops++
			}
		}
		if hops != n {
			t.Errorf("n = %d: the loop has %d hops", n, hops)
		}
	}
}

// endless are the algorithms whose runs have no end of their own; with drawn delays no loop is proven.
var endless = []string{"token-ring-mutex"}

// Every algorithm lets every process in, one at a time, with any delays, and without FIFO channels if it does
// not need them.
func TestEverybodyEnters(t *testing.T) {
	for _, a := range mutex.All() {
		t.Run(a.Name, func(t *testing.T) {
			rapid.Check(t, func(t *rapid.T) {
				n := rapid.IntRange(1, 6).Draw(t, "n")
				plan := drawPlan(t, a.Name, n)
				if !a.FIFO && rapid.Bool().Draw(t, "reorder") {
					plan += ", reorder: on"
				}
				goesOn := slices.Contains(endless, a.Name)
				if goesOn {
					plan += ", max-events: 5000"
				}
				m := interaction.Record(t, "%s", plan)
				requests, inside := 0, tracefmt.ProcessID(0)
				for e := range m.Events(1) {
					switch {
					case e.Kind != tracefmt.Note:
					case e.Type == "request":
						requests++
					case e.Type == "enter" && inside != 0:
						t.Fatalf("%s: %d enters while %d is inside", plan, e.Process, inside)
					case e.Type == "enter":
						inside = e.Process
					case e.Type == "exit":
						inside = 0
					}
				}
				if entries := len(entriesOf(m)); entries != requests || m.Run().End == tracefmt.Deadline && !goesOn {
					t.Fatalf("%s: %d requests, %d entries, end %s", plan, requests, entries, m.Run().End)
				}
			})
		})
	}
}
