package story

import (
	"testing"

	"etrace/tracefmt"
)

// TestBegins: times count from the first event, whose own time is written if it is a date;
// what a clock puts before it has a minus.
func TestBegins(t *testing.T) {
	s := &Story{Run: &tracefmt.Run{TimeUnit: tracefmt.Nanoseconds}, First: 1_000_000_000_000_000_000}
	if got := s.Begins(); got != "times since 2001-09-09 01:46:40.000 UTC" {
		t.Errorf("it begins at %q", got)
	}
	if got := s.ShortTime(s.First - 3_000_000); got != "-3.000 ms" {
		t.Errorf("3 ms before is %q", got)
	}
	if got := s.ShortTime(s.First + 3_000_000); got != "+3.000 ms" {
		t.Errorf("3 ms after is %q", got)
	}
	s.First = 5
	if s.Begins() != "" {
		t.Errorf("a run whose times count from its start begins at %q", s.Begins())
	}
}
