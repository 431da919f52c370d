package whatif_test

import (
	"context"
	"fmt"
	"iter"
	"testing"

	"github.com/google/go-cmp/cmp"

	"etrace/analyze"
	"etrace/analyze/experiment/whatif"
	"etrace/analyze/property"
	"etrace/fixtures/size"
	"etrace/record/algorithm/builtin"
	"etrace/record/scenario"
	"etrace/replay/rerun"
	"etrace/tracefmt"
)

// TestContrast: in the lecture's example 15 messages are sent, 3 of them to 7,
// which is down. Where the first ELECTION is lost, 5 is not asked: it sends no
// OK and asks neither 6 nor 7, and 6 does not answer it.
func TestContrast(t *testing.T) {
	properties, err := property.Builtin().Named("election-safety", "no-loss")
	if err != nil {
		t.Fatal(err)
	}
	before, after := lecture(t, ""), lecture(t, ", edit: drop m1")
	c, err := whatif.NewContrast(before, after, properties)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, row := range c.Changed() {
		if row.Measure != "events" {
			got = append(got, fmt.Sprintf("%s %s %s", row.Measure, row.Before, row.After))
		}
	}
	want := []string{"messages 15 11", "delivered 12 8", "lost 0 1", "to_crashed 3 2", "depth 3 2", "no-loss satisfied not-applicable"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("changed (-want +got):\n%s", diff)
	}
	// 5 asks no process and does not answer, which 6 and 4 notice; 7 is down and
	// takes no steps, and to 0 to 3 nothing is new.
	if diff := cmp.Diff([]string{"5", "4", "6"}, c.Processes); diff != "" {
		t.Errorf("processes that take other steps (-want +got):\n%s", diff)
	}
	if c.Violated {
		t.Error("a loss that was planned is said to be a violation")
	}
	// 6 has answered everybody and dies before it can announce itself: all wait.
	properties, err = property.Builtin().Named("election-liveness")
	if err != nil {
		t.Fatal(err)
	}
	c, err = whatif.NewContrast(before, lecture(t, ", edit: crash 6@3"), properties)
	if err != nil || !c.Violated {
		t.Errorf("no process is elected, but no property is said to be violated: %v", err)
	}
	same, err := whatif.NewContrast(before, before, []*analyze.Property{properties[0]})
	if err != nil || len(same.Changed()) > 0 || same.Processes != nil || same.Violated {
		t.Errorf("a run differs from itself: %+v, %v", same, err)
	}
}

func lecture(t *testing.T, more string) *tracefmt.Memory {
	t.Helper()
	s, err := scenario.Parse("lecture", []byte("{algorithm: bully, ids: 0-7, down: 7, start: 4"+more+"}"))
	if err != nil {
		t.Fatal(err)
	}
	rec, err := rerun.Record(context.Background(), s)
	if err != nil {
		t.Fatal(err)
	}
	return rec
}

// counted counts the events that are read from a run, and written to it.
type counted struct {
	*tracefmt.Memory
	read, written int
}

func (c *counted) Write(e *tracefmt.Event) error {
	c.written++
	return c.Memory.Write(e)
}

func (c *counted) Events(from tracefmt.Seq) iter.Seq2[*tracefmt.Event, error] {
	return func(yield func(*tracefmt.Event, error) bool) {
		for e, err := range c.Memory.Events(from) {
			c.read++
			if !yield(e, err) {
				return
			}
		}
	}
}

// TestContrastReadsOnce: both runs are checked, counted and compared in one pass,
// and read again only as far as processes diverge, here a tenth of the run.
func TestContrastReadsOnce(t *testing.T) {
	before := &counted{Memory: elections(t, 8, 20_000, "")}
	after := &counted{Memory: elections(t, 8, 20_000, ", edit: drop m100")}
	c, err := whatif.NewContrast(before, after, property.Builtin().Default())
	if err != nil || len(c.Processes) == 0 {
		t.Fatalf("no process takes other steps: %v", err)
	}
	for _, rec := range []*counted{before, after} {
		if limit := rec.Len() * 11 / 10; rec.read > limit {
			t.Errorf("%d events are read of %d, want at most %d", rec.read, rec.Len(), limit)
		}
	}
}

// TestPasses: a fork is executed once. The parent is read twice, and once more up to the first difference; both runs
// are compared in one pass, and once more up to the last process that diverges. So the cost of --what-if beside that
// of a verification and two checks does not grow with the number of processes.
func TestPasses(t *testing.T) {
	for _, processes := range size.Pick([]int{8, 200}, []int{8, 200}, []int{8, 200, 2000}) {
		parent := &counted{Memory: elections(t, processes, 20_000, "")}
		fork := &counted{Memory: &tracefmt.Memory{}}
		edits := []scenario.Edit{edit(t, "drop m900")}
		if _, err := rerun.WhatIf(t.Context(), builtin.Algorithms(), parent, edits, fork); err != nil {
			t.Fatal(err)
		}
		if _, err := whatif.NewContrast(parent, fork, property.Builtin().Default()); err != nil {
			t.Fatal(err)
		}
		events := parent.Len()
		if fork.written != fork.Len() || parent.read > 4*events || fork.read > 2*events {
			t.Errorf("%d processes: the parent's %d events are read %.1f times, the fork's %.1f times; %d events are written, %d kept",
				processes, events, float64(parent.read)/float64(events), float64(fork.read)/float64(events), fork.written, fork.Len())
		}
	}
}
