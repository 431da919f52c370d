package interop_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"etrace/tracefmt"
	"etrace/tracefmt/interop"
)

// previewed imports entries, and returns the run and what was last previewed of it.
func previewed(t fataler, list []interop.Entry) (run, shown *tracefmt.Memory, begun, written int) {
	t.Helper()
	settings := interop.Settings{Preview: func(run *tracefmt.Run) tracefmt.Writer {
		begun++
		shown = tracefmt.NewMemory(*run)
		return counting{shown, &written}
	}}
	run, _, err := build(t, settings, addAll(list))
	if err != nil {
		t.Fatal(err)
	}
	return run, shown, begun, written
}

type counting struct {
	tracefmt.Writer
	n *int
}

func (c counting) Write(e *tracefmt.Event) error { *c.n++; return c.Writer.Write(e) }

// A log in which sends come before their receives is previewed as it is imported.
func TestPreviewOfCausalOrder(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		list := drawRun(t)
		run, _, err := build(t, interop.Settings{}, addAll(list))
		if err != nil {
			t.Fatal(err)
		}
		ordered := make([]interop.Entry, 0, len(list))
		for e := range run.Events(1) {
			ordered = append(ordered, list[e.Origin().Line-1])
		}
		run, shown, _, _ := previewed(t, ordered)
		if diff := cmp.Diff(sketch(run), sketch(shown)); diff != "" {
			t.Fatalf("preview (-run +preview):\n%s", diff)
		}
	})
}

// A receive whose send comes later is shown without it, and the preview declares that sends may be missing.
func TestPreviewOfHalves(t *testing.T) {
	_, shown, _, _ := previewed(t, []interop.Entry{named(receive("b", "a", "X"), "m"), named(send("a", "b", "X"), "m")})
	if diff := cmp.Diff("b receive X a #1 ^1\na send X b #2 ^1\n", sketch(shown)); diff != "" {
		t.Errorf("preview (-want +got):\n%s", diff)
	}
	if level := tracefmt.NewCoverage(shown.Run()).Level(1, tracefmt.Fact{Kind: tracefmt.Send}); level != tracefmt.Some {
		t.Errorf("sends are declared %v, expected some", level)
	}
}

// Each further process begins the preview anew, within a bound: 2,000 processes that join late cost four times the
// events and 200,000, not 2,000 times the events.
func TestPreviewOfLateProcesses(t *testing.T) {
	var list []interop.Entry
	for n := range 2000 {
		list = append(list, slices.Repeat([]interop.Entry{step(fmt.Sprintf("n%d", n), "step")}, 20)...)
	}
	_, shown, begun, written := previewed(t, list)
	if bound := 4*len(list) + 200_000 + len(list); written > bound || begun < 2 {
		t.Errorf("%d runs with %d events, expected several with at most %d", begun, written, bound)
	}
	if shown.Len() == 0 {
		t.Error("nothing was shown")
	}
}
