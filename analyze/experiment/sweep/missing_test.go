package sweep

import (
	"testing"

	"etrace/record/scenario"
)

// TestMissingShards: the missing runs determine their shards. There are 1 + 2 + 6 + 24 + 120 = 153 runs.
func TestMissingShards(t *testing.T) {
	g := &Grid{Base: &scenario.Scenario{}}
	for _, axis := range [][2]string{{"algorithm", "le-lann"}, {"nodes", "2..6"}, {"order", "all"}, {"start", "all"}} {
		if err := g.Add(axis[0], axis[1]); err != nil {
			t.Fatal(err)
		}
	}
	p, err := g.Plan()
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		name, want string
		missing    func(number int64) bool
	}{
		{"one of seven", "--shard 3/7", func(n int64) bool { return n%7 == 3 }},
		{"the first of two", "--shard 0/2", func(n int64) bool { return n%2 == 0 }},
		{"two of five", "--shard 1/5, 4/5", func(n int64) bool { return n%5 == 1 || n%5 == 4 }},
		{"two of four, which are one of two", "--shard 1/2", func(n int64) bool { return n%4 == 1 || n%4 == 3 }},
		{"all but one of nine", "--shard 0/9, 1/9, 2/9, 3/9 and 4 more", func(n int64) bool { return n%9 != 8 }},
		{"the second half of one of seven", "some of --shard 3/7", func(n int64) bool { return n%7 == 3 && n > 70 }},
		{"the last runs", "", func(n int64) bool { return n > 100 }},
		{"a run", "", func(n int64) bool { return n == 50 }},
	} {
		d := newDoneSet(p)
		for number := range p.Runs {
			if !tt.missing(number) {
				d.set(p.locate(number))
			}
		}
		if got := d.missingShards(p); got != tt.want {
			t.Errorf("%s: got %q, want %q", tt.name, got, tt.want)
		}
	}
}
