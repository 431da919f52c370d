package mutex

import (
	"fmt"
	"iter"
	"slices"

	"etrace/analyze"
	"etrace/analyze/causal"
	"etrace/analyze/property/overlap"
	"etrace/analyze/property/paper"
	"etrace/analyze/property/unrecorded"
	"etrace/replay"
	"etrace/tracefmt"
)

var mutualExclusion = analyze.Property{
	Name: "mutual-exclusion",
	Kind: analyze.Safety,
	Doc: `Two processes are never in the critical section at the same time.

A process is inside from its note enter to its note exit; a crash, a halt, a start and a recovery take it out as well. A process
that starts or recovers without a recorded crash has crashed at some moment after its last step. If crashes may be missing, it
is unknown whether the process was inside after its last step; otherwise it was inside until the crash. Notes with a field lock,
key or resource are about that lock; each lock has its own critical section. A repeated entry changes nothing, and one exit ends
both; the repeated entry proves that the process is inside at that moment. An exit of a process that is not inside takes no
other process out. The recorded order of events counts. Each pair counts once for each time that it begins to be inside together.

If exits, crashes or halts of a process may be unrecorded, only its next exit proves that it was inside until then, provided
that it notes no other entry before. A process that has restarted in between is outside, so it could not exit.`,
	Needs:      mutexNeeds,
	Source:     paper.Dijkstra1965,
	Problem:    "mutex",
	ViolatedBy: unrecorded.NoteFacts,
	ExcusedBy:  analyze.Facts("note", "crash", "halt"),
	New:        func(*tracefmt.Run) analyze.Monitor { return new(exclusionMonitor) },
}

// exclusionMonitor compares each process that enters with the processes that are inside.
type exclusionMonitor struct {
	lockMonitor
	entering *entryFold
	findings lockFindings
}

// Follow implements [analyze.Follower].
func (m *exclusionMonitor) Follow(f *analyze.Folds) {
	m.lockMonitor.Follow(f)
	m.entering = analyze.Shared(f, newEntering)
}

// Step reports each other process that is inside when the event's process enters.
func (m *exclusionMonitor) Step(r *analyze.Result, s *replay.State, e *tracefmt.Event) {
	c := m.step(r)
	doubtful := tracefmt.Seq(0)
	if c.renews {
		doubtful = m.findings.doubtful(s, c.again, e.Seq)
	}
	m.findings.step(r, s, e, c)
	switch {
	case c.enters != nil:
		r.Examined++
		m.storeOverlap(s, e, c.enters, 0)
	case doubtful != 0: // the process is inside now, even if it was not when they entered
		m.storeOverlap(s, e, c.again, doubtful)
	}
}

// storeOverlap stores that the process that enters is inside together with all others that entered at the seq or later.
func (m *exclusionMonitor) storeOverlap(s *replay.State, e *tracefmt.Event, entered *standing, from tracefmt.Seq) {
	rivals := entered.lock.inside
	if len(rivals) == 1 {
		return
	}
	for _, q := range slices.SortedFunc(slices.Values(rivals), (*standing).compare) {
		if q != entered && q.since >= from {
			m.findings.violate(q, e.Seq, func() string {
				return fmt.Sprintf("process %s enters at seq %d while process %s is inside since seq %d",
					s.Run.ProcessName(e.Process), e.Seq, s.Run.ProcessName(q.process), q.certainSince)
			}, q.certainSince, e.Seq)
		}
	}
}

// End reports the remaining findings.
func (m *exclusionMonitor) End(r *analyze.Result, _ *replay.State, _ analyze.Ending) {
	m.findings.end(r)
	m.end(r, m.recorded, noMutex)
}

// Relies implements [analyze.Relying].
func (m *exclusionMonitor) Relies(s *replay.State, _ analyze.Ending) iter.Seq[analyze.Need] {
	if w := m.entering.result(s); w.Hidden {
		return slices.Values(w.needs())
	}
	return nil
}

var mutualExclusionPossibly = analyze.Property{
	Name:  "mutual-exclusion-possibly",
	Pairs: true,
	Kind:  analyze.Safety,
	Doc: `In no consistent cut are two processes in the critical section.

A process is inside from its note enter to its note exit; a crash, a halt, a start and a recovery take it out as well. Two processes
violate this if nothing ensures that one was outside before the other entered, even if the recorded order has one after the other.
Each pair of processes counts once, and the cut of the result is the first in which both are inside. Each lock has its own critical
section; a run with more than 64 locks is unknown.`,
	Needs:      mutexNeeds + "; receive events that name their sends",
	Source:     paper.CooperMarzullo + ": possibly",
	Problem:    "mutex",
	ViolatedBy: analyze.Facts("note"),
	ExcusedBy:  analyze.Facts("note", "crash", "halt", "start", "recover", "send", "receive"),
	Triggers:   analyze.Facts("note"),
	OnRequest:  true,
	New:        func(run *tracefmt.Run) analyze.Monitor { return insideTogether(run, false) },
}

