package sweep_test

import (
	"context"
	"testing"

	"etrace/analyze/experiment/sweep"
)

// BenchmarkSweep makes runs of a ring of 32 in which all start, in memory.
func BenchmarkSweep(b *testing.B) {
	g := axes(b, "algorithm", "chang-roberts", "nodes", "32", "order", "random", "start", "all")
	g.Seeds = int64(max(b.N, 2))
	p, err := g.Plan()
	if err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	b.ResetTimer()
	if _, err := p.Run(context.Background(), sweep.Options{Workers: 1}); err != nil {
		b.Fatal(err)
	}
}
