package chart

import "testing"

// TestOnlyWholes: an axis of counts has whole labels only, one with a part between has others, too.
func TestOnlyWholes(t *testing.T) {
	for _, test := range []struct {
		values []float64
		want   bool
	}{{[]float64{1, 2, 5}, true}, {[]float64{1, 2.5, 5}, false}} {
		if s := newScale(test.values, true, 0, 1); s.onlyWholes != test.want {
			t.Errorf("%v: only whole numbers %v, want %v", test.values, s.onlyWholes, test.want)
		}
	}
}

// TestAxisOfOneValue: an axis begins at 0 where its only value is 0, and the value of any axis is on it.
func TestAxisOfOneValue(t *testing.T) {
	for value, low := range map[float64]float64{0: 0, 1: 0, 21: 18.9, -3: -4} {
		s := newScale([]float64{value}, true, 0, 1)
		s.widen(false)
		if s.low != low || s.high <= value {
			t.Errorf("%v: the axis is from %v to %v, want %v to more than the value", value, s.low, s.high, low)
		}
	}
}
