package rerun_test

import (
	"context"
	"fmt"
	"slices"
	"testing"

	"etrace/fixtures/size"
	"etrace/record/algorithm/builtin"
	"etrace/record/scenario"
	"etrace/replay/rerun"
	"etrace/replay/rerun/conform"
	"etrace/tracefmt"
)

// long is a run of many events: elections that follow each other without end.
func long(b *testing.B, n int) *tracefmt.Memory {
	b.Helper()
	return record(b, fmt.Sprintf("{algorithm: bully-wikipedia, nodes: %d, down: %[1]d, start: all, "+
		"drop: 'Victory:*>*', delay: 'uniform(0.9,1.1)', max-events: 200000}", n))
}

// BenchmarkConform: the goal is 100,000 events per second.
func BenchmarkConform(b *testing.B) { size.Processes(b, benchmarkConform) }

func benchmarkConform(b *testing.B, n int) {
	rec := long(b, n)
	if rec.Len() < 200_000 {
		b.Fatalf("%d events", rec.Len())
	}
	b.ReportAllocs()
	for b.Loop() {
		r, err := conform.Decide(context.Background(), rec, conform.Model{Known: builtin.Algorithms(), Algorithm: "bully-wikipedia"})
		if err != nil || !r.Conforms() {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(rec.Len()*b.N)/b.Elapsed().Seconds(), "events/s")
}

func BenchmarkRank(b *testing.B) {
	rec := long(b, 8)
	for b.Loop() {
		if _, err := conform.Rank(context.Background(), builtin.Algorithms(), rec, nil, 0); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(rec.Len()*b.N)/b.Elapsed().Seconds(), "events/s")
}

func BenchmarkVerify(b *testing.B) { size.Processes(b, benchmarkVerify) }

func benchmarkVerify(b *testing.B, n int) {
	rec := long(b, n)
	for b.Loop() {
		if d := verify(b, rec); d != nil {
			b.Fatal(d.Differences)
		}
	}
	b.ReportMetric(float64(rec.Len()*b.N)/b.Elapsed().Seconds(), "events/s")
}

// BenchmarkWhatIf loses a message in the middle: the run is executed twice, and once more into nothing.
func BenchmarkWhatIf(b *testing.B) { size.Processes(b, benchmarkWhatIf) }

func benchmarkWhatIf(b *testing.B, n int) {
	rec := long(b, n)
	edit, err := scenario.ParseEdit("drop m9000")
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		if _, err := rerun.WhatIf(context.Background(), builtin.Algorithms(), rec, []scenario.Edit{edit}, tracefmt.Discard{}); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(rec.Len()*b.N)/b.Elapsed().Seconds(), "events/s")
}

// hidden is a recording without the events of some kinds, as it declares.
func hidden(b *testing.B, rec *tracefmt.Memory, tells string, kinds ...tracefmt.Kind) *tracefmt.Memory {
	b.Helper()
	run := *rec.Run()
	var err error
	if run.Completeness, err = tracefmt.ParseCompleteness(tells); err != nil {
		b.Fatal(err)
	}
	masked := tracefmt.NewMemory(run)
	for e := range rec.Events(1) {
		if slices.Contains(kinds, e.Kind) {
			continue
		}
		left := *e
		left.Seq = tracefmt.Seq(masked.Len() + 1)
		if err := masked.Write(&left); err != nil {
			b.Fatal(err)
		}
	}
	masked.Finish(run.End)
	return masked
}

// BenchmarkConformHidden: the goals are 100,000 events per second without timers, and
// 5,000 without timers and states.
func BenchmarkConformHidden(b *testing.B) {
	rec := long(b, 8)
	timers := tracefmt.GroupKinds("timers")
	for _, bb := range []struct {
		name, tells string
		kinds       []tracefmt.Kind
	}{
		{"timers", "all,timers=none", timers},
		{"timers and states", "all,timers=none,states=none", append([]tracefmt.Kind{tracefmt.State}, timers...)},
		{"receives", "all,receive=none", []tracefmt.Kind{tracefmt.Receive}},
	} {
		b.Run(bb.name, func(b *testing.B) {
			masked := hidden(b, rec, bb.tells, bb.kinds...)
			for b.Loop() {
				r, err := conform.Decide(context.Background(), masked, conform.Model{Known: builtin.Algorithms(), Algorithm: "bully-wikipedia"})
				if err != nil || !r.Conforms() {
					b.Fatal(err, r.Summary())
				}
			}
			b.ReportMetric(float64(masked.Len()*b.N)/b.Elapsed().Seconds(), "events/s")
		})
	}
}
