package property_test

import (
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"etrace/analyze"
	"etrace/analyze/property"
	"etrace/fixtures/mask"
	"etrace/tracefmt"
)

// declarations are what a run may say of its record. The first says nothing, and is that of
// a simulated run, with which the others are compared.
var declarations = []struct{ name, source, tells string }{
	{"simulated", tracefmt.Simulated, ""},
	{"all", mask.Log, "all"},
	{"no timers", mask.Log, "all,timers=nothing"},
	{"no crashes", mask.Log, "all,crash=nothing,recover=nothing,halt=nothing"},
	{"some", mask.Log, "some"},
	{"a gap", mask.Log, "all,gap=3@50000-50010"},
	{"undeclared", mask.Log, ""},
}

// BenchmarkTells: what it costs that a run is recorded in part, on runs of the table of
// costs, in the properties that are examined by default: the least of the times that a check has computed.
func BenchmarkTells(b *testing.B) {
	const n, processes = 100_000, 32
	for _, p := range []string{"election-safety", "raft-log-matching", "mutual-exclusion"} {
		at := slices.IndexFunc(costRuns, func(c costRun) bool { return slices.Contains(strings.Fields(c.names), p) })
		m := costRuns[max(0, at)].make(processes, n)
		for _, d := range declarations {
			b.Run(p+"/"+strings.ReplaceAll(d.name, " ", "-"), func(b *testing.B) { benchmarkTells(b, m, d.source, d.tells) })
		}
	}
}

func benchmarkTells(b *testing.B, m *tracefmt.Memory, source, tells string) {
	rec := *m
	run := rec.Run()
	run.Source, run.Tells = source, nil
	if tells != "" {
		var err error
		if run.Tells, err = tracefmt.ParseTells(tells); err != nil {
			b.Fatal(err)
		}
	}
	least := time.Duration(math.MaxInt64)
	for b.Loop() {
		from := cpuTime(b)
		if _, err := analyze.Check(&rec, property.Builtin().Default(), analyze.Options{}); err != nil {
			b.Fatal(err)
		}
		least = min(least, cpuTime(b)-from)
	}
	b.ReportMetric(float64(least.Nanoseconds())/float64(m.Len()), "cpu-ns/event")
}
