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
	drawn := verdicts{}
	size.Check(t, 40, 200, 2_000, func(t *rapid.T) {
		m := drawRun(t)
		bound := rapid.IntRange(0, 30).Draw(t, "T")
		r := check(t, m, true, "termination-within("+strconv.Itoa(bound)+")").Results[0]
		want := oracle{m.Run(), events(m)}.restWithin(tracefmt.Time(bound) * tracefmt.Unit)
		if got := (judgement{r.Verdict, r.Violations}); got != want {
			t.Fatalf("got %v (%s), the oracle says %v", got, r.Explanation, want)
		}
		drawn.add(r)
	})
	drawn.expect(t, "termination-within", analyze.Violated, analyze.Vacuous, analyze.Satisfied, analyze.Pending)
}
