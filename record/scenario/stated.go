package scenario

import (
	"etrace/record/algorithm"
	"etrace/tracefmt"
)

// Stated returns a simulated run with the traits and bounds that its scenario
// promises, if the run itself states none, as those of before traits do. Any
// other run, and one whose scenario cannot be made again, comes back as it is.
// The zero registry stands for the algorithms of etrace.
func Stated(run *tracefmt.Run, known algorithm.Registry) *tracefmt.Run {
	if run.Scenario == nil || run.Traits != nil || run.Bounds != nil {
		return run
	}
	s, err := Parse("scenario", run.Scenario)
	if err != nil {
		return run
	}
	s.Algorithms = known
	s.Complete()
	_, again, err := s.Simulation()
	if err != nil {
		return run
	}
	stated := *run
	stated.Traits, stated.Bounds = again.Traits, again.Bounds
	return &stated
}
