package explain

import (
	"context"
	"testing"

	"etrace/analyze"
)

// BenchmarkViolation explains the last event of a run of a million events,
// whose causal past is nearly all of it.
func BenchmarkViolation(b *testing.B) {
	const events = 1_000_000
	rec := chatter(events / 2)
	report, err := analyze.Check(rec, []*analyze.Property{fewSends(events/2 - 1)}, analyze.Options{})
	if err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	for b.Loop() {
		if _, err := Violation(context.Background(), rec, report.Results[0], report.Ending, Options{}); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/events, "ns/event")
}

// BenchmarkShrink looks for the hundred sends that a property needs among
// five thousand events.
func BenchmarkShrink(b *testing.B) {
	rec := chatter(2500)
	report, err := analyze.Check(rec, []*analyze.Property{fewSends(99)}, analyze.Options{})
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		if _, err := Violation(context.Background(), rec, report.Results[0], report.Ending, Options{}); err != nil {
			b.Fatal(err)
		}
	}
}
