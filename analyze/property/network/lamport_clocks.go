package network

import (
	"fmt"
	"iter"
	"slices"

	"etrace/analyze"
	"etrace/analyze/property/paper"
	"etrace/analyze/property/unrecorded"
	"etrace/replay"
	"etrace/tracefmt"
)

var lamportClocks = analyze.Property{
	Name:  "lamport-clocks",
	Pairs: true,
	Kind:  analyze.Safety,
	Doc: `The Lamport clock of an event is greater than those of the previous event of its process and of its causes.

In a run that etrace simulated or recorded, it is greater by exactly one than the greatest of these. The loss of a message is
no step of its receiver: its clock is compared with that of the send only. An event of a process without a clock leaves the
property unknown. The clock of a send is stored until the message arrives or is lost; of the other events, only the last
262144 clocks are stored.`,
	ViolatedBy: unrecorded.AllStepFacts,
	ExcusedBy:  unrecorded.AllStepFacts,
	Needs:      "Lamport clocks (lamport)",
	Assumption: "the clocks are recorded, and were not computed from the order",
	Assumes: func(run *tracefmt.Run) string {
		if run.Imported() {
			return "the run was imported, and its Lamport clocks were computed then"
		}
		return ""
	},
	Source:   paper.Lamport1978 + ": clock condition, IR1 and IR2",
	OfRecord: true,
	New: func(run *tracefmt.Run) analyze.Monitor {
		return &lamportMonitor{
			last:  make([]clocked, len(run.Members)+1),
			sends: make(map[tracefmt.Seq]int64),
			exact: run.Source == tracefmt.Simulated || run.Source == "recorded",
		}
	},
}

// recentEvents is the number of recent events that may be named as a cause without a message.
const recentEvents = 1 << 18

// lamportMonitor stores the clocks that the next events are compared with.
type lamportMonitor struct {
	last      []clocked              // by process: its last step
	sends     map[tracefmt.Seq]int64 // the clocks of messages in transit
	recent    []clocked              // a ring of the last events, by seq
	exact     bool
	hasClocks bool // some event has a clock
}

// clocked is an event with its Lamport clock.
type clocked struct {
	seq   tracefmt.Seq
	clock int64
}

// Step checks the clock of an event and stores it.
func (m *lamportMonitor) Step(r *analyze.Result, s *replay.State, e *tracefmt.Event) {
	if e.Mark() != "" { // the importer added the event: the system recorded no clock for it
		return
	}
	if e.Process != 0 {
		r.Examined++
		m.hasClocks = m.hasClocks || e.Lamport != 0
		m.examine(r, s, e)
	}
	m.storeClock(e)
}

// examine compares the event's clock with the greatest clock among its direct predecessors.
func (m *lamportMonitor) examine(r *analyze.Result, s *replay.State, e *tracefmt.Event) {
	predecessor := m.greatestPredecessor(r, e)
	switch {
	case e.Lamport == 0:
		r.Undecided(func() string { return fmt.Sprintf("the event at seq %d has no Lamport clock", e.Seq) })
	case e.Lamport <= predecessor.clock:
		r.ViolateUnless(nil, func() string { return m.explain(s.Run, e, predecessor) }, predecessor.seq, e.Seq)
	case m.exact && e.Lamport != predecessor.clock+1 && !orphaned(s, e):
		r.ViolateUnless(m.jump(s, e), func() string { return m.explain(s.Run, e, predecessor) }, predecessor.seq, e.Seq)
	}
}

// orphaned reports whether the event belongs to a message without a recorded send.
func orphaned(s *replay.State, e *tracefmt.Event) bool {
	return (e.Kind == tracefmt.Receive || e.Kind == tracefmt.Lose) && e.Cause == 0 &&
		s.Coverage().DeclaredMissing(e.Peer, unrecorded.SendFact, 0, e.Seq)
}

// jump returns the needs for unrecorded steps by which a clock may have grown.
func (m *lamportMonitor) jump(s *replay.State, e *tracefmt.Event) []analyze.Need {
	if e.Kind == tracefmt.Lose {
		return nil
	}
	var needs []analyze.Need
	for _, f := range unrecorded.AllStepFacts {
		if s.Coverage().DeclaredMissing(e.Process, f, m.last[e.Process].seq, e.Seq) {
			// Only kinds that the run declares incomplete can be missing.
			needs = append(needs, analyze.Need{Process: e.Process, Fact: f, From: m.last[e.Process].seq, To: e.Seq})
		}
	}
	return needs
}

// greatestPredecessor returns the event with the greatest clock among the direct predecessors of e.
func (m *lamportMonitor) greatestPredecessor(r *analyze.Result, e *tracefmt.Event) clocked {
	var before clocked
	// A loss is listed at the receiver, which does not learn of it.
	if e.Kind != tracefmt.Lose {
		before = m.last[e.Process]
	}
	for cause := range e.Causes() {
		c, ok := m.earlier(cause)
		if !ok && cause > 0 && cause < e.Seq {
			r.Undecided(func() string {
				return fmt.Sprintf("seq %d names seq %d as its cause, which lies too far back for its clock to be kept", e.Seq, cause)
			})
		}
		if c.clock > before.clock && cause < e.Seq {
			before = c
		}
	}
	return before
}

// earlier returns an event with its clock; ok is false if the clock is no longer stored.
func (m *lamportMonitor) earlier(seq tracefmt.Seq) (clocked, bool) {
	if clock, ok := m.sends[seq]; ok {
		return clocked{seq, clock}, true
	}
	if i := int(seq % recentEvents); seq > 0 && i < len(m.recent) && m.recent[i].seq == seq {
		return m.recent[i], true
	}
	return clocked{}, false
}

// storeClock stores the event's clock as the last of its process, for its message, and among the recent events.
func (m *lamportMonitor) storeClock(e *tracefmt.Event) {
	c := clocked{e.Seq, e.Lamport}
	at := int(e.Seq % recentEvents)
	if at >= len(m.recent) {
		m.recent = append(m.recent, make([]clocked, at+1-len(m.recent))...)
	}
	m.recent[at] = c
	switch e.Kind {
	case tracefmt.Lose:
		delete(m.sends, e.Cause)
		return
	case tracefmt.Send:
		m.sends[e.Seq] = e.Lamport
	case tracefmt.Receive:
		delete(m.sends, e.Cause)
	}
	m.last[e.Process] = c
}

// explain describes the clock that was expected.
func (m *lamportMonitor) explain(run *tracefmt.Run, e *tracefmt.Event, before clocked) string {
	text := fmt.Sprintf("process %s has the Lamport clock %d at seq %d, ", run.ProcessName(e.Process), e.Lamport, e.Seq)
	expected := "more than"
	if m.exact {
		expected = "one more than"
	}
	if before.seq == 0 {
		return text + "expected 1, since nothing happened before it"
	}
	return text + fmt.Sprintf("expected %s the %d of seq %d, which happened before it", expected, before.clock,
		before.seq)
}

// End reports a run without clocks as not applicable.
func (m *lamportMonitor) End(r *analyze.Result, _ *replay.State, _ analyze.Ending) {
	if !m.hasClocks && r.Examined > 0 {
		r.NotApplicable("no event has a Lamport clock")
	}
}

// Relies implements [analyze.Relying].
func (m *lamportMonitor) Relies(s *replay.State, _ analyze.Ending) iter.Seq[analyze.Need] {
	return slices.Values(analyze.Needs(analyze.EveryProcess, 0, 0, s.Coverage().Steps()...))
}
