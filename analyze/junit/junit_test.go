package junit_test

import (
	"bytes"
	"strings"
	"testing"

	"etrace/analyze/junit"
)

// TestCounts: suites and the report count their cases; suites are numbered from 0 and take no time.
func TestCounts(t *testing.T) {
	var r junit.Report
	// A second suite shows that counts and numbers continue.
	for range 2 {
		var s junit.Suite
		s.Add(junit.Case{Name: "good"})
		s.Add(junit.Case{Name: "bad", Failure: &junit.Result{Message: "m"}})
		s.Add(junit.Case{Name: "broken", Error: &junit.Result{Message: "m"}})
		s.Add(junit.Case{Name: "open", Skipped: &junit.Result{Message: "m"}})
		if s.Tests != 4 || s.Failures != 1 || s.Errors != 1 || s.Skipped != 1 {
			t.Errorf("%d tests, %d failures, %d errors, %d skipped, want 4 and 1 of each", s.Tests, s.Failures, s.Errors, s.Skipped)
		}
		r.Add(s)
	}
	if r.Tests != 8 || r.Failures != 2 || r.Errors != 2 || r.Skipped != 2 {
		t.Errorf("%d tests, %d failures, %d errors, %d skipped, want 8 and 2 of each", r.Tests, r.Failures, r.Errors, r.Skipped)
	}
	var b bytes.Buffer
	if err := r.Write(&b); err != nil {
		t.Fatal(err)
	}
	for _, part := range []string{`id="0"`, `id="1"`, `time="0"`} {
		if !strings.Contains(b.String(), part) {
			t.Errorf("no %s in\n%s", part, b.String())
		}
	}
}
