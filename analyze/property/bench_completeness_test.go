package property_test

import (
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"etrace/analyze"
	"etrace/analyze/property"
	"etrace/fixtures/growth"
	"etrace/fixtures/mask"
	"etrace/tracefmt"
)

// declarations are the possible declarations of a record. The first declares a complete record, for comparison.
var declarations = []struct{ name, source, tells string }{
	{"all", mask.Log, "all"},
	{"no timers", mask.Log, "all,timers=none"},
	{"no crashes", mask.Log, "all,crash=none,recover=none,halt=none"},
	{"some", mask.Log, "some"},
	{"a gap", mask.Log, "all,gap=3@50000-50010"},
	{"undeclared", mask.Log, ""},
}

// questions is what bully mostly is: each asks all above it, who answer.
var questions = costRun{
	problem: "election", traits: []string{tracefmt.GreatestWins, tracefmt.AsksUpward, tracefmt.Answers},
	names: "election-answered",
	round: func(d *diary, i int) {
		for q := i%(d.n-1) + 1; q < d.n; q++ {
			d.pass(d.process(i%(d.n-1)), d.process(q), "ELECTION", `{}`)
			d.pass(d.process(q), d.process(i%(d.n-1)), "OK", `{}`)
		}
	},
}

// BenchmarkTells: what it costs that a run is recorded in part, on runs of the table of
// costs and one of bully, in the properties that are examined by default: the least of the
// times that a check has computed, and how many times that of the run as it is recorded
// whole, which is checked in turn with it.
func BenchmarkTells(b *testing.B) {
	const n, processes = 100_000, 32
	runs := append(slices.Clone(costRuns), questions)
	for _, p := range []string{"election-safety", "election-answered", "raft-log-matching", "mutual-exclusion"} {
		at := slices.IndexFunc(runs, func(c costRun) bool { return slices.Contains(strings.Fields(c.names), p) })
		m := runs[max(0, at)].make(processes, n)
		for _, d := range declarations {
			b.Run(p+"/"+strings.ReplaceAll(d.name, " ", "-"), func(b *testing.B) { benchmarkCompleteness(b, m, d.source, d.tells) })
		}
	}
}

func benchmarkCompleteness(b *testing.B, m *tracefmt.Memory, source, tells string) {
	complete, partial := declaring(b, m, mask.Log, "all"), declaring(b, m, source, tells)
	minimum, leastWhole := time.Duration(math.MaxInt64), time.Duration(math.MaxInt64)
	for b.Loop() {
		leastWhole = min(leastWhole, timeOf(b, complete))
		minimum = min(minimum, timeOf(b, partial))
	}
	b.ReportMetric(float64(minimum.Nanoseconds())/float64(m.Len()), "cpu-ns/event")
	b.ReportMetric(float64(minimum)/float64(leastWhole), "x-whole")
}

// declaring is the run with another source and declaration.
func declaring(b *testing.B, m *tracefmt.Memory, source, tells string) *tracefmt.Memory {
	b.Helper()
	rec := *m
	run := rec.Run()
	run.Source, run.Completeness = source, nil
	if tells != "" {
		var err error
		run.Completeness, err = tracefmt.ParseCompleteness(tells)
		if err != nil {
			b.Fatal(err)
		}
	}
	return &rec
}

// timeOf is what a check of the run computes.
func timeOf(b *testing.B, m *tracefmt.Memory) time.Duration {
	b.Helper()
	from := growth.CPU(b)
	if _, err := analyze.Check(m, property.Builtin().Default(), analyze.Options{}); err != nil {
		b.Fatal(err)
	}
	return growth.CPU(b) - from
}
