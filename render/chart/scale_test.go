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
