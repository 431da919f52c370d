package algorithm

import "etrace/record/sim"

// Unsuited is the error of a valid simulation that does not fit an algorithm: see [Algorithm.Suits]. Programs
// that derive scenarios by adding faults skip these.
type Unsuited struct {
	// Param is the unsuitable parameter, Start the unsuitable start of the plan; Graph is true for unsuitable
	// edges. Otherwise the number of processes does not fit.
	Param string
	Start *sim.Action
	Graph bool
	// Reason describes what was given, and what was expected.
	Reason string
}

func (u *Unsuited) Error() string { return u.Reason }

// Refuses returns the reason why a simulation does not fit the values, which Number has translated into process
// numbers; nil if it fits.
func (a *Algorithm) Refuses(v Values, c *sim.Config) *Unsuited {
	if a.Suits == nil {
		return nil
	}
	return a.Suits(v, c)
}
