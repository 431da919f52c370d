package property

import (
	"fmt"
	"slices"

	"etrace/analyze"
	"etrace/replay"
	"etrace/tracefmt"
)

var causalDelivery = analyze.Property{
	Name: "causal-delivery",
	Kind: analyze.Safety,
	Doc: `Of two messages to one process, the one whose send happened before that of the other is received first.

A message that is lost or on its way at the end of the run is received never,
not late, and the second receive of a duplicated message is not compared with
the order. Channels that keep their order promise less: a message may be
overtaken by one that went another way. Each message that is received too late
counts once.

For each receiver it is kept, for each process, up to which of its steps the
sends of the messages received so far know. A message whose send is one of
these steps comes too late. That costs one look and one pass over the processes
for each receive.`,
	Needs:     "receive events that name their sends",
	Source:    "Birman, Joseph, Reliable Communication in the Presence of Failures, 1987; Schwarz, Mattern, Detecting Causal Relationships in Distributed Computations, 1994",
	OnRequest: true,
	New: func(run *tracefmt.Run) analyze.Monitor {
		return &causalMonitor{clocks: replay.NewClocks(run), known: make([][]heard, len(run.Members)+1)}
	},
}

type causalMonitor struct {
	clocks *replay.Clocks
	// known is kept by receiver and process: the latest step of the process
	// that the send of a received message knew.
	known    [][]heard
	received seqSet // the sends whose messages were received
}

// heard is a step that the send of a received message knew.
type heard struct{ step, sent, at tracefmt.Seq }

func (m *causalMonitor) Step(r *analyze.Result, s *replay.State, e *tracefmt.Event) {
	if m.clocks.Incomplete() != "" {
		return
	}
	if e.Kind == tracefmt.Receive {
		r.Examined++
		if !m.received.has(e.Cause) {
			m.receive(r, s, e)
		}
	}
	m.clocks.Step(e)
}

// receive takes in the first receive of a message, while the clocks still have
// that of its send.
func (m *causalMonitor) receive(r *analyze.Result, s *replay.State, e *tracefmt.Event) {
	sent, ok := m.clocks.CutOf(e.Cause)
	if !ok {
		r.Undecided(func() string {
			return fmt.Sprintf("the receive at seq %d names seq %d as its send, of which no clock is known", e.Seq, e.Cause)
		})
		return
	}
	m.received.add(e.Cause)
	known := m.known[e.Process]
	if known == nil {
		known = make([]heard, len(sent))
		m.known[e.Process] = known
	}
	sender := slices.Index(sent, e.Cause)
	if first := known[sender]; first.step >= e.Cause {
		r.Violate(func() string {
			return fmt.Sprintf("process %s receives at seq %d what was sent at seq %d, after it received at seq %d what was sent at seq %d, although seq %d happened before seq %d",
				s.Run.ProcessName(e.Process), e.Seq, e.Cause, first.at, first.sent, e.Cause, first.sent)
		}, e.Cause, first.sent, first.at, e.Seq)
	}
	for p, step := range sent {
		if step > known[p].step {
			known[p] = heard{step, e.Cause, e.Seq}
		}
	}
}

func (m *causalMonitor) End(r *analyze.Result, _ *replay.State, _ analyze.Ending) {
	if m.clocks.Incomplete() != "" {
		r.Undecided(m.clocks.Incomplete)
	}
}
