package snapshot

import (
	"slices"

	"etrace/analyze"
	"etrace/analyze/property/members"
	"etrace/analyze/property/memory"
	"etrace/analyze/property/unrecorded"
	"etrace/replay"
	"etrace/tracefmt"
)

// cutCrossings stores the receipts before their receivers' notes record that matter in an incomplete recording:
// with a missing note, such a message may have been sent after its sender's record.
type cutCrossings struct {
	nonParticipants []bool
	pairs           map[memory.Channel]crossing
}

// crossing is about the messages of a channel received before the receiver recorded: the last send, and the last
// receipt without a recorded send; 0 for none.
type crossing struct{ sent, orphan tracefmt.Seq }

// newCutCrossings returns the state before the first event.
func newCutCrossings(run *tracefmt.Run) cutCrossings {
	return cutCrossings{members.Bystanders(run), make(map[memory.Channel]crossing)}
}

// receive takes a receipt of a basic message.
func (m *cutCrossings) receive(r *analyze.Result, e *tracefmt.Event) {
	channel := memory.Channel{From: e.Peer, Receiver: e.Process}
	c, known := m.pairs[channel]
	if !known && !memory.RoomFor(r, len(m.pairs)+1, "channels") {
		return
	}
	c.sent = max(c.sent, e.Cause)
	if e.Cause == 0 {
		c.orphan = e.Seq
	}
	m.pairs[channel] = c
}

// relies returns the facts whose complete record shows that no message crossed the cut.
func (m *cutCrossings) relies(s *replay.State, n *snapshot, basic []string) (needs []analyze.Need) {
	if s.Coverage().Complete() || len(basic) == 0 {
		return nil
	}
	// Above FewProofs processes, a search for a path between each pair costs too much: all facts may matter.
	if len(s.Run.Members) > unrecorded.FewProofs {
		return analyze.Needs(analyze.AnyProcess, 0, 0, snapshotConsistent.ViolatedBy...)
	}
	flights := slices.DeleteFunc(s.Flights(), func(f replay.Flight) bool { return !slices.Contains(basic, f.Type) })
	for _, p := range members.All(s.Run) {
		from, ok := m.earliest(s, n, p)
		if !ok {
			continue
		}
		for _, q := range members.All(s.Run) {
			// A message crosses the cut only if it arrives before its receiver records, after its sender has
			// recorded.
			if q == p || !m.records(s, n, q) || n.recorded[q] != 0 && n.recorded[q] <= from {
				continue
			}
			channel := memory.Channel{From: p, Receiver: q}
			needs = append(needs, unrecorded.Path(s, flights, channel, from, n.recorded[q])...)
			needs = append(needs, m.recorded(n, channel, from)...)
		}
	}
	return needs
}

// records reports whether p has recorded, or may have.
func (m *cutCrossings) records(s *replay.State, n *snapshot, p tracefmt.ProcessID) bool {
	return !m.nonParticipants[p] && (n.recorded[p] != 0 || s.Coverage().Missing(p, unrecorded.NoteFact, 0, 0))
}

// earliest returns the earliest event at which p may have recorded; ok is false if it did not.
func (m *cutCrossings) earliest(s *replay.State, n *snapshot, p tracefmt.ProcessID) (from tracefmt.Seq, ok bool) {
	if s.Coverage().Missing(p, unrecorded.NoteFact, 0, n.recorded[p]) {
		return 0, m.records(s, n, p)
	}
	return n.recorded[p], m.records(s, n, p)
}

// recorded returns the facts by which a message with a recorded receipt crosses the cut: an earlier record of the
// sender, a later record of the receiver, or a receipt that the note wrongly excludes.
func (m *cutCrossings) recorded(n *snapshot, at memory.Channel, from tracefmt.Seq) (needs []analyze.Need) {
	c := m.pairs[at]
	if c.orphan > from {
		needs = analyze.Needs(at.From, from, c.orphan, unrecorded.SendFacts...)
	}
	if c.sent <= from {
		return needs
	}
	recorded := n.recorded[at.From]
	if recorded == 0 || recorded > c.sent {
		return append(needs, analyze.Needs(at.From, 0, c.sent, unrecorded.NoteFacts...)...)
	}
	needs = append(needs, analyze.Needs(at.From, 0, recorded, unrecorded.NoteFacts...)...)
	if n.recorded[at.Receiver] == 0 {
		return append(needs, analyze.Needs(at.Receiver, from, 0, unrecorded.NoteFacts...)...)
	}
	// The note of the receiver excludes the last message.
	return append(needs, analyze.Needs(at.Receiver, from, n.recorded[at.Receiver], unrecorded.ReceiveFacts...)...)
}
