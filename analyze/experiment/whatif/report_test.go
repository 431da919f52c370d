package whatif_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"etrace/analyze/experiment/whatif"
	"etrace/analyze/property"
	"etrace/record/algorithm/builtin"
	"etrace/record/scenario"
	"etrace/replay/rerun"
	"etrace/tracefmt"
)

// TestReport: what is written of the lecture's example and an edit. See TestContrast for the counts.
func TestReport(t *testing.T) {
	properties, err := property.Builtin().Named("election-liveness")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		edit  string
		quiet bool
		want  []string
	}{
		{edit: "drop m1", quiet: true},
		{"drop m1", false, []string{
			"\nother steps at 3 of 8 processes: etrace diff 'a.db#1' 'b.db#2'\n", "\nmessages  ", " 15 ", " 11\n", "\nlost  ",
		}},
		// 6 has answered all and dies before it announces itself.
		{"crash 6@3", false, []string{"\nelection-liveness  satisfied  violated  ", "  processes 0, 1, 2, 3, 4, 5 have elected no process\n"}},
		// The last of the six announcements arrives later: its receiver has nothing to do after it.
		{"delay m15=2", false, []string{
			"\nthe same steps at every process, but at other times or in another order: etrace diff ", "\ntime  ",
		}},
	} {
		edit, err := scenario.ParseEdit(c.edit)
		if err != nil {
			t.Fatal(err)
		}
		parent := lecture(t, "")
		parent.Run().Number = 1
		var target tracefmt.Collector
		fork, err := rerun.WhatIf(context.Background(), builtin.Algorithms(), parent, []scenario.Edit{edit}, &target)
		if err != nil {
			t.Fatal(err)
		}
		fork.Run.Number = 2
		contrast, err := whatif.NewContrast(parent, target.Runs[0], properties)
		if err != nil {
			t.Fatal(err)
		}
		r := whatif.Report{Parent: parent.Run(), ParentFile: "a.db", Fork: fork, File: "b.db", Contrast: contrast}
		var b strings.Builder
		if err := r.WriteText(&b, c.quiet); err != nil {
			t.Fatal(err)
		}
		got := b.String()
		if head := "b.db run 2: run 1 with " + c.edit + ", "; !strings.HasPrefix(got, head) || c.quiet != (strings.Count(got, "\n") == 1) {
			t.Errorf("%s, quiet is %v:\n%s\nwant at first %q", c.edit, c.quiet, got, head)
		}
		if !c.quiet {
			c.want = append(c.want, fmt.Sprintf("\nthe same up to seq %d, then\n", common(parent, target.Runs[0])))
		}
		for _, want := range c.want {
			if !strings.Contains(got, want) {
				t.Errorf("%s:\n%s\nwant in it %q", c.edit, got, want)
			}
		}
	}
}

// common returns how many events two runs have in common at their beginning.
func common(a, b *tracefmt.Memory) (n int) {
	for n < min(a.Len(), b.Len()) && cmp.Equal(a.At(tracefmt.Seq(n+1)), b.At(tracefmt.Seq(n+1))) {
		n++
	}
	return n
}
