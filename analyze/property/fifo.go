package property

import (
	"fmt"
	"slices"

	"etrace/analyze"
	"etrace/replay"
	"etrace/tracefmt"
)

var fifo = analyze.Property{
	Name: "fifo",
	Kind: analyze.Safety,
	Doc: `On each channel, messages are received in the order in which they were sent.

Lost messages leave gaps, which are allowed; the second receive of a duplicated
message is not held against the order. A run whose scenario lets messages
overtake each other (reorder) is not examined unless the property is asked for
by name.`,
	Source: "Lamport, Time, Clocks, and the Ordering of Events in a Distributed System, 1978",
	Assumes: func(run *tracefmt.Run) string {
		for key, value := range tracefmt.Fields(run.Scenario) {
			if string(key) == "reorder" && string(value) == `"on"` {
				return "the scenario lets messages overtake each other (reorder)"
			}
		}
		return ""
	},
	New: func(*tracefmt.Run) analyze.Monitor {
		return &fifoMonitor{last: make(map[channel]received), seen: make(map[tracefmt.MessageID]bool)}
	},
}

type channel struct{ from, to tracefmt.ProcessID }

// received is the latest send that was received, and where.
type received struct{ sent, at tracefmt.Seq }

type fifoMonitor struct {
	last map[channel]received
	seen map[tracefmt.MessageID]bool
}

func (m *fifoMonitor) Step(r *analyze.Result, s *replay.State, e *tracefmt.Event) {
	if e.Kind != tracefmt.Receive {
		return
	}
	r.Examined++
	c := channel{e.Peer, e.Process}
	last := m.last[c]
	if e.Cause < last.sent && !m.seen[e.Message] {
		witness := []tracefmt.Seq{e.Cause, last.sent, last.at, e.Seq}
		slices.Sort(witness)
		r.Violate(fmt.Sprintf("process %s receives from %s at seq %d what was sent at seq %d, after it received at seq %d what was sent later, at seq %d",
			s.Run.ProcessName(e.Process), s.Run.ProcessName(e.Peer), e.Seq, e.Cause, last.at, last.sent), witness...)
	}
	m.seen[e.Message] = true
	if e.Cause > last.sent {
		m.last[c] = received{e.Cause, e.Seq}
	}
}

func (m *fifoMonitor) End(*analyze.Result, *replay.State, analyze.Ending) {}
