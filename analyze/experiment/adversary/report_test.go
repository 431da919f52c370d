package adversary

import (
	"testing"

	"etrace/analyze/complexity"
	"etrace/analyze/experiment/sweep"
	"etrace/tracefmt"
)

// TestPublished: a worst case beyond a published bound is marked as breaking it.
func TestPublished(t *testing.T) {
	bound := &tracefmt.Bound{Messages: "2*n"}
	for want, c := range map[string]complexity.Compared{
		"at most 8 [a]":            {Bound: bound, Value: 8, Measured: 9},
		"at most 8 (counts 7) [a]": {Bound: bound, Value: 8, Measured: 7},
		"at most 8 [a] BROKEN":     {Bound: bound, Value: 8, Measured: 9, Kept: complexity.Broken},
	} {
		r := &Result{Value: 9, Theory: []complexity.Compared{c}}
		if got := r.published(new(sweep.Legend)); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
	if got := new(Result).published(new(sweep.Legend)); got != "none" {
		t.Errorf("%q, want none", got)
	}
}
