package shard

import "testing"

// TestParseShare: valid and invalid shares; 0/1 is the whole.
func TestParseShare(t *testing.T) {
	for text, want := range map[string][2]int{"0/1": {0, 1}, "3/64": {3, 64}, "1/1": {}, "-1/2": {}, "0/0": {}, "2": {}, "a/b": {}} {
		shard, shards, err := ParseShare(text)
		if [2]int{shard, shards} != want || (err == nil) != (want[1] > 0) {
			t.Errorf("%s: %d of %d, %v", text, shard, shards, err)
		}
	}
}
