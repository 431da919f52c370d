package property_test

import (
	"slices"
	"strconv"
	"testing"

	"pgregory.net/rapid"

	"etrace/analyze"
	"etrace/fixtures/size"
	"etrace/tracefmt"
)

// restWithin decides termination-within(T): nothing but notes after T, and at the
// end of the run nothing that could still happen.
func (o oracle) restWithin(bound tracefmt.Time) judgement {
	late := slices.ContainsFunc(o.events, func(e tracefmt.Event) bool { return e.Kind != tracefmt.Note && e.Time > bound })
	notes := !slices.ContainsFunc(o.events, func(e tracefmt.Event) bool { return e.Kind != tracefmt.Note })
	switch {
	case late:
		return judgement{analyze.Violated, 1}
	case notes:
		return judgement{analyze.Vacuous, 0}
	case o.quiescent():
		return judgement{analyze.Satisfied, 0}
	}
	return judgement{analyze.Pending, 0}
}

func TestTerminationOracle(t *testing.T) {
	seen := map[analyze.Verdict]int{}
	size.Check(t, 200, 1000, 1000, func(t *rapid.T) { // of a hundred runs each
		m := drawRun(t)
		bound := rapid.IntRange(0, 30).Draw(t, "T")
		r := check(t, m, true, "termination-within("+strconv.Itoa(bound)+")").Results[0]
		want := oracle{m.Run(), events(m)}.restWithin(tracefmt.Time(bound) * tracefmt.Unit)
		if got := (judgement{r.Verdict, r.Violations}); got != want {
			t.Fatalf("got %v (%s), the oracle says %v", got, r.Explanation, want)
		}
		seen[r.Verdict]++
	})
	for _, v := range []analyze.Verdict{analyze.Violated, analyze.Vacuous, analyze.Satisfied, analyze.Pending} {
		if seen[v] == 0 && !t.Failed() {
			t.Errorf("no run drawn for which it is %s: %v", v, seen)
		}
	}
}
