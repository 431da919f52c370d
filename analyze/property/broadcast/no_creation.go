package broadcast

import (
	"fmt"

	"etrace/analyze"
	"etrace/analyze/property/members"
	"etrace/analyze/property/paper"
	"etrace/analyze/property/unrecorded"
	"etrace/replay"
	"etrace/tracefmt"
)

var broadcastNoCreation = analyze.Property{
	Name: "broadcast-no-creation",
	Kind: analyze.Safety,
	Doc: `A delivered message was broadcast before. If the delivery names a sender (payload key sender), this process broadcast it.

Before refers to the recorded order. Each delivery counts, except deliveries that name a sender that does not participate, a
client or a Byzantine process: its broadcasts need not be recorded.`,
	Needs:      broadcastNeeds,
	Source:     paper.ReliableProgramming + ", 3.3: RB3, no creation",
	Problem:    "broadcast",
	ViolatedBy: unrecorded.NoteFacts,
	ExcusedBy:  unrecorded.NoteFacts,
	New: func(run *tracefmt.Run) analyze.Monitor {
		return &broadcastCreationMonitor{newBroadcasts(run)}
	},
}

// broadcastCreationMonitor checks that each delivered message was broadcast before.
type broadcastCreationMonitor struct{ broadcasts }

// Step reports a delivery without a broadcast, or with another sender than that of the broadcast.
func (m *broadcastCreationMonitor) Step(r *analyze.Result, s *replay.State, e *tracefmt.Event) {
	i, outcome := m.step(r, s, e)
	if outcome != recordsDelivery && outcome != recordsDeliveryAgain || m.fromAside(s, e) {
		return
	}
	r.Examined++
	switch {
	case m.list[i].sent == 0:
		r.ViolateUnless(m.broadcastBy(s, e), func() string {
			return fmt.Sprintf("process %s delivers at seq %d what no process has broadcast",
				s.Run.ProcessName(e.Process), e.Seq)
		}, e.Seq)
	case !m.rightSender(s, e, i):
		r.ViolateUnless(m.broadcastBy(s, e), func() string {
			sender, _ := e.Field(senderKey)
			return fmt.Sprintf("process %s delivers at seq %d as a message of %s %s", s.Run.ProcessName(e.Process),
				e.Seq, members.Short(sender), m.name(s, i))
		}, m.list[i].sent, e.Seq)
	}
}

// fromAside reports whether a delivery names a sender that does not participate.
func (m *broadcastCreationMonitor) fromAside(s *replay.State, e *tracefmt.Event) bool {
	value, _ := e.Field(senderKey)
	sender, ok := s.Run.ProcessValue(value)
	return ok && m.nonParticipants[sender]
}

// rightSender reports whether a delivery names the sender of its message, or no sender.
func (m *broadcastCreationMonitor) rightSender(s *replay.State, e *tracefmt.Event, i int) bool {
	value, named := e.Field(senderKey)
	if !named {
		return true
	}
	sender, ok := s.Run.ProcessValue(value)
	return ok && sender == m.list[i].sender
}

// End reports a run without notes of broadcast as not applicable.
func (m *broadcastCreationMonitor) End(r *analyze.Result, _ *replay.State, _ analyze.Ending) {
	m.end(r)
}

// broadcastBy returns the needs for an unrecorded broadcast of a delivered message, by the named sender, or by
// any process.
func (m *broadcastCreationMonitor) broadcastBy(s *replay.State, e *tracefmt.Event) []analyze.Need {
	value, named := e.Field(senderKey)
	sender, ok := s.Run.ProcessValue(value)
	switch {
	case !named:
		return analyze.Needs(analyze.EveryProcess, 0, e.Seq, unrecorded.NoteFacts...)
	case ok && sender != 0:
		return analyze.Needs(sender, 0, e.Seq, unrecorded.NoteFacts...)
	}
	return nil
}
