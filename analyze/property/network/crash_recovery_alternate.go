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

var crashRecoveryAlternate = analyze.Property{
	Name: "crash-recovery-alternate",
	Kind: analyze.Safety,
	Doc: `The crashes and recoveries of a process alternate, and the first of them is a crash.

So a process recovers only after a crash, and crashes only while it is up. A process may be down from the start: then its
first event is its crash. A start of a process that is down is its recovery, as most logs record it. A recording may begin
late: a process whose first event is a recovery has crashed before. Each event out of turn counts.`,
	Needs:      "crash and recover events",
	Source:     paper.ReliableProgramming + ", 2.2: crash-recovery",
	ViolatedBy: analyze.Facts("crash", "recover"),
	ExcusedBy:  analyze.Facts("crash", "recover"),
	OfRecord:   true,
	New: func(run *tracefmt.Run) analyze.Monitor {
		n := len(run.Members) + 1
		return &alternateMonitor{make([]lastChange, n), make([]bool, n)}
	},
}

// lastChange is the last crash or recovery of a process; the zero turn is that of a process that never crashed.
type lastChange struct {
	down bool
	at   tracefmt.Seq
}

// alternateMonitor stores the last crash or recovery of each process.
type alternateMonitor struct {
	last []lastChange // by process
	seen []bool       // by process: it has taken a step
}

// Step compares a crash or recovery with the last one of its process. In an incomplete recording the opposite event
// may be missing between them.
func (m *alternateMonitor) Step(r *analyze.Result, s *replay.State, e *tracefmt.Event) {
	firstStep := e.Kind == tracefmt.Recover && !m.seen[e.Process] &&
		s.Coverage().Declared(e.Process, unrecorded.CrashFact) != tracefmt.All
	m.seen[e.Process] = m.seen[e.Process] || e.Kind != tracefmt.Lose
	last, crash := m.last[e.Process], e.Kind == tracefmt.Crash
	switch {
	case e.Kind == tracefmt.Start && last.down: // a start after a crash is a recovery
	case !crash && e.Kind != tracefmt.Recover:
		return
	}
	r.Examined++
	m.last[e.Process] = lastChange{crash, e.Seq}
	between := analyze.Needs(e.Process, last.at, e.Seq, unrecorded.RecoverFact)
	if crash != last.down || firstStep {
		if e.Kind == tracefmt.Recover && last.down { // an unrecorded recovery may have come before
			r.Lacks(between...)
		}
		return
	}
	if !crash {
		between = analyze.Needs(e.Process, last.at, e.Seq, unrecorded.CrashFact)
	}
	r.ViolateUnless(between, func() string {
		name := s.Run.ProcessName(e.Process)
		switch {
		case crash:
			return fmt.Sprintf("process %s crashes at seq %d, though it is down since its crash at seq %d", name,
				e.Seq, last.at)
		case last.at == 0:
			return fmt.Sprintf("process %s recovers at seq %d, but has never crashed", name, e.Seq)
		}
		return fmt.Sprintf("process %s recovers at seq %d, though it is up since its recovery at seq %d", name,
			e.Seq, last.at)
	}, last.at, e.Seq)
}

// End does nothing: each event was judged at once.
func (m *alternateMonitor) End(*analyze.Result, *replay.State, analyze.Ending) {}

// Relies implements [analyze.Relying]: no process crashes or recovers unrecorded.
func (m *alternateMonitor) Relies(*replay.State, analyze.Ending) iter.Seq[analyze.Need] {
	return slices.Values(analyze.Needs(analyze.EveryProcess, 0, 0, unrecorded.CrashFact, unrecorded.RecoverFact))
}
