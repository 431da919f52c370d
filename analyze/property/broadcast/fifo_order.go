package broadcast

import (
	"fmt"

	"etrace/analyze"
	"etrace/analyze/property/paper"
	"etrace/analyze/property/unrecorded"
	"etrace/replay"
	"etrace/tracefmt"
)

var broadcastFIFOOrder = analyze.Property{
	Name: "broadcast-fifo-order",
	Kind: analyze.Safety,
	Doc: `If a process broadcasts one message before another, no process delivers the second before the first.

The property holds for every process, also for a process that crashes later. Each first delivery counts; a message that was
delivered before its broadcast is judged by broadcast-no-creation.

Not every broadcast promises FIFO order: the property is examined in runs that state the trait fifo-order, or causal-order,
which includes it, and in others if it is named.`,
	Needs:      broadcastNeeds,
	Source:     paper.ReliableProgramming + ", 3.9: FRB5, FIFO delivery",
	Problem:    tracefmt.Broadcast,
	ViolatedBy: unrecorded.NoteFacts,
	ExcusedBy:  unrecorded.NoteFacts,
	Presumed:   []string{tracefmt.FIFOOrder},
	New: func(run *tracefmt.Run) analyze.Monitor {
		return &fifoOrderMonitor{newOrdered(run)}
	},
}

// fifoOrderMonitor checks each first delivery against the earlier broadcasts of the same sender.
type fifoOrderMonitor struct{ ordered }

// Step reports a delivery if the process has not delivered an earlier message of the sender.
func (m *fifoOrderMonitor) Step(r *analyze.Result, s *replay.State, e *tracefmt.Event) {
	i, outcome := m.step(r, s, e)
	if outcome != recordsDelivery || m.list[i].sent == 0 {
		return
	}
	r.Examined++
	sent := m.list[i]
	if earlier, lacks := m.firstMissing(e.Process, sent.sender, int(sent.number)-1); lacks {
		r.ViolateUnless(deliveries(e.Process, 0, e.Seq), func() string {
			return fmt.Sprintf("process %s delivers at seq %d %s, but not yet what %s broadcast before, at seq %d",
				s.Run.ProcessName(e.Process), e.Seq, m.name(s, i), s.Run.ProcessName(sent.sender), m.list[earlier].sent)
		}, m.list[earlier].sent, sent.sent, e.Seq)
	}
}

// End reports a run without notes of broadcast as not applicable.
func (m *fifoOrderMonitor) End(r *analyze.Result, _ *replay.State, _ analyze.Ending) { m.end(r) }
