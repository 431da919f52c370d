package election

import (
	"fmt"

	"etrace/analyze"
	"etrace/analyze/planned"
	"etrace/analyze/property/unrecorded"
	"etrace/replay"
	"etrace/tracefmt"
)

var ringForwardIncreasing = analyze.Property{
	Name: "ring-forward-increasing",
	Kind: analyze.Safety,
	Doc: `Within one election, the ids that a process sends in messages election never decrease.

This is the rule of Chang and Roberts for one process: it sends its own id or a greater one, and drops smaller ones
while it participates. On a ring of FIFO channels, a smaller id never arrives after a greater one that it might have
met. The election ends for a process, and the next id is free, when it assigns elected and when it crashes or
recovers. Each id below the previous one counts. The ids are ordered like the processes that they name.`,
	Needs: "send events of the messages election with a field id; state events that assign elected",
	Source: "Chang and Roberts, An Improved Algorithm for Decentralized Extrema-Finding in Circular " +
		"Configurations of Processes, 1979; slides, CSE 486/586 Distributed Systems, Leader Election, Algorithm 1",
	Problem:    "election",
	Presumed:   []string{tracefmt.DropsSmaller, tracefmt.FIFO, tracefmt.Reliable},
	ViolatedBy: analyze.Facts("send"), ExcusedBy: analyze.Facts("state.elected", "crash", "recover"),
	Assumption: "no process crashes or recovers during the run",
	Assumes: planned.Without("crash", "drop", "duplicate", "forge", "lie", "loss", "partition", "recover",
		"reorder", "silence"),
	New: func(run *tracefmt.Run) analyze.Monitor {
		return &increasingMonitor{ranks: replay.Ranks(run), last: make([]sentID, len(run.Members)+1)}
	},
}

// sentID is the id that a process sent last in its election.
type sentID struct {
	id tracefmt.ProcessID
	at tracefmt.Seq
}

// increasingMonitor compares each id that a process sends with the last one it sent in the same election.
type increasingMonitor struct {
	ranks []int64  // by process
	last  []sentID // by process
}

// Step ends the election of the event's process, or checks the id that it sends.
func (m *increasingMonitor) Step(r *analyze.Result, s *replay.State, e *tracefmt.Event) {
	switch {
	case e.Kind == tracefmt.Crash || s.NextLife() || assigns(s, e):
		m.last[e.Process] = sentID{}
	case e.Kind == tracefmt.Send && e.Type == "election":
		m.send(r, s, e)
	}
}

// send compares the id of an election message with the last one of its sender.
func (m *increasingMonitor) send(r *analyze.Result, s *replay.State, e *tracefmt.Event) {
	value, _ := e.Field("id")
	id := s.Named(value)
	if id < 1 {
		r.Undecided(func() string {
			return fmt.Sprintf("the message election at seq %d has no field id that names a process", e.Seq)
		})
		return
	}
	r.Examined++
	if last := m.last[e.Process]; m.ranks[id] < m.ranks[last.id] && last.at != 0 {
		r.ViolateUnless(m.ends(s, e.Process, last.at), func() string {
			return fmt.Sprintf("process %s sends the id %s at seq %d, though it has sent the greater id %s at seq %d in the same election",
				s.Run.ProcessName(e.Process), s.Run.ProcessName(id), e.Seq, s.Run.ProcessName(last.id), last.at)
		}, last.at, e.Seq)
	}
	m.last[e.Process] = sentID{id, e.Seq}
}

// ends returns the needs by which the election may have ended for p since it sent an id.
func (m *increasingMonitor) ends(s *replay.State, p tracefmt.ProcessID, since tracefmt.Seq) []analyze.Need {
	return append(analyze.Needs(p, since, s.Now(), unrecorded.ElectedFact, unrecorded.CrashFact),
		unrecorded.Restart(s, p, since)...)
}

// End does nothing: each send was judged at once.
func (m *increasingMonitor) End(*analyze.Result, *replay.State, analyze.Ending) {}
