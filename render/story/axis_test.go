package story

import (
	"slices"
	"testing"

	"etrace/tracefmt"
)

// TestLevelsOfUnsent: what a process does is not drawn above what it sent unrecorded before.
func TestLevelsOfUnsent(t *testing.T) {
	s := &Story{Column: make([]int, 4), Steps: []Step{
		{Seq: 1, Process: 2, Peer: 1, Kind: tracefmt.Receive, Unsent: true, Match: -1},
		{Seq: 2, Process: 2, Peer: 1, Kind: tracefmt.Receive, Unsent: true, Match: -1},
		{Seq: 3, Process: 1, Kind: tracefmt.Timeout, Match: -1},
		{Seq: 4, Process: 3, Peer: 1, Kind: tracefmt.Receive, Unsent: true, Match: -1},
	}}
	if got, want := s.Levels(), []int{1, 2, 2, 3}; !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}
