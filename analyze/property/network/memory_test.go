package network

import (
	"slices"
	"testing"

	"pgregory.net/rapid"

	"etrace/analyze"
	"etrace/analyze/property/memory"
	"etrace/replay"
	"etrace/tracefmt"
)

// TestLossesAreForgotten: the clock of a send is kept while the message is on its
// way, and no longer, whatever becomes of it.
func TestLossesAreForgotten(t *testing.T) {
	run := &tracefmt.Run{Members: make([]tracefmt.Member, 2)}
	m, s := lamportClocks.New(run).(*lamportMonitor), replay.NewState(run)
	for i, end := range []tracefmt.Kind{tracefmt.Lose, tracefmt.Receive, tracefmt.Lose} {
		seq := tracefmt.Seq(2*i + 1)
		m.Step(new(analyze.Result), s, &tracefmt.Event{
			Seq: seq, Kind: tracefmt.Send, Process: 1, Peer: 2,
			Message: tracefmt.MessageID(seq), Lamport: int64(seq),
		})
		if len(m.sends) != 1 {
			t.Fatalf("%d clocks are kept of one message on its way", len(m.sends))
		}
		m.Step(new(analyze.Result), s, &tracefmt.Event{
			Seq: seq + 1, Kind: end, Process: 2, Peer: 1,
			Message: tracefmt.MessageID(seq), Cause: seq, Lamport: int64(seq) + 1,
		})
		if len(m.sends) != 0 {
			t.Errorf("%d clocks are kept after the %v event", len(m.sends), end)
		}
	}
}

// TestIndexedIsAMap: what is set is there until it is removed, nothing else is,
// and a walk comes by in order.
func TestIndexedIsAMap(t *testing.T) {
	near := rapid.Int64Range(-2, 40)
	index := rapid.OneOf(near, near, rapid.Int64Range(-1<<63, 1<<63-1))
	rapid.Check(t, func(t *rapid.T) {
		var x memory.Indexed[int64]
		want := map[int64]int64{}
		for range rapid.IntRange(0, 80).Draw(t, "steps") {
			i := index.Draw(t, "index")
			if i < 0 || rapid.Bool().Draw(t, "remove") {
				x.Remove(i)
				delete(want, i)
			} else {
				want[i] = rapid.Int64Range(0, 1).Draw(t, "thing")
				x.Set(i, want[i])
			}
		}
		from, receiver := index.Filter(func(i int64) bool { return i >= 0 }).Draw(t, "from"), index.Draw(t, "to")
		var walked, passed []int64
		for i, thing := range x.Between(from, receiver) {
			walked = append(walked, i)
			if thing != want[i] {
				t.Errorf("walking by %d: got %d, want %d", i, thing, want[i])
			}
		}
		for i, thing := range want {
			if got, ok := x.Get(i); !ok || got != thing {
				t.Errorf("at %d: got %d, %v, want %d", i, got, ok, thing)
			}
			if from <= i && i <= receiver {
				passed = append(passed, i)
			}
		}
		slices.Sort(passed)
		if !slices.Equal(walked, passed) || x.Length != len(want) {
			t.Errorf("walked by %d of %d from %d to %d, want %d of %d", walked, x.Length, from, receiver, passed, len(want))
		}
		for _, i := range []int64{-1, -8, -1 << 63, 41} {
			_, set := want[i]
			if _, ok := x.Get(i); ok && !set {
				t.Errorf("there is something at %d", i)
			}
		}
	})
}
