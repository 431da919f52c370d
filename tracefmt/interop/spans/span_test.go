package spans

import (
	"testing"

	"etrace/tracefmt"
)

// TestEnds: a receive ends the send of its message in its trace, and no span of another program.
func TestEnds(t *testing.T) {
	owner := func(trace string, local *recorded) *span {
		return &span{id: id{trace: trace}, details: &details{written: local}}
	}
	receive := owner("a", &recorded{kind: tracefmt.Receive, message: "1"})
	for _, c := range []struct {
		name  string
		owner *span
		want  bool
	}{
		{"its send", owner("a", &recorded{kind: tracefmt.Send, message: "1"}), true},
		{"another trace", owner("b", &recorded{kind: tracefmt.Send, message: "1"}), false},
		{"another message", owner("a", &recorded{kind: tracefmt.Send, message: "2"}), false},
		{"a note", owner("a", &recorded{kind: tracefmt.Note}), false},
		{"a span of another program", owner("a", nil), false},
	} {
		if receive.isEndOf(c.owner) != c.want {
			t.Errorf("%s: %t", c.name, !c.want)
		}
	}
}
