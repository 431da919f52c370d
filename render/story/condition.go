package story

import (
	"etrace/replay"
	"etrace/tracefmt"
)

// Condition is the state of a process in an election: up or down, its choice, and whether it leads.
type Condition struct {
	Down, Halted bool
	// Inferred: the event that took it down was guessed.
	Inferred bool
	// Elected is the value of that variable, as drawn; Leader is the process
	// that it names, 0 for none.
	Elected string
	Leader  tracefmt.ProcessID
	// Leads: it leads, see [replay.State.Leads]; Role is the value of that variable, as
	// drawn, "" for none.
	Leads bool
	Role  string
	// Doubtful is true if the run is not recorded completely, so that all of this is uncertain.
	Doubtful bool
	// DownFromStart: it is down since the run began.
	DownFromStart bool

	past
}

// past is what a story stores of a process beyond its replayed state.
type past struct {
	seen bool // the process has an event
	// wasDown: it was down when the run began; downSince: and is ever since.
	wasDown, downSince bool
	// stance is whom it has elected, or that it leads, when it starts.
	stance string
}

// updatePast updates the conditions of the processes by an event.
func (s *Story) updatePast(e *tracefmt.Event) {
	s.state.Apply(e)
	if e.Process == 0 {
		return
	}
	p := &s.pasts[e.Process]
	switch {
	case e.Kind == tracefmt.Start && s.isOpening(e):
		c := s.condition(e.Process)
		p.stance = c.leadingText()
	case e.Kind == tracefmt.Crash:
		p.downSince = !p.seen && s.isOpening(e)
		if p.downSince {
			p.wasDown = true
			s.totals.downAtStart++
		}
	case e.Kind == tracefmt.Recover:
		p.downSince = false
	}
	p.seen = p.seen || e.Kind != tracefmt.Lose
}

// conditions returns the conditions of all processes, by process.
func (s *Story) conditions() []Condition {
	list := make([]Condition, len(s.Column))
	for _, p := range s.ringOrder {
		list[p] = s.condition(p)
	}
	return list
}

// condition returns the present condition of a process.
func (s *Story) condition(p tracefmt.ProcessID) Condition {
	state, past := s.state.Process(p), s.pasts[p]
	c := Condition{
		Down: state.Status == replay.Crashed, Inferred: state.Inferred, Halted: state.Status == replay.Halted,
		DownFromStart: past.downSince, past: past,
	}
	c.Doubtful = s.state.DoubtfulStatus(p) || s.state.DoubtfulLeading(p)
	if c.Down {
		return c // a crash loses the variables
	}
	c.noteLeading(s.state, p)
	if value, ok := s.state.Variable(p, Elected); ok {
		c.Elected, c.Leader = s.value(value), listedProcess(state.Elected)
	} else if state.ElectedAt > 0 {
		c.Elected = noValue
	}
	return c
}

// listedProcess returns the process, or 0 if the run does not list it.
func listedProcess(p tracefmt.ProcessID) tracefmt.ProcessID { return max(p, 0) }

// isOpening reports whether an event, the first of its process, describes the start of the run rather
// than an action in it.
func (s *Story) isOpening(e *tracefmt.Event) bool {
	simulated := s.Run.TimeUnit == tracefmt.Delays && e.Time == s.First
	return (e.Kind == tracefmt.Start || e.Kind == tracefmt.Crash) && (s.opening || simulated)
}

// live reports whether the process is up.
func (c Condition) live() bool { return !c.Down && !c.Halted }

// Leader returns the process that all live processes have elected at the end of the run, or 0 without
// a leader.
func (s *Story) Leader() tracefmt.ProcessID { return listedProcess(s.state.Leader()) }
