package sweep_test

import (
	"context"
	"fmt"
	"math/big"
	"strings"
	"testing"

	"etrace/analyze/experiment/sweep"
	"etrace/fixtures/size"
	"etrace/record/scenario"
)

// axes returns a grid with axes, given as name and value by turns.
func axes(t testing.TB, words ...string) *sweep.Grid {
	t.Helper()
	g := &sweep.Grid{Base: &scenario.Scenario{}}
	for i := 0; i < len(words); i += 2 {
		if err := g.Add(words[i], words[i+1]); err != nil {
			t.Fatalf("%s %s: %v", words[i], words[i+1], err)
		}
	}
	return g
}

func table(t testing.TB, g *sweep.Grid) *sweep.Table {
	t.Helper()
	p, err := g.Plan()
	if err != nil {
		t.Fatal(err)
	}
	table, err := p.Run(context.Background(), sweep.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return table
}

// TestChangRobertsMean: over all (n-1)! orders of the ring, when every process
// starts, the probes are n*H(n) in the mean: the probe of the k-th largest id comes
// n/k far in the mean (Chang and Roberts 1979). The worst order has n(n+1)/2, the
// best 2n-1.
func TestChangRobertsMean(t *testing.T) {
	largest := size.Pick(6, 7, 8)
	g := axes(t, "algorithm", "chang-roberts", "nodes", fmt.Sprintf("2..%d", largest), "order", "all", "start", "all")
	g.Measures = []string{"type.election"}
	runs := int64(1)
	for i, c := range table(t, g).Cells {
		n := int64(i + 2)
		if runs *= max(n-1, 1); c.Runs != runs || !c.Exact() {
			t.Errorf("n = %d: %d runs, exact %v, want all %d", n, c.Runs, c.Exact(), runs)
		}
		want := new(big.Rat)
		for k := int64(1); k <= n; k++ {
			want.Add(want, big.NewRat(n, k))
		}
		probes := c.Measures[0]
		if probes.Mean().Cmp(want) != 0 {
			t.Errorf("n = %d: a mean of %s probes, want %s", n, probes.Mean(), want)
		}
		if probes.Max != n*(n+1)/2 || probes.Min != 2*n-1 {
			t.Errorf("n = %d: %d to %d probes, want %d to %d", n, probes.Min, probes.Max, 2*n-1, n*(n+1)/2)
		}
	}
}

// TestPlanText: a plan lists its cells with the number of their runs, and no measure, since there are no results.
func TestPlanText(t *testing.T) {
	g := axes(t, "algorithm", "bully", "nodes", "3..4", "start", "each")
	g.Measures = []string{"messages"}
	p, err := g.Plan()
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	if err := p.WriteText(&b); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(b.String(), "2 cells, 7 runs") || strings.Contains(b.String(), "messages") {
		t.Errorf("got\n%s\nwant 2 cells, 7 runs, and no measure", b.String())
	}
}
