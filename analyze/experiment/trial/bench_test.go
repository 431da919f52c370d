package trial_test

import (
	"fmt"
	"testing"

	"etrace/analyze"
	"etrace/analyze/experiment/trial"
	"etrace/analyze/property"
	"etrace/fixtures/growth"
)

// BenchmarkRunner runs Chang-Roberts on a ring of 32 processes in an order drawn from the seed. All processes
// start, which makes about 460 events. The run is counted and discarded. The goals are 100 us of CPU time for a
// run, 300 us with three properties, and 1.8 times as many runs with two workers. CPU time (cpu-us/op) can be
// measured on a busy machine; the goal of two workers needs ns/op on an idle one.
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
		r, copied := <-idle, *s
		defer func() { idle <- r }()
		for seed := i * batch; seed < min(b.N, (i+1)*batch); seed++ {
			copied.Seed = int64(seed)
			counted, err := r.Run(b.Context(), &copied)
			if err != nil || counted.Totals().Delivered == 0 {
				b.Error(err, "nothing is delivered")
			}
		}
	})
	b.ReportMetric(float64((growth.CPU(b)-before).Nanoseconds())/1e3/float64(b.N), "cpu-us/op")
}
