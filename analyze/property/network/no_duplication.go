package network

import (
	"fmt"
	"iter"
	"slices"

	"etrace/analyze"
	"etrace/analyze/planned"
	"etrace/analyze/property/paper"
	"etrace/analyze/property/unrecorded"
	"etrace/replay"
	"etrace/tracefmt"
)

var noDuplication = analyze.Property{
	Name:  "no-duplication",
	Pairs: true,
	Kind:  analyze.Safety,
	Doc: `No message is received more than once.

A message is the content of one send event: two messages with equal fields are two messages. Each further receive counts. A run
without the trait no-duplication, or reliable, promises nothing, and neither does a scenario with duplication: such runs are
examined only if the property is named.`,
	Needs:      "receive events with message ids",
	Source:     paper.ReliableProgramming + ", 2.4: no duplication",
	Presumed:   []string{tracefmt.NoDuplicates},
	ViolatedBy: unrecorded.ReceiveFacts,
	Assumption: "the network duplicates no message",
	Assumes:    planned.Without("duplicate"),
	New:        func(*tracefmt.Run) analyze.Monitor { return new(duplicationMonitor) },
}

// duplicationMonitor stores the first receive of each message.
type duplicationMonitor struct {
	received tracefmt.MessageTable[tracefmt.Seq] // the first receive
}

// Step reports each further receive of a message.
func (m *duplicationMonitor) Step(r *analyze.Result, s *replay.State, e *tracefmt.Event) {
	if e.Kind != tracefmt.Receive {
		return
	}
	r.Examined++
	first := m.received.Get(e.Message)
	if first == nil {
		m.received.Put(e.Message, e.Seq)
		return
	}
	r.Violate(func() string {
		return fmt.Sprintf("process %s receives message %d at seq %d, which was received at seq %d already",
			s.Run.ProcessName(e.Process), e.Message, e.Seq, *first)
	}, *first, e.Seq)
}

// End does nothing: each receive was judged at once.
func (m *duplicationMonitor) End(*analyze.Result, *replay.State, analyze.Ending) {}

// Relies implements [analyze.Relying].
func (m *duplicationMonitor) Relies(s *replay.State, _ analyze.Ending) iter.Seq[analyze.Need] {
	return slices.Values(analyze.Needs(analyze.EveryProcess, 0, 0, unrecorded.ReceiveFacts...))
}