// maxLocks bounds the locks of a run that are examined in all orders of the events.
const maxLocks = 64

// allLocks has a monitor for each lock, of two processes that are inside in some cut, or on every path. The
// monitors share the clocks.
type allLocks struct {
	lockMonitor
	entering *entryFold
	tracker  *causal.Tracker
	edges    analyze.Edges
	heard    overlap.Heard
	definite bool
	byName   map[string]*overlap.Monitor
	order    []*overlap.Monitor
}

// insideTogether returns the monitor of mutual-exclusion-possibly or, with definite, of mutual-exclusion-definitely.
func insideTogether(run *tracefmt.Run, definite bool) analyze.Monitor {
	return &allLocks{
		tracker: causal.NewTracker(run), heard: make(overlap.Heard, len(run.Members)+1), definite: definite,
		byName: make(map[string]*overlap.Monitor),
	}
}

// Follow implements [analyze.Follower].
func (m *allLocks) Follow(f *analyze.Folds) {
	m.lockMonitor.Follow(f)
	m.entering = analyze.Shared(f, newEntering)
}

// Step updates the clocks and the intervals of the event's lock. A change of a process's status concerns all locks.
func (m *allLocks) Step(r *analyze.Result, s *replay.State, e *tracefmt.Event) {
	m.tracker.Step(e)
	if !s.Coverage().Complete() {
		m.edges.Step(e)
		m.heard.Step(e)
	}
	m.step(r)
	_, downOrUp := replay.StatusAfter(e.Kind)
	switch {
	case downOrUp:
		for _, t := range m.order {
			t.Look(r, s, e)
		}
	case ofMutex(e) && m.lock(r, s.Run, e) != nil:
		m.lock(r, s.Run, e).Look(r, s, e)
	}
}

// lock returns the monitor of a note's lock, nil if there are too many locks.
func (m *allLocks) lock(r *analyze.Result, run *tracefmt.Run, e *tracefmt.Event) *overlap.Monitor {
	name := string(lockOf(e))
	t := m.byName[name]
	switch {
	case t != nil:
	case len(m.order) == maxLocks:
		r.Undecided(func() string {
			return fmt.Sprintf("the note at seq %d is of a further lock, and this reading follows %d", e.Seq, maxLocks)
		})
	default:
		t = overlap.New(run, m.tracker, overlap.Monitor{
			Does: "is inside", Do: "are inside", Definite: m.definite,
			Holds: func(_ *replay.State, e *tracefmt.Event) bool {
				st := m.standings[claim{m.locks.byName[name], e.Process}]
				return st != nil && st.inside
			},
			Lacks: func(*replay.State) string { return "" },
			Edges: &m.edges,
			Rests: func(*replay.State, tracefmt.ProcessID) []analyze.Need { return nil },
			Ends:  func(*replay.State) []tracefmt.Fact { return leavingFacts },
		})
		m.byName[name], m.order = t, append(m.order, t)
	}
	return t
}

// leavingFacts are the facts by which a process leaves the critical section.
var leavingFacts = analyze.Facts("note", "crash", "halt", "start", "recover")

// Relies returns the facts on which it rests that no two processes were inside.
func (m *allLocks) Relies(s *replay.State, end analyze.Ending) iter.Seq[analyze.Need] {
	w := m.entering.result(s)
	switch {
	case m.definite:
		return slices.Values(overlap.RestsOnOrder(s, end, &w.Meetings, m.heard, &m.edges, w.needs()))
	case w.share:
		return slices.Values(w.needs())
	}
	return nil
}

// End searches each lock for two overlapping stays.
func (m *allLocks) End(r *analyze.Result, s *replay.State, end analyze.Ending) {
	for _, t := range m.order {
		t.End(r, s, end)
	}
	m.end(r, m.recorded, noMutex)
}

var mutualExclusionDefinitely = analyze.Property{
	Name:  "mutual-exclusion-definitely",
	Pairs: true,
	Kind:  analyze.Safety,
	Doc: `For any two processes, causality allows an order of the events in which they are never in the critical section together.

A process is inside from its note enter to its note exit; a crash, a halt, a start and a recovery take it out as well. This is
the weakest variant. Two processes violate it only if they were inside at the same time in every order of the concurrent events:
the entry of each happened before the exit of the other. While the run can go on, a process may leave in its next step. Each
pair of processes counts once. Each lock has its own critical section; a run with more than 64 locks is unknown.`,
	Needs:      mutexNeeds + "; receive events that name their sends",
	Source:     paper.CooperMarzullo + ": definitely",
	Problem:    "mutex",
	ViolatedBy: analyze.Facts("note", "send", "receive"),
	ExcusedBy:  analyze.Facts("note", "crash", "halt", "start", "recover"),
	Triggers:   analyze.Facts("note"),
	OnRequest:  true,
	New:        func(run *tracefmt.Run) analyze.Monitor { return insideTogether(run, true) },
}
