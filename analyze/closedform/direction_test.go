package closedform

import "testing"

// TestSmallFall: a fit of large counts may fall by a rounding error, not by more, where the counts rise.
func TestSmallFall(t *testing.T) {
	samples := []sample{{n: 2, value: 1e6}, {n: 4, value: 1.001e6}, {n: 8, value: 1.002e6}}
	for _, test := range []struct {
		slope float64
		falls bool
	}{{-1e-4, false}, {-1, true}} {
		f := &Fit{terms: []int{0, linear}, factors: []float64{1e6, test.slope}}
		if got := f.misbehaviour("n", samples); (got != "") != test.falls {
			t.Errorf("slope %v: %q, want that it falls: %v", test.slope, got, test.falls)
		}
	}
}
