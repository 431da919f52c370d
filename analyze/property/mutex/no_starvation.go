package mutex

import (
	"bytes"
	"fmt"
	"iter"
	"slices"

	"etrace/analyze"
	"etrace/analyze/property/members"
	"etrace/analyze/property/memory"
	"etrace/analyze/property/paper"
	"etrace/analyze/property/unrecorded"
	"etrace/replay"
	"etrace/tracefmt"
)

var noStarvation = analyze.Property{
	Name: "no-starvation",
	Kind: analyze.Liveness,
	Doc: `Each process that requests the critical section eventually enters it, unless the process crashes or halts first.

A process waits from its note request to its next note enter, of the same lock if a run has several. If the run ends in a loop, a
process waits forever if it waits at the end and does not enter in the loop. While the run can go on, a waiting request is an open
obligation.`,
	Needs:      requestNeeds,
	Source:     paper.Dijkstra1965 + "; Raynal, Concurrent Programming, 2013, 1.2: starvation-freedom",
	Problem:    "mutex",
	ViolatedBy: unrecorded.NoteFacts,
	ExcusedBy:  analyze.Facts("note", "crash", "halt"),
	New: func(*tracefmt.Run) analyze.Monitor {
		return &starvationMonitor{
			entered: make(map[lockedBy]tracefmt.Seq),
			last:    make(map[tracefmt.ProcessID]tracefmt.Seq), again: make(map[tracefmt.ProcessID][]analyze.Need),
		}
	},
}

// starvationMonitor lists at the end the processes that still wait.
type starvationMonitor struct {
	lockMonitor
	entered map[lockedBy]tracefmt.Seq // the last entries, used if the run may end in a loop
	// last are the last entries. In a run of one lock they show which requests were granted.
	last map[tracefmt.ProcessID]tracefmt.Seq
	// again are requests of processes that are inside, which count only after an unrecorded restart.
	again   map[tracefmt.ProcessID][]analyze.Need
	lock    []byte // the lock of the first note
	noted   bool   // there was a note
	several bool   // some note is about another lock
}

// lockedBy is the name of a lock, with a process that held it.
type lockedBy struct {
	lock    string
	process tracefmt.ProcessID
}

// Step counts requests, and stores the last entries of each process.
func (m *starvationMonitor) Step(r *analyze.Result, s *replay.State, e *tracefmt.Event) {
	c := m.step(r)
	if c.asks != nil {
		r.Examined++
	}
	// The request of a process inside counts only if it has restarted without a record.
	if c.again != nil && c.again.inside && e.Type == requestNote {
		m.again[e.Process] = []analyze.Need{analyze.MayRestart(e.Process, c.again.since, e.Seq)}
	}
	if c.enters != nil {
		delete(m.again, e.Process)
		m.last[e.Process] = e.Seq
	}
	switch {
	case !ofMutex(e):
	case !m.noted:
		m.lock, m.noted = bytes.Clone(lockOf(e)), true
	default:
		m.several = m.several || !bytes.Equal(lockOf(e), m.lock)
	}
	if c.enters != nil && s.Coverage().Complete() && memory.RoomFor(r, len(m.entered)+1, "locks that were held") {
		m.entered[lockedBy{c.enters.lock.name, e.Process}] = e.Seq
	}
}

// End reports the processes that still wait. A process that enters in the final loop will enter in every round.
func (m *starvationMonitor) End(r *analyze.Result, s *replay.State, end analyze.Ending) {
	for _, standings := range m.requests {
		for _, st := range slices.SortedFunc(slices.Values(standings), (*standing).compare) {
			if st.inside || end.Looping() && m.entered[lockedBy{st.lock.name, st.process}] > end.LoopFrom {
				continue
			}
			met := append(analyze.Needs(st.process, st.certainSince, 0, unrecorded.NoteFacts...),
				analyze.Needs(st.process, st.since, 0, unrecorded.DownFacts...)...)
			unrecorded.OweUnless(r, end, met, func() string {
				return fmt.Sprintf("process %s waits since its request at seq %d and has not entered",
					s.Run.ProcessName(st.process), st.since)
			}, st.since, end.LoopFrom, end.LoopTo)
		}
	}
	m.end(r, m.asked, noRequests)
}

// Relies implements [analyze.Relying]: an entry grants all earlier requests of the process.
func (m *starvationMonitor) Relies(s *replay.State, _ analyze.Ending) iter.Seq[analyze.Need] {
	processes := members.All(s.Run)
	again := members.NeedsOfEach(processes, func(p tracefmt.ProcessID) []analyze.Need { return m.again[p] })
	if m.several {
		return members.InTurn(again, slices.Values(m.notes()))
	}
	return members.InTurn(again, members.NeedsOfEach(processes, func(p tracefmt.ProcessID) []analyze.Need {
		// A process that is down does not wait.
		mayWait := s.Live(p) || !unrecorded.None(s, unrecorded.Recovery(s, p))
		if m.binds[p] && mayWait {
			return analyze.Needs(p, m.last[p], 0, unrecorded.NoteFacts...)
		}
		return nil
	}))
}
