package story

import "etrace/tracefmt"

// Condition is how a process is doing.
type Condition struct {
	Down, Halted bool
	// Elected is the value of that variable, as drawn; Leader is the process
	// that it names, 0 for none.
	Elected string
	Leader  tracefmt.ProcessID
	// DownFromStart: it is down since the run began.
	DownFromStart bool

	known            bool // an event of it was seen
	wasDownFromStart bool
}

// Elected is the state variable that names the coordinator.
const Elected = "elected"

// follow keeps the conditions of the processes up to date.
func (s *Story) follow(e *tracefmt.Event) {
	if e.Process == 0 {
		return
	}
	c := &s.final[e.Process]
	switch e.Kind {
	case tracefmt.Start:
		c.Down = false
		s.followElected(e, c)
		if s.isOpening(e) {
			s.openingElected[e.Process] = c.Elected
		}
	case tracefmt.Halt:
		c.Halted = true
	case tracefmt.Crash:
		c.Down, c.Elected, c.Leader = true, "", 0
		c.DownFromStart = !c.known && s.isOpening(e)
		if c.DownFromStart {
			c.wasDownFromStart = true
			s.totals.downAtStart++
		}
	case tracefmt.Recover:
		c.Down, c.Halted, c.DownFromStart = false, false, false
	case tracefmt.State:
		s.followElected(e, c)
	}
	c.known = c.known || e.Kind != tracefmt.Lose
}

func (s *Story) followElected(e *tracefmt.Event, c *Condition) {
	if value, ok := e.Field(Elected); ok {
		c.Leader, _ = s.Run.ProcessValue(value)
		c.Elected = plainValue(value)
	}
}

// ElectedBefore returns whom a process has elected when the window begins, as
// drawn; "" for none.
func (s *Story) ElectedBefore(p tracefmt.ProcessID) string {
	elected := s.Before[p].Elected
	if !s.Before[p].known {
		elected = s.openingElected[p]
	}
	if elected == noValue {
		return ""
	}
	return elected
}

// isOpening reports whether an event, the first of its process, says how the
// run begins rather than what happens in it.
func (s *Story) isOpening(e *tracefmt.Event) bool {
	simulated := s.Run.TimeUnit == tracefmt.Delays && e.Time == s.First
	return (e.Kind == tracefmt.Start || e.Kind == tracefmt.Crash) && (s.opening || simulated)
}

// live reports whether the process takes part at the end of the run.
func (c Condition) live() bool { return !c.Down && !c.Halted }

// Leader returns the process that every live process holds for elected at
// the end, 0 if there is none.
func (s *Story) Leader() tracefmt.ProcessID {
	var all tracefmt.ProcessID
	for _, p := range s.Order {
		c := s.final[p]
		if !c.live() {
			continue
		}
		if c.Leader == 0 || all != 0 && c.Leader != all {
			return 0
		}
		all = c.Leader
	}
	return all
}
