package interop_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"etrace/fixtures/size"
	"etrace/tracefmt"
	"etrace/tracefmt/interop"
)

// discard counts nothing and keeps nothing.
type discard struct{}

func (discard) Begin(*tracefmt.Run) error   { return nil }
func (discard) Write(*tracefmt.Event) error { return nil }
func (discard) Finish(tracefmt.End) error   { return nil }

// BenchmarkBuilder reads a log of 100,000 lines: what the kit costs a line.
func BenchmarkBuilder(b *testing.B) { size.Processes(b, benchmarkBuilder) }

func benchmarkBuilder(b *testing.B, n int) {
	var log strings.Builder
	const lines = 100_000
	for i := range lines / 2 {
		from, to := i%n, (i+3)%n
		fmt.Fprintf(&log, "%d.5 n%d -> n%d PING\n%d.7 n%d <- n%d PING\n", i, from, to, i, to, from)
	}
	b.ReportAllocs()
	for b.Loop() {
		input, err := interop.NewInput("generated.log", strings.NewReader(log.String()))
		if err != nil {
			b.Fatal(err)
		}
		report, err := interop.Import(context.Background(), arrows, input, discard{}, interop.Settings{})
		if err != nil || report.Runs[0].Receives != lines/2 {
			b.Fatal(report.Runs[0].Counts(), err)
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/lines, "ns/line")
}
