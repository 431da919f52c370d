package ptrace

import (
	"slices"
	"testing"

	"etrace/tracefmt/interop"
)

// TestClock: a machine that begins at 2 begins at 1 here, and what is not known of one stays 0.
func TestClock(t *testing.T) {
	tr := &trace{late: map[string]int64{"b": 1}}
	e := &entry{details: details{ID: "a", Clock: map[string]int64{"a": 5, "b": 0, "c": 2}}}
	want := []interop.Tick{{Process: "a", Count: 5}, {Process: "b"}, {Process: "c", Count: 2}}
	if got := tr.clock(e); !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
	e.Clock["b"] = 4
	want[1].Count = 3
	if got := tr.clock(e); !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
}
