package conform

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"etrace/tracefmt"
)

// TestExplanationsAsTree: steps from different points are alternatives, and a branch that joins another one names the
// point.
func TestExplanationsAsTree(t *testing.T) {
	note := func(seq tracefmt.Seq, typ string) *tracefmt.Event {
		return &tracefmt.Event{Seq: seq, Process: 1, Kind: tracefmt.Note, Type: typ}
	}
	x := &Explanations{
		Points: 4, Least: 0, Most: 1,
		Steps: []ExplainedStep{{1, 2, note(1, "x")}, {2, 3, note(2, "y")}, {2, 4, note(0, "h")}, {4, 3, note(2, "y")}},
		Ends:  []ExplainedEnd{{3, note(0, "z")}},
	}
	run := &tracefmt.Run{TimeUnit: tracefmt.Logical, Members: []tracefmt.Member{{Name: "a"}}}
	var b strings.Builder
	x.write(&b, run, "a")
	want := `  no completion explains it; the longest explanations of a, which suppose 0 to 1 hidden step:
    1: a: x
    either
      2: a: y  (3)
      + a: z
    either
      [a: h]
      2: a: y
      as after (3)
`
	if diff := cmp.Diff(want, b.String()); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}
