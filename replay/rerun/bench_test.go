package rerun_test

import (
	"context"
	"testing"

	"etrace/record/algorithm/builtin"
	"etrace/replay/rerun"
	"etrace/tracefmt"
)

// long is a run of many events: elections that follow each other without end.
func long(b *testing.B) *tracefmt.Memory {
	b.Helper()
	return record(b, "{algorithm: bully-wikipedia, nodes: 8, down: 8, start: all, drop: 'Victory:*>*', delay: 'uniform(0.9,1.1)', max-events: 200000}")
}

// BenchmarkConform: the goal is 100,000 events per second.
func BenchmarkConform(b *testing.B) {
	rec := long(b)
	if rec.Len() < 200_000 {
		b.Fatalf("%d events", rec.Len())
	}
	b.ReportAllocs()
	for b.Loop() {
		r, err := rerun.Conform(context.Background(), builtin.Algorithms(), rec, "bully-wikipedia", nil, 0)
		if err != nil || !r.Conforms() {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(rec.Len()*b.N)/b.Elapsed().Seconds(), "events/s")
}

func BenchmarkRank(b *testing.B) {
	rec := long(b)
	for b.Loop() {
		if _, err := rerun.Rank(context.Background(), builtin.Algorithms(), rec, nil, 0); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(rec.Len()*b.N)/b.Elapsed().Seconds(), "events/s")
}

func BenchmarkVerify(b *testing.B) {
	rec := long(b)
	for b.Loop() {
		if d := verify(b, rec); d != nil {
			b.Fatal(d.Differences)
		}
	}
	b.ReportMetric(float64(rec.Len()*b.N)/b.Elapsed().Seconds(), "events/s")
}
