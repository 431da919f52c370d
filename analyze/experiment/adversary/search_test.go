package adversary_test

import (
	"context"
	"fmt"
	"math"
	"slices"
	"testing"

	"etrace/analyze/experiment/adversary"
	"etrace/fixtures/size"
	"etrace/record/scenario"
)

func parse(t testing.TB, format string, a ...any) *scenario.Scenario {
	t.Helper()
	s, err := scenario.Parse("test", fmt.Appendf(nil, format, a...))
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func search(t *testing.T, s *scenario.Scenario, o adversary.Options) *adversary.Result {
	t.Helper()
	r, err := adversary.Search(context.Background(), s, o)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// rings has the published numbers of messages of algorithms whose processes all start, over all orders of n
// processes: the minimum, the maximum, and whether these are reached.
var rings = []struct {
	algorithm, measure string
	lower, upper       func(n int) int64
	exactLeast, exact  bool
	proven, provenLong int
}{
	// Chang and Roberts: the greatest id makes n hops, and each other one at least the one
	// to its successor and at most those to the next greater id: n + (n-1), and 1 + 2 + ... + n.
	{
		"chang-roberts", "type.election", func(n int) int64 { return int64(2*n - 1) },
		func(n int) int64 { return int64(n * (n + 1) / 2) }, true, true, 6, 9,
	},
	// Le Lann: every id goes round.
	{"le-lann", "messages", func(n int) int64 { return int64(n * n) }, func(n int) int64 { return int64(n * n) }, true, true, 6, 9},
	// Franklin: a round of 2n for each halving of the active processes, one of the last
	// alone, and n of elected: at least one halving round, since there are several at first.
	{
		"franklin", "messages", func(n int) int64 { return int64(5 * n) },
		func(n int) int64 { return int64(2*n*log2(n) + 3*n) }, true, true, 5, 9,
	},
	// Peterson: the same with one round of n for the last.
	{
		"peterson", "messages", func(n int) int64 { return int64(4 * n) },
		func(n int) int64 { return int64(2*n*log2(n) + 2*n) }, true, true, 5, 9,
	},
	// Hirschberg and Sinclair: phase 0 alone is 2n probes, and elected is n more.
	{"hirschberg-sinclair", "messages", func(n int) int64 { return int64(3 * n) }, func(n int) int64 {
		return int64(8 * n * (1 + int(math.Ceil(math.Log2(float64(n))))))
	}, false, false, 5, 8},
}

func log2(n int) int { return int(math.Log2(float64(n))) }

// TestRings: over all orders of small rings the adversary finds the published extremes, proves them, and never
// exceeds a published bound.
func TestRings(t *testing.T) {
	for _, c := range rings {
		for n := 2; n <= size.Pick(4, c.proven, c.provenLong); n++ {
			s := parse(t, "algorithm: %s\nids: 1-%d\nstart: all", c.algorithm, n)
			largest := search(t, s, adversary.Options{Measure: c.measure, Orders: true})
			smallest := search(t, s, adversary.Options{Measure: c.measure, Orders: true, Minimize: true})
			t.Logf("%s, n = %d: %s from %d to %d, published %d", c.algorithm, n, c.measure, smallest.Value, largest.Value, c.upper(n))
			// A published bound need not be reached, except where the row has exact.
			switch {
			case !largest.Proven || !smallest.Proven || largest.Certified != largest.AllRings:
				t.Errorf("%s, n = %d: not proven: %s", c.algorithm, n, largest.Doubt)
			case largest.Value > c.upper(n) || c.exact && largest.Value != c.upper(n):
				t.Errorf("%s, n = %d: %s at most %d, published %d", c.algorithm, n, c.measure, largest.Value, c.upper(n))
			case smallest.Value < c.lower(n) || c.exactLeast && smallest.Value != c.lower(n):
				t.Errorf("%s, n = %d: %s at least %d, want %d", c.algorithm, n, c.measure, smallest.Value, c.lower(n))
			}
		}
	}
}

// TestNames: what the processes are called, and where the ring begins, changes nothing.
func TestNames(t *testing.T) {
	for _, c := range rings {
		value := func(ids string, orders bool) int64 {
			return search(
				t, parse(t, "algorithm: %s\nids: '%s'\nstart: all", c.algorithm, ids),
				adversary.Options{Measure: c.measure, Orders: orders},
			).Value
		}
		if a, b := value("1-5", true), value("70,3,12,700,5", true); a != b {
			t.Errorf("%s: at most %d, with other ids %d", c.algorithm, a, b)
		}
		if a, b := value("3,1,4,5,2", false), value("5,2,3,1,4", false); a != b {
			t.Errorf("%s: %d, on the ring turned round %d", c.algorithm, a, b)
		}
	}
}

// TestClimb: beyond the limit of runs the adversary climbs. It never finds more than there is,
// finds it on rings as small as these, calls it no proof, and the workers decide nothing.
func TestClimb(t *testing.T) {
	for _, c := range rings[:size.Pick(1, 2, len(rings))] {
		s := parse(t, "algorithm: %s\nids: 1-6\nstart: all", c.algorithm)
		proven := search(t, s, adversary.Options{Measure: c.measure, Orders: true})
		var seen [2]*adversary.Result
		for i := range seen {
			seen[i] = search(t, s, adversary.Options{Measure: c.measure, Orders: true, MaxRuns: 119, Workers: 1 + 3*i})
		}
		switch {
		case seen[0].Proven || seen[0].Known() != "largest seen":
			t.Errorf("%s: a climb is called %s", c.algorithm, seen[0].Known())
		case seen[0].Value != proven.Value:
			t.Errorf("%s: climbed to %d, there is %d", c.algorithm, seen[0].Value, proven.Value)
		case seen[0].Value != seen[1].Value || !slices.Equal(seen[0].Scenario.IDs, seen[1].Scenario.IDs) || seen[0].Runs != seen[1].Runs:
			t.Errorf(
				"%s: one worker finds %d on %v, four %d on %v", c.algorithm, seen[0].Value,
				seen[0].Scenario.IDs, seen[1].Value, seen[1].Scenario.IDs,
			)
		}
	}
}

// TestClimbSchedules: where the schedule matters and there are too many, what the climb finds
// is no more than there is, and no proof.
func TestClimbSchedules(t *testing.T) {
	s := parse(t, "algorithm: franklin\nids: 4,2,3,1\nstart: all")
	for _, minimize := range []bool{false, true} {
		proven := search(t, s, adversary.Options{Measure: "depth", Minimize: minimize})
		seen := search(t, s, adversary.Options{Measure: "depth", Minimize: minimize, MaxRuns: 40})
		beyond := seen.Value > proven.Value
		if minimize {
			beyond = seen.Value < proven.Value
		}
		if !proven.Proven || seen.Proven || beyond {
			t.Errorf(
				"minimize %v: gone through %d (proven %v), climbed to %d (proven %v)", minimize,
				proven.Value, proven.Proven, seen.Value, seen.Proven,
			)
		}
	}
}
