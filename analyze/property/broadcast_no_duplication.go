package property

import (
	"fmt"

	"etrace/analyze"
	"etrace/replay"
	"etrace/tracefmt"
)

var broadcastNoDuplication = analyze.Property{
	Name: "broadcast-no-duplication",
	Kind: analyze.Safety,
	Doc: `No process delivers a message twice.

That a process crashed and recovered between is no excuse: what it delivered,
it delivered. Each delivery after the first counts.`,
	Needs:    broadcastNeeds,
	Source:   reliableProgramming + ", 3.3: RB2, no duplication",
	Problem:  "broadcast",
	Convicts: noteFacts,
	New: func(run *tracefmt.Run) analyze.Monitor {
		return &broadcastDuplicationMonitor{newBroadcasts(run)}
	},
}

type broadcastDuplicationMonitor struct{ broadcasts }

func (m *broadcastDuplicationMonitor) Step(r *analyze.Result, s *replay.State, e *tracefmt.Event) {
	i, what := m.step(r, s, e)
	switch what {
	case tellsDelivery:
		r.Examined++
	case tellsDeliveryAgain:
		first := *m.delivered(i, e.Process)
		r.Violate(func() string {
			return fmt.Sprintf("process %s delivers at seq %d what it delivered at seq %d", s.Run.ProcessName(e.Process), e.Seq, first)
		}, first, e.Seq)
	}
}

func (m *broadcastDuplicationMonitor) End(r *analyze.Result, _ *replay.State, _ analyze.Ending) {
	m.end(r)
}
