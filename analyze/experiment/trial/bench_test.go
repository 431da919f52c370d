package trial_test

import (
	"fmt"
	"testing"

	"etrace/analyze"
	"etrace/analyze/experiment/trial"
	"etrace/analyze/property"
	"etrace/fixtures/growth"
)

// BenchmarkRunner is a run of Chang-Roberts on a ring of 32 in an order that the seed
// draws, all starting: some 460 events. It is simulated and counted, and not kept. The
// goal is 100 us of CPU time for a run, 300 us with three properties, and that two
// workers make 1.8 times as many in the same time. CPU time, cpu-us/op, is what a shared
// machine can measure; the goal of two workers shows in ns/op on one that is idle.
func BenchmarkRunner(b *testing.B) {
	checks := []string{"election-safety", "election-liveness", "single-leader"}
	for _, bench := range []struct {
		name   string
		checks []string
	}{{"count", nil}, {"three properties", checks}} {
		for workers := 1; workers <= 2; workers++ {
			b.Run(fmt.Sprintf("%s/workers=%d", bench.name, workers), func(b *testing.B) {
				properties, err := property.Builtin().Named(bench.checks...)
				if err != nil {
					b.Fatal(err)
				}
				benchmarkRuns(b, workers, properties)
			})
		}
	}
}

// benchmarkRuns makes b.N runs, a batch of seeds at a time, each worker with a runner.
func benchmarkRuns(b *testing.B, workers int, properties []*analyze.Property) {
	const batch = 100
	s := parsed(b, "ring", "{algorithm: chang-roberts, ids: shuffle(32), start: all}")
	idle := make(chan *trial.Runner, workers)
	for range workers {
		idle <- trial.NewRunner(properties, analyze.Options{Named: true})
	}
	b.ReportAllocs()
	b.ResetTimer()
	before := growth.CPU(b)
	trial.Workers{Number: workers}.Each(b.Context(), (b.N+batch-1)/batch, func(i int) {
		r, own := <-idle, *s
		defer func() { idle <- r }()
		for seed := i * batch; seed < min(b.N, (i+1)*batch); seed++ {
			own.Seed = int64(seed)
			counted, err := r.Run(b.Context(), &own)
			if err != nil || counted.Totals().Delivered == 0 {
				b.Error(err, "nothing is delivered")
			}
		}
	})
	b.ReportMetric(float64((growth.CPU(b)-before).Nanoseconds())/1e3/float64(b.N), "cpu-us/op")
}
