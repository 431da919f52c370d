package report_test

import (
	"fmt"
	"strings"
	"testing"

	"etrace/analyze/lint"
	"etrace/analyze/report"
	"etrace/tracefmt"
)

// TestLintText: people see what a repair has changed, ten changes by each rule, and what it has left.
func TestLintText(t *testing.T) {
	run := tracefmt.Run{Number: 1, Members: []tracefmt.Member{{Name: "1", Position: 1}}}
	some, many := &lint.Rule{Name: "causes"}, &lint.Rule{Name: "time-order", Expected: "times that do not fall"}
	left := &lint.RunReport{Run: &run, Results: []*lint.Result{{Rule: many, Counts: lint.Counts{lint.Warning: 2}}}}
	for n, more := range map[int]bool{0: false, 10: false, 11: true, 12: true} {
		r := &lint.Repaired{Memory: tracefmt.NewMemory(run), Left: left}
		if n > 0 {
			r.Changes = append(r.Changes, lint.Change{Rule: some, Part: "end", Before: "quiescent", After: "stopped"})
		}
		for i := range n {
			r.Changes = append(r.Changes, lint.Change{
				Rule: many, At: lint.Place{Seq: tracefmt.Seq(i + 1)}, Part: "time", Before: "2", After: fmt.Sprint(i),
			})
		}
		var b strings.Builder
		out := &report.Lint{Traces: []string{"a.jsonl"}, Runs: []report.LintRun{{"a.jsonl", left, r}}, Output: "b.jsonl"}
		format, err := report.LintFormats().Lookup("text")
		if err == nil {
			err = format.Write(&b, out, report.Style{})
		}
		if err != nil {
			t.Fatal(err)
		}
		want := "  nothing repaired, written to b.jsonl as run 1\n"
		if n > 0 {
			want = fmt.Sprintf("  repaired, written to b.jsonl as run 1 with %d changes:\n", n+1) +
				"    causes: end of the header: quiescent -> stopped\n"
		}
		for i := range min(n, 10) {
			want += fmt.Sprintf("    time-order: time of seq %d: 2 -> %d\n", i+1, i)
		}
		if more {
			want += "    time-order: and more, see --json\n"
		}
		if n > 0 {
			want += "  left: time-order 2 warnings\n"
		}
		if !strings.HasSuffix(b.String(), want+"1 run: 2 warnings\n") {
			t.Errorf("%d changes: got\n%s\nwant at the end\n%s", n, &b, want)
		}
	}
}
