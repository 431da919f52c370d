package election

import (
	"cmp"
	"fmt"
	"slices"

	"etrace/analyze"
	"etrace/analyze/planned"
	"etrace/analyze/property/members"
	"etrace/analyze/property/unrecorded"
	"etrace/replay"
	"etrace/tracefmt"
)

var ringSuccessorOnly = analyze.Property{
	Name: "ring-successor-only",
	Kind: analyze.Safety,
	Doc: `On a ring, a process sends to its successor only.

The ring is that of the members' positions, without clients and other non-participants, whose messages are ignored.
The successor is the next process that is live when the message is sent, in the recorded order of events: the ring
skips crashed processes. If the scenario switches the repair off (ring-repair), it is the next process that was not
down from the start, live or not. A process that is alone is its own successor.`,
	Needs: "send events; positions of the members; start, crash, halt and recover events",
	Source: "Lecture notes, Distributed Systems - Theory 12, A Ring Algorithm; slides, CSE 486/586 " +
		"Distributed Systems, Leader Election, Algorithm 1",
	WitnessOmits: "which processes are up, and so close the ring",
	Problem:      "election",
	Presumed:     []string{tracefmt.OnRing},
	ViolatedBy:   analyze.Facts("send", "crash", "halt", "recover"),
	ExcusedBy:    analyze.Facts("crash", "halt", "recover"), Triggers: analyze.Facts("send"),
	New: func(run *tracefmt.Run) analyze.Monitor {
		return newSuccessorMonitor(run)
	},
}

// successorMonitor knows the ring. A successor is computed once and stored until the status of some process
// changes.
type successorMonitor struct {
	order []tracefmt.ProcessID // by place on the ring
	place []int                // by process
	next  []tracefmt.ProcessID // by process, 0 if it must be computed

	fixed   bool   // the ring is not repaired
	started []bool // by process
	absent  []bool // by process: down from the start
	offRing []bool // by process: not on the ring

	ringWatch
}

// newSuccessorMonitor orders the participants by their positions on the ring.
func newSuccessorMonitor(run *tracefmt.Run) *successorMonitor {
	n := len(run.Members)
	m := &successorMonitor{
		place: make([]int, n+1), next: make([]tracefmt.ProcessID, n+1), started: make([]bool, n+1),
		absent:    make([]bool, n+1),
		fixed:     string(planned.Value(run.Scenario, "ring-repair")) == `"off"`,
		ringWatch: ringWatch{watched: make([]watched, n+1), shown: map[tracefmt.MessageID]bool{}},
	}
	m.offRing = members.Bystanders(run)
	for _, p := range members.All(run) {
		if !m.offRing[p] {
			m.order = append(m.order, p)
		}
	}
	slices.SortStableFunc(m.order, func(p, q tracefmt.ProcessID) int {
		return cmp.Compare(run.Members[p-1].Position, run.Members[q-1].Position)
	})
	for i, p := range m.order {
		m.place[p] = i
	}
	return m
}

// Step checks that a send goes to the successor of its process, and follows which processes are up.
func (m *successorMonitor) Step(r *analyze.Result, s *replay.State, e *tracefmt.Event) {
	if s.Restarted() {
		clear(m.next)
	}
	m.step(r, s, e)
	if replay.IsAct(e) {
		m.started[e.Process] = true // also if its start is not recorded
	}
	switch e.Kind {
	case tracefmt.Start, tracefmt.Crash, tracefmt.Halt, tracefmt.Recover:
		m.absent[e.Process] = m.absent[e.Process] || e.Kind == tracefmt.Crash && !m.started[e.Process]
		m.started[e.Process] = true
		clear(m.next)
	case tracefmt.Send:
		if e.Process == 0 || m.offRing[e.Process] || m.offRing[e.Peer] {
			return
		}
		r.Examined++
		m.sends = true
		if q := m.successor(s, e.Process); e.Peer == q {
			m.noteSuccessorNeeds(r, s, e.Process, q)
		} else {
			m.sentElsewhere(r, s, e.Process, e.Peer, q)
		}
	case tracefmt.Receive, tracefmt.Lose:
		if unrecorded.IsOrphan(s, e) {
			m.arrive(r, s, e)
		}
	}
}

// sentElsewhere handles a send of p to a process that is not its successor. If the successor is up by the record, its
// next step may prove that.
func (m *successorMonitor) sentElsewhere(
	r *analyze.Result, s *replay.State, p, receiver, successor tracefmt.ProcessID,
) {
	at := s.Seq
	t := stray{at, m.possibleSuccessor(s, p, receiver), func() string {
		return fmt.Sprintf("process %s sends to %s at seq %d, expected %s, its successor on the ring",
			s.Run.ProcessName(p), s.Run.ProcessName(receiver), at, s.Run.ProcessName(successor))
	}}
	passes := len(t.excuses) > 0 && !m.fixed && slices.Contains(m.between(p, receiver), successor)
	if passes && !s.Coverage().Silent() && len(m.watched[successor].strays) < maxStrays {
		w := m.watch(s, successor)
		w.strays = append(w.strays, t)
		return
	}
	t.violate(r)
}

// successor returns the next process after p on the ring that is up. On a ring without repair, it is the next process
// that was not down from the start.
func (m *successorMonitor) successor(s *replay.State, p tracefmt.ProcessID) tracefmt.ProcessID {
	for i := m.place[p] + 1; m.next[p] == 0; i++ {
		q := m.order[i%len(m.order)]
		if q == p || m.fixed && !m.absent[q] || !m.fixed && s.Live(q) {
			m.next[p] = q
		}
	}
	return m.next[p]
}

// possibleSuccessor returns the needs by which q may be the next process after p that is up, or that was not down
// from the start: all between them may be down, and q up.
func (m *successorMonitor) possibleSuccessor(s *replay.State, p, q tracefmt.ProcessID) (needs []analyze.Need) {
	if s.Coverage().Complete() { // the walk round the ring would be in vain at each wrong send
		return nil
	}
	if !m.fixed && !s.Live(q) {
		needs = unrecorded.Recovery(s, q)
		if unrecorded.None(s, needs) {
			return nil
		}
	}
	if m.fixed && m.absent[q] {
		needs = analyze.Needs(q, 0, s.Process(q).Since, unrecorded.StartFact)
		if unrecorded.None(s, needs) {
			return nil
		}
	}
	// Each process between p and q must have been down for q to be next; a process that certainly was up excludes q.
	for _, b := range m.between(p, q) {
		var falls []analyze.Need
		switch {
		case m.fixed && !m.absent[b]:
			falls = analyze.Needs(b, 0, s.Now(), unrecorded.CrashFact)
		case !m.fixed && s.Live(b):
			falls = unrecorded.Crash(s, b)
		default:
			continue
		}
		if !s.Coverage().Silent() && unrecorded.None(s, falls) {
			return nil
		}
		needs = append(needs, falls...)
	}
	return needs
}

// End implements [analyze.Monitor].
func (m *successorMonitor) End(r *analyze.Result, s *replay.State, _ analyze.Ending) { m.endAll(r, s) }
