package broadcast

import (
	"fmt"
	"iter"

	"etrace/analyze"
	"etrace/analyze/property/paper"
	"etrace/analyze/property/unrecorded"
	"etrace/replay"
	"etrace/tracefmt"
)

var broadcastValidity = analyze.Property{
	Name: "broadcast-validity",
	Kind: analyze.Liveness,
	Doc: `A correct process that broadcasts a message eventually delivers it itself.

A process is correct if it participates, and neither crashes nor halts in the whole run. While the run can go on, a message
that its sender has not delivered is an open obligation.`,
	Needs:      broadcastNeeds,
	Source:     paper.ReliableProgramming + ", 3.3: RB1, validity",
	Problem:    "broadcast",
	ViolatedBy: unrecorded.NoteFacts,
	ExcusedBy:  analyze.Facts("note", "crash", "halt"),
	New: func(run *tracefmt.Run) analyze.Monitor {
		return &broadcastValidityMonitor{newPromised(run)}
	},
}

// broadcastValidityMonitor checks at the end that correct senders have delivered their own messages.
type broadcastValidityMonitor struct{ promised }

// End reports the messages that their correct senders have not delivered.
func (m *broadcastValidityMonitor) End(r *analyze.Result, s *replay.State, end analyze.Ending) {
	if !m.end(r) {
		return
	}
	for i, b := range m.list {
		if b.sent == 0 || !m.faults.IsCorrect(s, b.sender) {
			continue
		}
		r.Examined++
		if *m.delivered(i, b.sender) == 0 {
			met := append(deliveries(b.sender, 0, 0), analyze.Needs(b.sender, 0, 0, unrecorded.DownFacts...)...)
			unrecorded.OweUnless(r, end, met, func() string {
				return fmt.Sprintf("process %s has not delivered what it broadcast at seq %d",
					s.Run.ProcessName(b.sender), b.sent)
			}, b.sent, end.LoopFrom, end.LoopTo)
		}
	}
}

// Relies implements [analyze.Relying]: no further message was broadcast.
func (m *broadcastValidityMonitor) Relies(s *replay.State, _ analyze.Ending) iter.Seq[analyze.Need] {
	_, notes := m.possiblyCorrectProcesses(s)
	return notes
}
