package property

import (
	"fmt"
	"slices"

	"etrace/analyze"
	"etrace/replay"
	"etrace/tracefmt"
)

var oneElectionAtATime = analyze.Property{
	Name: "one-election-at-a-time",
	Kind: analyze.Safety,
	Doc: `A process that holds an election of its own does not begin another one.

It shows in the messages: within one election a process asks another at most
once, that is, between two messages ` + either(asks) + ` from one
process to the same other, the election has ended at the sender. It ends when the
sender assigns elected, since it has won or heard of a winner, when a timer of it
expires, since it gives up waiting and asks again, and when it goes down. Each
message too many counts. Elections of several processes at a time are allowed. A
recording that has no timers, or does not say who is elected, does not show each end, and
leaves it unknown.`,
	Needs:    "send events of the messages ELECTION; state events that assign elected; timeout, crash, halt and recover events",
	Source:   slides + ", Assumptions: each process can call only one election at a time; lecture notes, Distributed Systems - Theory 12: unless already holding one",
	Problem:  "election",
	Presumed: []string{tracefmt.Guarded},
	New: func(run *tracefmt.Run) analyze.Monitor {
		return &oneElectionMonitor{asked: map[channel]tracefmt.Seq{}, ended: make([]tracefmt.Seq, len(run.Members)+1)}
	},
}

type oneElectionMonitor struct {
	asked map[channel]tracefmt.Seq // the latest ELECTION
	ended []tracefmt.Seq           // by process: the latest end of an election

	timers bool // the run has some
	wrong  int  // messages too many; the first is again, after before
	before tracefmt.Seq
	again  asking
}

// asking is a message ELECTION.
type asking struct {
	at tracefmt.Seq
	on channel
}

func (m *oneElectionMonitor) Step(r *analyze.Result, s *replay.State, e *tracefmt.Event) {
	m.timers = m.timers || slices.Contains([]tracefmt.Kind{tracefmt.SetTimer, tracefmt.CancelTimer, tracefmt.Timeout}, e.Kind)
	switch {
	case endsElection(s, e):
		m.ended[e.Process] = e.Seq
	case e.Kind == tracefmt.Send && slices.Contains(asks, e.Type):
		r.Examined++
		c := channel{e.Process, e.Peer}
		if before := m.asked[c]; before > m.ended[e.Process] {
			if m.wrong++; m.wrong == 1 {
				m.before, m.again = before, asking{e.Seq, c}
			}
		}
		m.asked[c] = e.Seq
	}
}

func endsElection(s *replay.State, e *tracefmt.Event) bool {
	switch e.Kind {
	case tracefmt.Timeout, tracefmt.Crash, tracefmt.Halt, tracefmt.Recover:
		return true
	}
	return assigns(s, e)
}

func (m *oneElectionMonitor) End(r *analyze.Result, s *replay.State, _ analyze.Ending) {
	if m.wrong == 0 {
		return
	}
	explain := func() string {
		return fmt.Sprintf("process %s asks process %s at seq %d and again at seq %d, and no election of it has ended in between",
			s.Run.ProcessName(m.again.on.from), s.Run.ProcessName(m.again.on.to), m.before, m.again.at)
	}
	if !s.Run.TellsAll() && !(m.timers && s.HasElected()) {
		r.Undecided(func() string { return explain() + ", as far as a recording without timers and elected shows" })
		return
	}
	r.Violate(explain, m.before, m.again.at)
	r.Violations = m.wrong
}
