package snapshot

import (
	"fmt"
	"iter"
	"slices"

	"etrace/analyze"
	"etrace/analyze/property/memory"
	"etrace/analyze/property/paper"
	"etrace/analyze/property/unrecorded"
	"etrace/replay"
	"etrace/tracefmt"
)

var snapshotConsistent = analyze.Property{
	Name:  "snapshot-consistent",
	Kind:  analyze.Safety,
	Pairs: true,
	Doc: `No basic message is in the recorded state of its receiver but not in that of its sender.

So no message sent after the sender's note "record" may be received before the receiver's. Basic messages have one of
the types that the header lists under "basic". Only the first note "record" of a process counts. If the field "before"
of its payload names the sender of the last basic message, the process recorded before it accepted that message. This
is for algorithms in which each message carries whether its sender had recorded. A process that never records is not
in the cut, and causes no violation; neither does a Byzantine process. Each message counts once. The monitor stores
the messages that were sent after their senders' notes, until they arrive, and the messages that arrived too early,
until their receivers record.`,
	Needs:      snapshotNeeds + "; basic in the header, the types of the messages of the base computation",
	Source:     paper.ChandyLamport + ", 3",
	Problem:    tracefmt.Snapshot,
	ViolatedBy: analyze.Facts("note", "send", "receive"),
	ExcusedBy:  unrecorded.NoteFacts,
	Triggers:   unrecorded.NoteFacts,
	New: func(run *tracefmt.Run) analyze.Monitor {
		return &consistentMonitor{
			basic: run.Basic, sentAfterRecord: make(map[tracefmt.MessageID]tracefmt.Seq),
			crossing: newCutCrossings(run), receivedBeforeRecord: make([][]tooEarly, len(run.Members)+1),
			lastReceipt: make([]tooEarly, len(run.Members)+1),
		}
	},
}

// consistentMonitor looks for basic messages that cross the cut backwards: sent after the sender's record, received
// before the receiver's.
type consistentMonitor struct {
	snapshot             *snapshot
	basic                []string
	sentAfterRecord      map[tracefmt.MessageID]tracefmt.Seq // the sends after their senders' notes
	receivedBeforeRecord [][]tooEarly                        // by receiver that has not recorded yet
	stored               int                                 // the number of entries in both
	lastReceipt          []tooEarly                          // by receiver, its last receipt
	crossing             cutCrossings
}

// tooEarly is a message that was sent after its sender's note.
type tooEarly struct {
	from           tracefmt.ProcessID
	sent, received tracefmt.Seq
}

// Follow implements [analyze.Follower].
func (m *consistentMonitor) Follow(f *analyze.Folds) { m.snapshot = analyze.Shared(f, newSnapshot) }

// Step stores sends after a record and receipts before one, and reports such a receipt when its receiver records.
func (m *consistentMonitor) Step(r *analyze.Result, s *replay.State, e *tracefmt.Event) {
	n := m.snapshot
	if e.Process == 0 || n.nonParticipants[e.Process] {
		return
	}
	p, basic := e.Process, slices.Contains(m.basic, e.Type)
	switch {
	case e.Kind == tracefmt.Note && n.records(e):
		for _, crossing := range m.receivedBeforeRecord[p] {
			if crossing.received != m.notTaken(s, e) {
				m.violate(r, s, crossing, e)
			}
		}
		m.stored -= len(m.receivedBeforeRecord[p])
		m.receivedBeforeRecord[p] = nil
	// Only a message that is sent after the sender's record can cross the cut, and only if its receiver has not
	// recorded.
	case e.Kind == tracefmt.Send && basic && n.recorded[p] != 0 && !n.nonParticipants[e.Peer] &&
		n.recorded[e.Peer] == 0:
		if memory.RoomFor(r, m.stored+1, "messages that were sent after a record") {
			m.sentAfterRecord[e.Message], m.stored = e.Seq, m.stored+1
		}
	case e.Kind == tracefmt.Receive && basic && e.Peer != 0 && !n.nonParticipants[e.Peer]:
		r.Examined++
		m.lastReceipt[p] = tooEarly{from: e.Peer, received: e.Seq}
		if n.recorded[p] == 0 {
			m.crossing.receive(r, e)
		}
		// A receipt before the receiver's record violates the cut if the send was after the sender's record.
		if sent, ok := m.sentAfterRecord[e.Message]; ok && n.recorded[p] == 0 {
			delete(m.sentAfterRecord, e.Message)
			m.receivedBeforeRecord[p] = append(m.receivedBeforeRecord[p], tooEarly{e.Peer, sent, e.Seq})
		}
	}
}

// notTaken returns the receipt that the note record excludes from the recorded state, 0 for none.
func (m *consistentMonitor) notTaken(s *replay.State, record *tracefmt.Event) tracefmt.Seq {
	from, ok := record.Field(beforeKey)
	if last := m.lastReceipt[record.Process]; ok && last.received != 0 && s.Named(from) == last.from {
		return last.received
	}
	return 0
}

// Relies implements [analyze.Relying]: no message crossed the cut.
func (m *consistentMonitor) Relies(s *replay.State, _ analyze.Ending) iter.Seq[analyze.Need] {
	return slices.Values(m.crossing.relies(s, m.snapshot, m.basic))
}

// violate reports a message that crosses the cut backwards.
func (m *consistentMonitor) violate(r *analyze.Result, s *replay.State, early tooEarly, e *tracefmt.Event) {
	r.ViolateUnless(analyze.Needs(e.Process, 0, early.received, unrecorded.NoteFacts...), func() string {
		return fmt.Sprintf("process %s records its state at seq %d after it received at seq %d what process %s "+
			"sent at seq %d, after its own record at seq %d",
			s.Run.ProcessName(e.Process), e.Seq, early.received, s.Run.ProcessName(early.from), early.sent,
			m.snapshot.recorded[early.from])
	}, m.snapshot.recorded[early.from], early.sent, early.received, m.notTaken(s, e), e.Seq)
}

// End reports a run without a snapshot as not applicable.
func (m *consistentMonitor) End(r *analyze.Result, _ *replay.State, _ analyze.Ending) {
	m.snapshot.end(r)
}
