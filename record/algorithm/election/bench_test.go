package election_test

import (
	"context"
	"testing"

	"etrace/record/sim"
	"etrace/tracefmt"
)

type counting struct{ events int64 }

func (c *counting) Write(*tracefmt.Event) error {
	c.events++
	return nil
}

// BenchmarkRun is a whole run of an algorithm, recorded by a sink that keeps
// nothing, in ns per event. The benchmarks of record/sim take a step apart.
func BenchmarkRun(b *testing.B) {
	for _, bench := range []struct {
		name, algorithm string
		pairs           []string
	}{
		// 499 ELECTIONs from the lowest, ... : some 250,000 messages.
		{"bully/worst/n=500", "bully", []string{"nodes", "500", "down", "500", "start", "1"}},
		// N(N+1)/2 + N: some 500,000 messages.
		{"chang-roberts/all/decreasing/n=1000", "chang-roberts", []string{"ids", decreasing(1000), "start", "all"}},
		{"chang-roberts/all/increasing/n=1000", "chang-roberts", []string{"nodes", "1000", "start", "all"}},
	} {
		b.Run(bench.name, func(b *testing.B) {
			c, _, err := scenarioOf(b, bench.algorithm, bench.pairs...).Simulation()
			if err != nil {
				b.Fatal(err)
			}
			c.MaxEvents = 10_000_000
			sink := &counting{}
			b.ReportAllocs()
			for b.Loop() {
				if r, err := sim.Run(context.Background(), c, sink); err != nil || r.End != tracefmt.Quiescent {
					b.Fatal(r, err)
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(sink.events), "ns/event")
		})
	}
}

func decreasing(n int) string {
	ids := sequence(n)
	for i := range ids {
		ids[i] = n - i
	}
	return list(ids)
}
