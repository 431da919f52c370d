package shard_test

import (
	"strings"
	"testing"

	"etrace/analyze/shard"
)

// TestSeen: the result of a shard with unexpected events is rejected. The error distinguishes too few events,
// other events, and changed contents.
func TestSeen(t *testing.T) {
	sum := func(events int64, seqs, content shard.Check) shard.Sum {
		return shard.Sum{Events: events, Sum: seqs, Content: content}
	}
	run := shard.One{Groups: []shard.Group{
		{Expected: []shard.Sum{sum(2, 20, 200), sum(3, 30, 300)}, All: sum(1, 10, 100)},
		{Expected: []shard.Sum{sum(4, 40, 400)}, All: sum(1, 10, 100)}, // of shard 1 it has none
	}}
	complete := []shard.FoundGroup{{Own: sum(3, 30, 300), All: sum(1, 10, 100)}, {All: sum(1, 10, 100)}}
	for _, tt := range []struct {
		name string
		seen []shard.FoundGroup
		want string
	}{
		{"all", complete, ""},
		{"none", []shard.FoundGroup{{}, {}}, "shard 1: 0 events of 5"},
		{"one too few", []shard.FoundGroup{{Own: sum(2, 29, 299), All: complete[0].All}, complete[1]}, "shard 1: 3 events of 4"},
		{"one too many", []shard.FoundGroup{{Own: sum(4, 31, 301), All: complete[0].All}, complete[1]}, "shard 1: 5 events of 4"},
		{"one of all too few", []shard.FoundGroup{complete[0], {}}, "shard 1: 0 events of 1"},
		{"others", []shard.FoundGroup{{Own: sum(3, 31, 301), All: complete[0].All}, complete[1]}, "shard 1: other events than those of the plan"},
		{"others of all", []shard.FoundGroup{complete[0], {All: sum(1, 11, 101)}}, "shard 1: other events than those of the plan"},
		{
			"other contents",
			[]shard.FoundGroup{{Own: sum(3, 30, 301), All: complete[0].All}, complete[1]},
			"shard 1: the events of the plan, but with other contents",
		},
		{
			"other contents of all",
			[]shard.FoundGroup{complete[0], {All: sum(1, 10, 101)}},
			"shard 1: the events of the plan, but with other contents",
		},
		{
			"others, and other contents",
			[]shard.FoundGroup{{Own: sum(3, 31, 301), All: complete[0].All}, {All: sum(1, 10, 101)}},
			"shard 1: other events",
		},
		{
			"other contents, and others",
			[]shard.FoundGroup{{Own: sum(3, 30, 301), All: complete[0].All}, {All: sum(1, 11, 101)}},
			"shard 1: other events",
		},
		// As many in all, of each too few or too many.
		{"events of another kind", []shard.FoundGroup{{Own: sum(2, 29, 299), All: sum(2, 11, 101)}, complete[1]}, "shard 1: 4 events of 4"},
		{
			"events of another group",
			[]shard.FoundGroup{{Own: sum(2, 29, 299), All: complete[0].All}, {All: sum(2, 11, 101)}},
			"shard 1: 5 events of 5",
		},
	} {
		err := run.Seen(1, &shard.Found{Groups: tt.seen})
		switch {
		case tt.want == "" && err != nil:
			t.Errorf("%s: %v", tt.name, err)
		case tt.want != "" && (err == nil || !strings.HasPrefix(err.Error(), tt.want)):
			t.Errorf("%s: %v, want %s", tt.name, err, tt.want)
		}
	}
}
