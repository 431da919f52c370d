package whatif_test

import (
	"context"
	"fmt"
	"testing"

	"etrace/analyze/experiment/whatif"
	"etrace/analyze/property"
	"etrace/fixtures/size"
	"etrace/record/scenario"
	"etrace/replay/rerun"
	"etrace/tracefmt"
)

// BenchmarkContrast compares and checks a run of 200,000 events with one in which a message is lost.
func BenchmarkContrast(b *testing.B) { size.Processes(b, benchmarkContrast) }

func benchmarkContrast(b *testing.B, n int) {
	run := func(edit string) *tracefmt.Memory {
		s, err := scenario.Parse(
			"long",
			fmt.Appendf(
				nil,
				"{algorithm: bully-wikipedia, nodes: %d, down: %[1]d, start: all, drop: 'Victory:*>*', "+
					"delay: 'uniform(0.9,1.1)', max-events: 200000%s}",
				n, edit,
			),
		)
		if err != nil {
			b.Fatal(err)
		}
		rec, err := rerun.Record(context.Background(), s)
		if err != nil {
			b.Fatal(err)
		}
		return rec
	}
	before, after := run(""), run(", edit: drop m9000")
	for b.Loop() {
		if _, err := whatif.NewContrast(before, after, property.Builtin().Default()); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64((before.Len()+after.Len())*b.N)/b.Elapsed().Seconds(), "events/s")
}
