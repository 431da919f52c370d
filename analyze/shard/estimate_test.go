package shard

import (
	"fmt"
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
		if got := tt.estimate.fewestCores(); got != tt.from {
			t.Errorf("%s: faster from %d cores on, want %d", tt.name, got, tt.from)
		}
	}
}

// fewNotes is a rule on a run of three processes, and a plan to examine it in shards.
func fewNotes(t *testing.T, shards int) (*tracefmt.Run, []*analyze.Property, *Plan) {
	t.Helper()
	run := &tracefmt.Run{TimeUnit: tracefmt.Logical, Completeness: &tracefmt.Completeness{Levels: tracefmt.Levels{Default: tracefmt.All}}}
	for i := range 3 {
		run.Members = append(run.Members, tracefmt.Member{Name: strconv.Itoa(i + 1), Position: i + 1})
	}
	rules, err := spec.Parse("rules", "rule few: at most 3 note per process", spec.Options{})
	if err != nil {
		t.Fatal(err)
	}
	plan := &Plan{Shards: shards, Traces: []Trace{{Path: "t", Runs: []Run{{Number: 1}}}}}
	plan.Examined.Properties = []string{"few"}
	if err := plan.SplitEvents(run, analyze.Ask(rules)); err != nil {
		t.Fatal(err)
	}
	return run, rules, plan
}

// notes are that many notes of the three processes in turn.
func notes(n int) (events []*tracefmt.Event) {
	for i := range n {
		seq := tracefmt.Seq(i + 1)
		events = append(events, &tracefmt.Event{
			Seq: seq, Time: tracefmt.Time(seq), Kind: tracefmt.Note, Process: tracefmt.ProcessID(i%3 + 1), Type: "x",
		})
	}
	return events
}

// TestSlicesOfOtherEvents: what shards found is joined only if their slices were made of the same events.
func TestSlicesOfOtherEvents(t *testing.T) {
	run, rules, plan := fewNotes(t, sampleShards)
	summary := func(shard int, events []*tracefmt.Event) *Summary {
		m := &measurement{plan: *plan, properties: rules, run: run, sample: events, clock: func() time.Duration { return 0 }}
		if err := m.slice(); err != nil {
			t.Fatal(err)
		}
		x, err := NewExamination(plan, shard, &tracefmt.Run{Slice: true}, rules)
		if err != nil {
			t.Fatal(err)
		}
		found, err := x.Read(&m.lines[shard])
		if err != nil {
			t.Fatal(err)
		}
		s, err := plan.Summary(shard, found)
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	for events, want := range map[int]string{
		5: "<nil>", 6: "shard 3: a slice of other events than those of shard 0, as their surveys show",
	} {
		var summaries []*Summary
		for shard := range plan.Shards {
			summaries = append(summaries, summary(shard, notes(5)))
		}
		summaries[3] = summary(3, notes(events))
		joined, err := Join(plan, summaries...)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := joined.found(plan, analyze.Divide(run, rules, plan.Options())); fmt.Sprint(err) != want {
			t.Errorf("shard 3 of %d events: %v, want %s", events, err, want)
		}
	}
}

// TestEstimateText: a step that costs nothing has no line.
func TestEstimateText(t *testing.T) {
	for line, costs := range map[string]Estimate{
		"events that all shards need": {Common: 1}, "rules that are not split": {Unsplit: 1},
	} {
		for _, e := range []Estimate{{}, costs} {
			var text strings.Builder
			if err := e.WriteText(&text); err != nil || strings.Contains(text.String(), line) != (e == costs) {
				t.Errorf("%+v: %v, %q in\n%s", e, err, line, &text)
			}
		}
	}
}

// TestNewEstimate: by a clock that advances a second each time that it is read, each step takes a second.
func TestNewEstimate(t *testing.T) {
	_, rules, plan := fewNotes(t, 1)
	sample := Sample{Events: notes(30), Read: time.Second, Of: 300}
	seconds := time.Duration(0)
	got, err := NewEstimate(plan, rules, sample, func() time.Duration { seconds++; return seconds * time.Second })
	if err != nil {
		t.Fatal(err)
	}
	// The run is ten times as long as the sample. All events of a process belong to one shard; the first note goes to
	// all. The rule reads no state, so that the first step of another process does not.
	line := 80.0 / (29 + 8) // of the 80 seconds of 8 shards
	off := math.Abs(got.Keyed-29*line) + math.Abs(got.Common-line)
	if got.Check != 20 || got.Slice != 20 || off > 1e-3 || got.Unsplit != 0 || !got.Alone {
		t.Errorf("%+v", got)
	}
	var text strings.Builder
	if err := got.WriteText(&text); err != nil || !strings.HasPrefix(text.String(), "t: 300 events, measured on the first 30;") {
		t.Errorf("%q, %v", &text, err)
	}
}
