package algorithm_test

import (
	"testing"

	"etrace/record/algorithm"
)

// The amount follows from the parameter, from the limit, or from both.
func TestAmount(t *testing.T) {
	limit := algorithm.Limit{Doc: "fewer than half"}
	for want, tolerance := range map[string]algorithm.Tolerance{
		"f": {Param: "f"}, "fewer than half": {Most: limit}, "f, fewer than half": {Param: "f", Most: limit},
	} {
		if got := tolerance.Amount(); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

// Fewer than half, or a third, of n processes may be faulty: 2f+1 or 3f+1 processes tolerate f.
func TestLimits(t *testing.T) {
	for f := range 5 {
		for _, c := range []struct {
			limit algorithm.Limit
			n     int
		}{
			{algorithm.LessThanHalf, 2*f + 1},
			{algorithm.LessThanHalf, 2*f + 2},
			{algorithm.LessThanAThird, 3*f + 1},
			{algorithm.LessThanAThird, 3*f + 3},
		} {
			if got := c.limit.Of(c.n); got != f {
				t.Errorf("%s of %d: %d, want %d", c.limit.Doc, c.n, got, f)
			}
		}
	}
}

// A parameter counts up to the possible limit.
func TestTolerance(t *testing.T) {
	tolerance := algorithm.Tolerance{Param: "f", Most: algorithm.LessThanAThird}
	for _, c := range []struct {
		f    string
		want int64
	}{{"most", 2}, {"1", 1}, {"0", 0}, {"3", 2}} {
		if got := tolerance.Limit(algorithm.Values{"f": c.f}, 7); got != c.want {
			t.Errorf("f=%s of 7: %d, want %d", c.f, got, c.want)
		}
	}
	unlimited := algorithm.Tolerance{Most: algorithm.All, Source: "the text"}
	if got := unlimited.Limit(nil, 7); got != 7 {
		t.Errorf("any number of 7: %d", got)
	}
	if err := (&algorithm.Algorithm{Name: "toy", New: faulty().New, Tolerates: []algorithm.Tolerance{unlimited}}).Check(); err != nil {
		t.Errorf("any number: %v", err)
	}
	if err := (&algorithm.Algorithm{Name: "toy", New: faulty().New, Tolerates: []algorithm.Tolerance{tolerance}}).Check(); err == nil {
		t.Error("a tolerance without a source is let through")
	}
}
