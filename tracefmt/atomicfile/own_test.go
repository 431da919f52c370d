package atomicfile

import "testing"

const (
	report   = "Elections\n  bully  ok  2 cases, 4 values\n\n1 suite, 2 cases, 4 values: 4 ok, 0 explained, 0 failed\n"
	quiet    = "Elections\n\n1 suite, 2 cases, 4 values: 4 ok, 0 explained, 0 failed\n"
	markdown = "# Elections\n\nOf the slides.\n\n| case | measure | measured | expected | published | " +
		"status |\n|---|---|--:|--:|--:|---|\n\n1 suite, 2 cases, 4 values: 4 ok, 0 explained, 0 failed\n"
)

// A report is replaced by the next; what somebody wrote around one is not.
func TestOwn(t *testing.T) {
	for _, c := range []struct {
		text  string
		owned bool
	}{
		{report, true},
		{quiet, true},
		{markdown, true},
		{"# Written by etrace record --hunt single-leader\nalgorithm: bully\n", true},
		{"' Written by etrace, which may replace it\n@startuml\n", true},
		{"%% Written by etrace\n", true},
		{"My notes\n" + report, false},
		{"# Notes\n\nNode 3 is slow.\n\n" + report, false},
		{"# My results\n" + markdown, false},
		{"# My results\n\nThey hold.\n\n" + markdown, false},
		{report + "and what I think of it\n", false},
		{"# Written by etrace users, my book\n", false},
		{"My book was not Written by etrace\n", false},
		{"", false},
	} {
		if got := markOf([]byte(c.text), []byte(c.text)) != nil; got != c.owned {
			t.Errorf("%q: own %v, want %v", c.text, got, c.owned)
		}
	}
}
