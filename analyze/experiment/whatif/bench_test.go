package whatif_test

import (
	"context"
	"fmt"
	"path/filepath"
	"testing"
	"time"

	"etrace/analyze"
	"etrace/analyze/experiment/whatif"
	"etrace/analyze/property"
	"etrace/fixtures/growth"
	"etrace/fixtures/size"
	"etrace/record/algorithm/builtin"
	"etrace/record/scenario"
	"etrace/replay/rerun"
	"etrace/tracefmt"
	"etrace/tracefmt/tracedb"
)

// BenchmarkContrast compares and checks a run of 200,000 events with one in which a message is lost.
func BenchmarkContrast(b *testing.B) { size.Processes(b, benchmarkContrast) }

// elections returns a run of that many events in which elections never end.
func elections(t testing.TB, processes, events int, edit string) *tracefmt.Memory {
	t.Helper()
	s, err := scenario.Parse("long", fmt.Appendf(nil, "{algorithm: bully-wikipedia, nodes: %d, down: %[1]d, start: all, "+
		"drop: 'Victory:*>*', delay: 'uniform(0.9,1.1)', max-events: %d%s}", processes, events, edit))
	if err != nil {
		t.Fatal(err)
	}
	rec, err := rerun.Record(context.Background(), s)
	if err != nil {
		t.Fatal(err)
	}
	return rec
}

func benchmarkContrast(b *testing.B, n int) {
	before, after := elections(b, n, 200_000, ""), elections(b, n, 200_000, ", edit: drop m9000")
	for b.Loop() {
		if _, err := whatif.NewContrast(before, after, property.Builtin().Default()); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64((before.Len()+after.Len())*b.N)/b.Elapsed().Seconds(), "events/s")
}

// BenchmarkWhatIf executes a run of 200,000 events again with an edit, records the fork in a database and contrasts
// both. It reports the CPU time in relation to what this consists of: a verification, and a check of either run.
func BenchmarkWhatIf(b *testing.B) { size.Processes(b, benchmarkWhatIf) }

func benchmarkWhatIf(b *testing.B, n int) {
	path := filepath.Join(b.TempDir(), "trace.db")
	before := elections(b, n, 200_000, "")
	write(b, path, func(sink tracefmt.Sink) error { return tracefmt.Copy(sink, before, before.Run()) })
	properties := property.Builtin().Default()
	timed := func(total *time.Duration, work func() error) {
		start := growth.CPU(b)
		if err := work(); err != nil {
			b.Fatal(err)
		}
		*total += growth.CPU(b) - start
	}
	var command, verification, checks time.Duration
	for i := 0; b.Loop(); i++ {
		parent := recording(b, path, 1)
		timed(&verification, func() error {
			_, err := rerun.Verify(b.Context(), builtin.Algorithms(), parent)
			return err
		})
		timed(&command, func() error {
			edits := []scenario.Edit{edit(b, "drop m9000")}
			write(b, path, func(sink tracefmt.Sink) error {
				_, err := rerun.WhatIf(b.Context(), builtin.Algorithms(), parent, edits, sink)
				return err
			})
			_, err := whatif.NewContrast(parent, recording(b, path, i+2), properties)
			return err
		})
		timed(&checks, func() error {
			for _, run := range []int{1, i + 2} {
				if _, err := analyze.Check(recording(b, path, run), properties, analyze.Options{}); err != nil {
					return err
				}
			}
			return nil
		})
	}
	b.ReportMetric(command.Seconds()/verification.Seconds(), "verifications")
	b.ReportMetric(command.Seconds()/(verification+checks).Seconds(), "verifications-and-checks")
}

// write appends what work writes to a database.
func write(t testing.TB, path string, work func(tracefmt.Sink) error) {
	t.Helper()
	target, err := tracedb.OpenAppend(path)
	if err != nil {
		t.Fatal(err)
	}
	defer target.Discard()
	if err := work(target); err != nil {
		t.Fatal(err)
	}
	if err := target.Commit(); err != nil {
		t.Fatal(err)
	}
}

// recording opens a run of a database until the test ends.
func recording(t testing.TB, path string, number int) tracefmt.Recording {
	t.Helper()
	db, err := tracedb.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	rec, err := db.Recording(number)
	if err != nil {
		t.Fatal(err)
	}
	return rec
}

func edit(t testing.TB, text string) scenario.Edit {
	t.Helper()
	e, err := scenario.ParseEdit(text)
	if err != nil {
		t.Fatal(err)
	}
	return e
}
