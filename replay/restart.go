package replay

import (
	"slices"

	"etrace/tracefmt"
)

// actKinds are the events that only a process which is up brings about.
var actKinds = [tracefmt.Note + 1]bool{
	tracefmt.Send: true, tracefmt.Receive: true, tracefmt.SetTimer: true, tracefmt.CancelTimer: true, tracefmt.Timeout: true,
	tracefmt.Suspect: true, tracefmt.Trust: true, tracefmt.State: true, tracefmt.Invoke: true, tracefmt.Return: true,
}

// actNotes are the notes by which a process says what it does itself, in the words
// of docs/vocabulary.md. Any other note may be what somebody writes about it.
var actNotes = []string{"broadcast", "deliver", "enter", "exit", "request", "round"}

// ActNotes returns the labels of these notes.
func ActNotes() []string { return slices.Clone(actNotes) }

// IsAct reports whether the event is a step that no process takes which is down.
func IsAct(e *tracefmt.Event) bool {
	if e.Kind == tracefmt.Note {
		return slices.Contains(actNotes, e.Type)
	}
	return e.Kind.Valid() && actKinds[e.Kind]
}

// ShowsRestart reports whether the event, which the state has yet to take in, shows
// that a process which was down is up again, though the trace has no start and no
// recover of it. From this event on it is live: whom it took for the leader, and itself
// for, is forgotten; the other variables are kept, since it is not known which it had
// on stable storage. Simulated runs never have such an event. Of a restart that the trace
// has, see [State.NextLife].
func (s *State) ShowsRestart(e *tracefmt.Event) bool {
	p := e.Process
	return p > 0 && int(p) < len(s.processes) && !s.processes[p].Live() && IsAct(e)
}

// Restarted reports whether the event that the state took in last has shown a restart.
func (s *State) Restarted() bool { return s.restarted }

// NextLife reports whether the event that the state took in last began the next life of its process: it is a
// recovery, or a start of a process that has taken steps. The process has the variables of that event and no
// others. If it was up, it went down right before, and that is not recorded.
func (s *State) NextLife() bool { return s.nextLife }

// Changed reports whether the event, which the state took in last, may have changed the
// status or the variables of its process.
func (s *State) Changed(e *tracefmt.Event) bool { return s.restarted || ChangesProcess(e.Kind) }

// beginNextLife has a process begin anew, without what it had.
func (s *State) beginNextLife(p *Process, at tracefmt.Seq) {
	p.Incarnation++
	s.setStatus(p, Crashed, at) // it may be the first that the trace says of the crash
	s.forgetLeader(p)
	p.variables.forget()
	p.term, p.termAt = Term{}, 0
}

// restart has a process come up, of which the trace says no more.
func (s *State) restart(p *Process, at tracefmt.Seq) {
	down := p.Since
	s.setStatus(p, Running, at)
	p.Down = down
	s.forgetLeader(p)
}

// forgetLeader has a process begin anew without a leader.
func (s *State) forgetLeader(p *Process) {
	for _, name := range []string{electedVariable, roleVariable} {
		p.variables.set([]byte(name), []byte("null"), &s.pool)
	}
	p.Elected, p.ElectedAt, p.Role = 0, 0, RoleUntold
	p.SaidAt, p.saidIn = 0, Term{}
}
