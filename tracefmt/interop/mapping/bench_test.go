package mapping_test

import (
	"bufio"
	"context"
	"fmt"
	"strings"
	"testing"

	"etrace/tracefmt"
	"etrace/tracefmt/interop"
	"etrace/tracefmt/interop/logs"
	"etrace/tracefmt/interop/mapping"
)

// BenchmarkRead reads logs of 100,000 lines in each form, beside a bare scanner of lines: in
// lines a second.
func BenchmarkRead(b *testing.B) {
	const lines = 100_000
	forms := []struct{ name, mapping, send, receive string }{
		{"text", election, "n%d: send ELECTION to n%d\n", "n%d: got ELECTION from n%d\n"},
		{
			"json", `
lines: json
process: ${node}
time: {from: '${time}', layout: unix-ms}
events:
  - {when: {event: send}, send: '${type}', to: '${peer}', content: '${type}'}
  - {when: {event: receive}, receive: '${type}', from: '${peer}', content: '${type}'}
`, `{"level":"debug","time":1700000000123,"node":"n%d","event":"send","type":"ELECTION","peer":"n%d"}` + "\n",
			`{"level":"debug","time":1700000000124,"node":"n%d","event":"receive","type":"ELECTION","peer":"n%d"}` + "\n",
		},
	}
	for _, form := range forms {
		var log strings.Builder
		for i := range lines / 2 {
			fmt.Fprintf(&log, form.send, i%5, (i+1)%5)
			fmt.Fprintf(&log, form.receive, (i+1)%5, i%5)
		}
		b.Run(form.name, func(b *testing.B) {
			parsed, err := mapping.Parse("map.yaml", []byte(form.mapping))
			if err != nil {
				b.Fatal(err)
			}
			format := interop.Format{Name: "map", Read: parsed.Read, Detect: logs.Format.Detect}
			for b.Loop() {
				input, err := interop.NewInput("log", strings.NewReader(log.String()))
				if err != nil {
					b.Fatal(err)
				}
				if _, err := interop.Import(context.Background(), format, input, tracefmt.Discard{}, interop.Settings{}); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(b.N)*lines/b.Elapsed().Seconds(), "lines/s")
		})
		b.Run(form.name+", scanned", func(b *testing.B) {
			for b.Loop() {
				for s := bufio.NewScanner(strings.NewReader(log.String())); s.Scan(); {
					_ = s.Text()
				}
			}
			b.ReportMetric(float64(b.N)*lines/b.Elapsed().Seconds(), "lines/s")
		})
	}
}
