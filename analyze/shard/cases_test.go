package shard

import (
	"slices"
	"testing"

	"etrace/tracefmt"
)

// TestParseShare: valid and invalid shares; 0/1 is the whole.
func TestParseShare(t *testing.T) {
	for text, want := range map[string][2]int{"0/1": {0, 1}, "3/64": {3, 64}, "1/1": {}, "-1/2": {}, "0/0": {}, "2": {}, "a/b": {}} {
		shard, shards, err := ParseShare(text)
		if [2]int{shard, shards} != want || (err == nil) != (want[1] > 0) {
			t.Errorf("%s: %d of %d, %v", text, shard, shards, err)
		}
	}
}

// TestWords: a plan names each fact once, entries of a list by the list.
func TestWords(t *testing.T) {
	facts := []tracefmt.Fact{
		{Kind: tracefmt.State, Variable: "log[1]"}, {Kind: tracefmt.State, Variable: "log[2]"}, {Kind: tracefmt.Crash}, {Kind: tracefmt.Crash},
	}
	list := tracefmt.Fact{Kind: tracefmt.State, Variable: tracefmt.ListName("log[1]")}
	if got, want := factTexts(facts), []string{list.String(), "crash"}; !slices.Equal(got, want) {
		t.Errorf("facts %q, want %q", got, want)
	}
}
