package replay_test

import (
	"strconv"
	"testing"

	"etrace/replay"
	"etrace/tracefmt"
)

// TestManyTypes: for any number of types it is known which processes exchange them, and which sends are not
// recorded.
func TestManyTypes(t *testing.T) {
	const a, b, c = 1, 2, 3
	run := &tracefmt.Run{Members: []tracefmt.Member{{Name: "a"}, {Name: "b"}, {Name: "c"}}}
	s := replay.NewState(run)
	seq := tracefmt.Seq(0)
	apply := func(e tracefmt.Event) {
		seq++
		e.Seq = seq
		s.Apply(&e)
	}
	const types = 200
	for i := range types {
		typ := strconv.Itoa(i)
		if i%2 == 0 {
			apply(tracefmt.Event{Kind: tracefmt.Send, Process: a, Peer: b, Type: typ, Message: tracefmt.MessageID(i + 1)})
		} else {
			apply(tracefmt.Event{Kind: tracefmt.Receive, Process: c, Peer: b, Type: typ, Message: tracefmt.MessageID(i + 1)})
		}
	}
	words := s.Vocabulary()
	if recorded, known := words.Types(tracefmt.Lose); !known || len(recorded) != types {
		t.Fatalf("got %d types, want %d", len(recorded), types)
	}
	for i := range types {
		typ, sent := strconv.Itoa(i), i%2 == 0
		for _, tt := range []struct {
			name      string
			got, want bool
		}{
			{"a to b", words.MayArrive(a, b, typ), sent},
			{"b to c", words.MayArrive(b, c, typ), !sent},
			{"b to a", words.MayArrive(b, a, typ), false},
			{"b lacks sends", words.LacksSends(b, typ), !sent},
			{"a lacks sends", words.LacksSends(a, typ), false},
		} {
			if tt.got != tt.want {
				t.Errorf("type %s, %s: got %t, want %t", typ, tt.name, tt.got, tt.want)
			}
		}
	}
}
