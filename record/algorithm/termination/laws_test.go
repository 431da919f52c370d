package termination_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"etrace/fixtures/interaction"
	"etrace/record/algorithm/termination"
	"etrace/tracefmt"
)

// The laws that theory states of the detectors, compared with runs: each number follows
// from the rule, and what has ended is seen by an onlooker of the whole run.

var sizes = []int{2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 16, 25}

// plan is the base computation of a run.
type plan struct {
	n, fan, height int
	starts         []int
}

func (pl plan) String() string {
	starts := strings.ReplaceAll(fmt.Sprint(pl.starts), " ", ", ")
	return fmt.Sprintf("nodes: %d, start: %s, params: {fan: %d, height: %d", pl.n, starts, pl.fan, pl.height)
}

// work is M = fan + fan^2 + ... + fan^height, for each start.
func (pl plan) work() int {
	sum, power := 0, 1
	for range pl.height {
		power *= pl.fan
		sum += power
	}
	return sum * len(pl.starts)
}

// run runs a detector in a plan; more holds further params and keys of the scenario.
func run(t interaction.T, algorithm string, pl plan, params, more string) (*watched, *interaction.Totals) {
	t.Helper()
	m := interaction.Record(t, "algorithm: %s, %v%s}%s", algorithm, pl, params, more)
	return watch(m), interaction.Count(m)
}

// lawsOf are what holds for any delays: WORK is M, and the end is announced once, not early.
func lawsOf(t interface{ Errorf(string, ...any) }, label any, pl plan, w *watched, c *interaction.Totals) {
	if c.ByType["WORK"] != pl.work() || len(w.announced) != 1 || w.early != nil || w.m.Run().End != tracefmt.Quiescent {
		t.Errorf("%v: %d WORK, %send: %s, want %d WORK, and one announcement after the end", label, c.ByType["WORK"], w, w.m.Run().End, pl.work())
	}
}

// plans yields the computations of one start, and of all.
func plans(yield func(plan) bool) {
	for _, n := range sizes {
		for _, fan := range slices.Compact([]int{1, min(2, n-1), min(3, n-1)}) {
			for height := 1; height <= 3; height++ {
				numbers := make([]int, n)
				for i := range numbers {
					numbers[i] = i + 1
				}
				for _, starts := range [][]int{{1}, {n}, {(n + 1) / 2}, numbers} {
					if !yield(plan{n, fan, height, starts}) {
						return
					}
				}
			}
		}
	}
}

// Dijkstra and Scholten: as many SIGNAL as WORK, 2M in all.
func TestOneSignalForEachMessage(t *testing.T) {
	for pl := range plans {
		if len(pl.starts) > 1 {
			continue // one root
		}
		w, c := run(t, "dijkstra-scholten", pl, "", "")
		lawsOf(t, pl, pl, w, c)
		signalsOf(t, pl, pl, w, c)
	}
}

// Safra: n TOKEN in each round, and at most two rounds begin after the end. So with unit delays the
// announcement is at most three rounds after it.
func TestRoundsAfterTheEnd(t *testing.T) {
	for pl := range plans {
		w, c := run(t, "safra", pl, "", "")
		lawsOf(t, pl, pl, w, c)
		roundsOf(t, pl, pl, w, c)
		late := w.m.At(w.announced[0]).Time - w.m.At(w.ended).Time
		if late > tracefmt.Time(3*pl.n)*tracefmt.Unit {
			t.Errorf("%v: announced %v after the end, want 3n at most", pl, late)
		}
	}
}

// roundsOf checks that rounds are whole, and that at most two begin after the end.
func roundsOf(t interface{ Errorf(string, ...any) }, label any, pl plan, w *watched, c *interaction.Totals) {
	after := 0
	for e := range w.m.Events(max(w.ended, 1)) {
		if e.Kind == tracefmt.Send && e.Type == "TOKEN" && e.Process == 1 {
			after++
		}
	}
	if c.ByType["TOKEN"]%pl.n != 0 || after > 2 {
		t.Errorf(
			"%v: %d TOKEN, and %d rounds that begin after the end, want whole rounds of %d, and at most 2", label,
			c.ByType["TOKEN"], after, pl.n,
		)
	}
}

// Safra, nothing to do: one round.
func TestOneRoundIfThereIsNothingToDo(t *testing.T) {
	for _, n := range sizes {
		w, c := run(t, "safra", plan{n, 1, 1, []int{}}, "", "")
		if c.Sent != n || len(w.announced) != 1 || w.m.At(w.announced[0]).Time != tracefmt.Time(n)*tracefmt.Unit {
			t.Errorf("n = %d: %d messages, %s, want %d, announced at %d", n, c.Sent, w, n, n)
		}
	}
}

// signalsOf checks that there is one SIGNAL for each WORK.
func signalsOf(t interface{ Errorf(string, ...any) }, label any, pl plan, _ *watched, c *interaction.Totals) {
	if c.ByType["SIGNAL"] != pl.work() || c.Sent != 2*pl.work() {
		t.Errorf("%v: %d SIGNAL, %d in all, want %d and %d", label, c.ByType["SIGNAL"], c.Sent, pl.work(), 2*pl.work())
	}
}

// ownLaws are the laws of each detector for any delays, beside lawsOf.
var ownLaws = map[string]struct {
	manyStarts bool
	check      func(t interface{ Errorf(string, ...any) }, label any, pl plan, w *watched, c *interaction.Totals)
}{
	"dijkstra-scholten": {false, signalsOf},
	"safra":             {true, roundsOf},
}

// The same for any delays, with channels that are FIFO or not.
func TestForAnyDelays(t *testing.T) {
	for _, a := range termination.All() {
		t.Run(a.Name, func(t *testing.T) {
			laws, known := ownLaws[a.Name]
			if !known {
				t.Fatalf("ownLaws has no row for %s: what holds of it for any delays?", a.Name)
			}
			rapid.Check(t, func(t *rapid.T) {
				pl := plan{n: rapid.SampledFrom(sizes).Draw(t, "n"), height: rapid.IntRange(1, 4).Draw(t, "height")}
				pl.fan = rapid.IntRange(1, min(3, pl.n-1)).Draw(t, "fan")
				starts := rapid.Permutation(slices.Collect(func(yield func(int) bool) {
					for p := 1; p <= pl.n && yield(p); p++ {
					}
				})).Draw(t, "starts")
				pl.starts = starts[:1]
				if laws.manyStarts {
					pl.starts = starts[:rapid.IntRange(1, pl.n).Draw(t, "how many")]
				}
				params := fmt.Sprintf(", busy: %s", rapid.SampledFrom([]string{"0.25", "1", "3", "10"}).Draw(t, "busy"))
				more := fmt.Sprintf(", delay: '%s', reorder: %s, seed: %d",
					rapid.SampledFrom([]string{"uniform(0.1,5)", "exponential(1)", "1"}).Draw(t, "delay"),
					rapid.SampledFrom([]string{"on", "off"}).Draw(t, "reorder"),
					rapid.IntRange(0, 1<<20).Draw(t, "seed"))
				w, c := run(t, a.Name, pl, params, more)
				label := fmt.Sprint(pl, params, more)
				lawsOf(t, label, pl, w, c)
				laws.check(t, label, pl, w, c)
			})
		})
	}
}
