package property

import (
	"fmt"

	"etrace/analyze"
	"etrace/replay"
	"etrace/tracefmt"
)

var broadcastFIFOOrder = analyze.Property{
	Name: "broadcast-fifo-order",
	Kind: analyze.Safety,
	Doc: `If a process broadcasts one message before another, no process delivers the
second unless it has delivered the first.

It is asked of every process, also of one that crashes later. Each first
delivery counts; a message that was delivered before anybody broadcast it is the
business of broadcast-no-creation.

Not every broadcast promises that: it is examined in runs that state the trait
fifo-order, or causal-order, which includes it, and in others when it is named.`,
	Needs:    broadcastNeeds,
	Source:   reliableProgramming + ", 3.9: FRB5, FIFO delivery",
	Problem:  tracefmt.Broadcast,
	Convicts: noteFacts,
	Acquits:  noteFacts,
	Presumed: []string{tracefmt.FIFOOrder},
	New: func(run *tracefmt.Run) analyze.Monitor {
		return &fifoOrderMonitor{newOrdered(run)}
	},
}

type fifoOrderMonitor struct{ ordered }

func (m *fifoOrderMonitor) Step(r *analyze.Result, s *replay.State, e *tracefmt.Event) {
	i, what := m.step(r, s, e)
	if what != tellsDelivery || m.all[i].sent == 0 {
		return
	}
	r.Examined++
	sent := m.all[i]
	if earlier, lacks := m.lacks(e.Process, sent.sender, int(sent.number)-1); lacks {
		r.ViolateUnless(deliveries(e.Process, 0, e.Seq), func() string {
			return fmt.Sprintf("process %s delivers at seq %d %s, but not yet what %s broadcast before, at seq %d",
				s.Run.ProcessName(e.Process), e.Seq, m.name(s, i), s.Run.ProcessName(sent.sender), m.all[earlier].sent)
		}, m.all[earlier].sent, sent.sent, e.Seq)
	}
}

func (m *fifoOrderMonitor) End(r *analyze.Result, _ *replay.State, _ analyze.Ending) { m.end(r) }
