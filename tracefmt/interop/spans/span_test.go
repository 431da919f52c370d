package spans

import (
	"testing"

	"etrace/tracefmt"
)

// TestEnds: a receive ends the send of its message in its trace, and no span of another program.
func TestEnds(t *testing.T) {
	of := func(trace string, own *recorded) *span {
		return &span{id: id{trace: trace}, details: &details{own: own}}
	}
	receive := of("a", &recorded{kind: tracefmt.Receive, message: "1"})
	for _, c := range []struct {
		name string
		of   *span
		want bool
	}{
		{"its send", of("a", &recorded{kind: tracefmt.Send, message: "1"}), true},
		{"another trace", of("b", &recorded{kind: tracefmt.Send, message: "1"}), false},
		{"another message", of("a", &recorded{kind: tracefmt.Send, message: "2"}), false},
		{"a note", of("a", &recorded{kind: tracefmt.Note}), false},
		{"a span of another program", of("a", nil), false},
	} {
		if receive.ends(c.of) != c.want {
			t.Errorf("%s: %t", c.name, !c.want)
		}
	}
}
