package report_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"etrace/analyze/report"
)

// TestFailure: an error that begins with a place, or with a name, is about it.
func TestFailure(t *testing.T) {
	for _, want := range []report.Failure{
		{Error: "s.yaml:7:24: unknown key", File: "s.yaml", Line: 7, Column: 24},
		{Error: "a b.jsonl:3: cut", File: "a b.jsonl", Line: 3},
		{Error: "trace.db: no such file", File: "trace.db"},
		{Error: "other: no such file"},
		{Error: "interrupted"},
		{Error: `--run "9:3: x": expected numbers from 1, such as 2 or 1,3-5, last, or all`},
	} {
		got := report.NewFailure(want.Error, "x", "trace.db")
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-want +got)\n%s", want.Error, diff)
		}
	}
}

// TestFailureJSON: what is not known is left out.
func TestFailureJSON(t *testing.T) {
	for want, f := range map[string]report.Failure{
		"{\n  \"format\": \"etrace.error/1\",\n  \"error\": \"x\"\n}\n": {Error: "x"},
		"{\n  \"format\": \"etrace.error/1\",\n  \"error\": \"f:1:2: x\",\n  \"file\": \"f\",\n  \"line\": 1,\n  \"column\": 2\n}\n": {
			Error: "f:1:2: x", File: "f", Line: 1, Column: 2,
		},
	} {
		var b strings.Builder
		if err := f.WriteJSON(&b); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, b.String()); diff != "" {
			t.Errorf("(-want +got)\n%s", diff)
		}
	}
}
