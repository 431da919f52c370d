package shard_test

import (
	"bytes"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"etrace/analyze/shard"
)

// planOf returns a plan of one trace, whose runs have the given numbers of events.
func planOf(t interface{ Fatal(...any) }, shards int, events ...int64) *shard.Plan {
	p := &shard.Plan{Tool: "etrace 1", Shards: shards, Traces: []shard.Trace{{Path: "runs.db"}}}
	for i, n := range events {
		p.Traces[0].Runs = append(p.Traces[0].Runs, shard.Run{Number: i + 1, Events: n})
	}
	p.SplitRuns()
	if err := p.Seal(); err != nil {
		t.Fatal(err)
	}
	return p
}

// TestSplitRuns: the fullest shard has at most as much more than the emptiest as one run.
func TestSplitRuns(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		events := rapid.SliceOfN(rapid.Int64Range(0, 100), 0, 50).Draw(t, "events")
		p := planOf(t, rapid.IntRange(1, 9).Draw(t, "shards"), events...)
		loads := make([]int64, p.Shards)
		maximum := int64(0)
		for _, r := range p.Traces[0].Runs {
			loads[r.Shard] += 64 + r.Events
			maximum = max(maximum, 64+r.Events)
		}
		if slices.Max(loads)-slices.Min(loads) > maximum {
			t.Errorf("shards have %v", loads)
		}
		if again := planOf(t, p.Shards, events...); again.ID != p.ID {
			t.Errorf("the plan is another one the second time")
		}
	})
}

// TestReadPlan: a plan is read as it was written, and refused where it was changed.
func TestReadPlan(t *testing.T) {
	p := planOf(t, 3, 10, 20, 5, 7)
	var b bytes.Buffer
	if err := p.WriteJSON(&b); err != nil {
		t.Fatal(err)
	}
	read, err := shard.ReadPlan(bytes.NewReader(b.Bytes()), "plan.json")
	if err != nil || read.ID != p.ID {
		t.Fatalf("got %v, %v", read, err)
	}
	for _, bad := range []struct{ text, want string }{
		{strings.Replace(b.String(), `"shards": 3`, `"shards": 4`, 1), "changed"},
		{strings.Replace(b.String(), shard.PlanFormat, "etrace.plan/9", 1), "etrace.plan/9"},
		{b.String()[:100], "not a plan"},
		{"", "not a plan"},
		{`{"runs":[]}`, "not a plan"},
	} {
		if _, err := shard.ReadPlan(strings.NewReader(bad.text), "plan.json"); err == nil || !strings.Contains(err.Error(), bad.want) {
			t.Errorf("%.40q: %v, want %q", bad.text, err, bad.want)
		}
	}
}
