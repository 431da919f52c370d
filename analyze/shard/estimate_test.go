package shard

import (
	"math"
	"strconv"
	"strings"
	"testing"
	"time"

	"etrace/analyze"
	"etrace/analyze/spec"
	"etrace/tracefmt"
)

// TestEstimateSeconds: cores share what can be shared, and no more.
func TestEstimateSeconds(t *testing.T) {
	for _, tt := range []struct {
		name     string
		estimate Estimate
		ten      float64
		from     int
	}{
		{"all is shared", Estimate{Check: 10, Slice: 10, Keyed: 20, Alone: true, Driver: 1}, 1 + 0.06 + 3, 4},
		{"slicing is one pass", Estimate{Check: 10, Slice: 8, Keyed: 20, Driver: 1}, 1 + 0.06 + 8 + 2, 22},
		{"one rule is not split", Estimate{Check: 10, Slice: 10, Keyed: 20, Unsplit: 10, Alone: true}, 0.06 + 3 + 10, 0},
		{"all shards need some events", Estimate{Check: 10, Slice: 10, Keyed: 20, Common: 5, Alone: true}, 0.06 + 3 + 5, 7},
	} {
		if got := tt.estimate.seconds(10); math.Abs(got-tt.ten) > 1e-9 {
			t.Errorf("%s: %v s on 10 cores, want %v", tt.name, got, tt.ten)
		}
		if got := tt.estimate.from(); got != tt.from {
			t.Errorf("%s: faster from %d cores on, want %d", tt.name, got, tt.from)
		}
	}
}

// TestNewEstimate: by a clock that advances a second each time that it is read, each step takes a second.
func TestNewEstimate(t *testing.T) {
	run := &tracefmt.Run{TimeUnit: tracefmt.Logical, Completeness: &tracefmt.Completeness{Levels: tracefmt.Levels{Default: tracefmt.All}}}
	for i := range 3 {
		run.Members = append(run.Members, tracefmt.Member{Name: strconv.Itoa(i + 1), Position: i + 1})
	}
	var sample Sample
	for i := range 30 {
		seq := tracefmt.Seq(i + 1)
		sample.Events = append(sample.Events, &tracefmt.Event{Seq: seq, Time: tracefmt.Time(seq), Kind: tracefmt.Note, Process: 1, Type: "x"})
	}
	rules, err := spec.Parse("rules", "rule few: at most 3 note per process", spec.Options{})
	if err != nil {
		t.Fatal(err)
	}
	sample.Read, sample.Of = time.Second, 300
	plan := &Plan{Shards: 1, Traces: []Trace{{Path: "t", Runs: []Run{{Number: 1}}}}}
	plan.Examined.Properties = []string{"few"}
	if err := plan.SplitEvents(run, analyze.Ask(rules)); err != nil {
		t.Fatal(err)
	}
	seconds := time.Duration(0)
	got, err := NewEstimate(plan, rules, sample, func() time.Duration { seconds++; return seconds * time.Second })
	if err != nil {
		t.Fatal(err)
	}
	// The run is ten times as long as the sample. All events of a process belong to one shard; the first goes to all.
	if got.Check != 20 || got.Slice != 20 || math.Abs(got.Keyed+8*got.Common-80) > 1e-3 || got.Unsplit != 0 || !got.Alone {
		t.Errorf("%+v", got)
	}
	var text strings.Builder
	if err := got.WriteText(&text); err != nil || !strings.HasPrefix(text.String(), "t: 300 events, measured on the first 30;") {
		t.Errorf("%q, %v", &text, err)
	}
}
