package sweep_test

import (
	"slices"
	"testing"

	"etrace/analyze/complexity"
	"etrace/tracefmt"
)

// TestMeanOverOrders: the published mean of Chang and Roberts is over the orders of the
// ring, so it is beside a cell of all or of drawn orders, and beside no other.
func TestMeanOverOrders(t *testing.T) {
	isMean := func(c complexity.Compared) bool { return c.Bound.KindOf() == tracefmt.MeanCase }
	for order, want := range map[string]bool{"all": true, "random": true, "increasing": false, "decreasing": false, "": false} {
		words := []string{"algorithm", "chang-roberts", "nodes", "4", "start", "all"}
		if order != "" {
			words = append(words, "order", order)
		}
		if got := slices.ContainsFunc(table(t, axes(t, words...)).Cells[0].Theory, isMean); got != want {
			t.Errorf("order %q: a published mean is beside it: %v, want %v", order, got, want)
		}
	}
}
