package story

import (
	"testing"

	"etrace/tracefmt"
)

// TestTitle: a title says what the run is of, and nothing twice.
func TestTitle(t *testing.T) {
	for _, tt := range []struct {
		run  tracefmt.Run
		want string
	}{
		{tracefmt.Run{Algorithm: "bully", Problem: tracefmt.Election}, "bully: election among 3 processes"},
		{tracefmt.Run{Algorithm: "raft", Problem: tracefmt.Raft}, "raft among 3 processes"},
		{tracefmt.Run{Name: "figure 8", Algorithm: "raft", Problem: tracefmt.Raft}, "figure 8: raft among 3 processes"},
		{tracefmt.Run{Number: 2}, "run 2: 3 processes"},
	} {
		s := &Story{Run: &tt.run, Order: make([]tracefmt.ProcessID, 3)}
		if got := s.Title(); got != tt.want {
			t.Errorf("%+v: %q, want %q", tt.run, got, tt.want)
		}
	}
}
