package replay

import (
	"slices"

	"etrace/tracefmt"
)

// actKinds are the kinds of events that only a running process brings about.
var actKinds = [tracefmt.Note + 1]bool{
	tracefmt.Send: true, tracefmt.Receive: true, tracefmt.SetTimer: true, tracefmt.CancelTimer: true,
	tracefmt.Timeout: true,
	tracefmt.Suspect: true, tracefmt.Trust: true, tracefmt.State: true, tracefmt.Invoke: true, tracefmt.Return: true,
}

// actNotes are the labels of notes about a process's own steps, in the words of docs/vocabulary.md. Any other
// note may be somebody else's remark about it.
var actNotes = []string{"broadcast", "deliver", "enter", "exit", "request", "round"}

// ActNotes returns the labels of these notes.
func ActNotes() []string { return slices.Clone(actNotes) }

// IsAct reports whether the event is a step that only a running process takes.
func IsAct(e *tracefmt.Event) bool {
	if e.Kind == tracefmt.Note {
		return slices.Contains(actNotes, e.Type)
	}
	return e.Kind.Valid() && actKinds[e.Kind]
}

// ShowsRestart reports whether the next event shows that a process that was down is up again, though the trace
// has no start or recover event. From this event on the process is live, without a leader or role. The other
// variables are kept, since the trace does not show which were on stable storage. Simulated runs never have
// such an event. For restarts that the trace records, see [State.NextLife].
func (s *State) ShowsRestart(e *tracefmt.Event) bool {
	p := e.Process
	return p > 0 && int(p) < len(s.processes) && !s.processes[p].Live() && IsAct(e)
}

// Restarted reports whether the last applied event has shown a restart.
func (s *State) Restarted() bool { return s.restarted }

// NextLife reports whether the last applied event began the next life of its process: it is a recovery, or a
// start of a process that has taken steps. The process has only the variables of that event. If it was up, it
// went down right before, unrecorded.
func (s *State) NextLife() bool { return s.nextLife }

// Changed reports whether the last applied event e may have changed the status or the variables of its
// process.
func (s *State) Changed(e *tracefmt.Event) bool { return s.restarted || ChangesProcess(e.Kind) }

// beginNextLife begins a new incarnation of a process: it marks the process as crashed and removes its
// variables, leader, role and term. The caller then applies the start or recovery.
func (s *State) beginNextLife(p *Process, at tracefmt.Seq) {
	p.Incarnation++
	// This may be the first sign of the crash in the trace.
	s.setStatus(p, Crashed, at)
	s.forgetLeader(p)
	p.variables.forget()
	p.term, p.termAt = Term{}, 0
}

// restart marks a process as up after an unrecorded restart.
func (s *State) restart(p *Process, at tracefmt.Seq) {
	down := p.Since
	s.setStatus(p, Running, at)
	p.Down = down
	s.forgetLeader(p)
}

// forgetLeader removes the leader and role of a process.
func (s *State) forgetLeader(p *Process) {
	for _, name := range []string{electedVariable, roleVariable} {
		p.variables.set([]byte(name), []byte("null"), &s.pool)
	}
	p.Elected, p.ElectedAt, p.Role = 0, 0, RoleOther
	p.LeadingAt, p.leadingIn = 0, Term{}
}
