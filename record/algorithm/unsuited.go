package algorithm

import "etrace/record/sim"

// Unsuited is the error of a simulation that an algorithm does not take, though it is right in
// itself: see [Algorithm.Suits]. Who makes scenarios from others, by adding faults, leaves such a one
// out.
type Unsuited struct {
	// Param is the parameter whose value does not fit, Start the start of the plan, and Graph says
	// that the edges do not; else it is the number of processes.
	Param string
	Start *sim.Action
	Graph bool
	// Reason says what there is, and what was expected.
	Reason string
}

func (u *Unsuited) Error() string { return u.Reason }

// Refuses says what of a simulation does not go with values that Number has put into process
// numbers, nil for nothing.
func (a *Algorithm) Refuses(v Values, c *sim.Config) *Unsuited {
	if a.Suits == nil {
		return nil
	}
	return a.Suits(v, c)
}
