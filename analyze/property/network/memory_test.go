package network

import (
	"testing"

	"etrace/analyze"
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
