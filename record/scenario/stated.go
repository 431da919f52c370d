package scenario

import (
	"etrace/record/algorithm"
	"etrace/record/sim"
	"etrace/tracefmt"
)

// Stated returns a simulated run with the traits and bounds that its scenario promises, if the run itself
// states none, as in old traces. It returns any other run unchanged, also one whose scenario cannot be made
// again. The zero registry has the built-in algorithms.
func Stated(run *tracefmt.Run, known algorithm.Registry) *tracefmt.Run {
	if run.Scenario == nil || run.Traits != nil || run.Bounds != nil {
		return run
	}
	_, again, err := simulationOf(run, known)
	if err != nil {
		return run
	}
	stated := *run
	stated.Traits, stated.Bounds = again.Traits, again.Bounds
	return &stated
}

// MeterOf returns a meter for the messages of a simulated run, by the declarations of its algorithm. ok is
// false for any other run, and if its scenario cannot be made again. The zero registry has the built-in
// algorithms.
func MeterOf(run *tracefmt.Run, known algorithm.Registry) (m *sim.Meter, ok bool) {
	if run.Source != tracefmt.Simulated || run.Scenario == nil {
		return nil, false
	}
	config, _, err := simulationOf(run, known)
	if err != nil {
		return nil, false
	}
	return config.Meter(), true
}

// simulationOf returns the simulation that the scenario of a run describes.
func simulationOf(run *tracefmt.Run, known algorithm.Registry) (sim.Config, *tracefmt.Run, error) {
	s, err := Parse("scenario", run.Scenario)
	if err != nil {
		return sim.Config{}, nil, err
	}
	s.Algorithms = known
	s.Complete()
	return s.Simulation()
}
