package scenario

import (
	"context"

	"etrace/record/sim"
	"etrace/tracefmt"
)

// Record simulates a scenario and hands the run to a sink, which may be a trace
// file, memory, or anything that looks at events as they happen. It returns the
// description of the run, with the number that the sink gave it. A run that the
// context ends is whole up to there, as one that was stopped: see
// [sim.Result.Interrupted]. The error is one of the scenario or of the sink.
func Record(ctx context.Context, s *Scenario, sink tracefmt.Sink) (*tracefmt.Run, sim.Result, error) {
	return new(Recorder).Record(ctx, s, sink)
}

// Recorder records scenarios, one after the other, as [Record] does. What they have in common is made
// once, and the memory of one serves the next: see [Maker] and [sim.Simulator]. The zero
// value is ready. It is not safe for concurrent use.
type Recorder struct {
	maker     Maker
	simulator sim.Simulator
}

// Record records a scenario.
func (r *Recorder) Record(ctx context.Context, s *Scenario, sink tracefmt.Sink) (*tracefmt.Run, sim.Result, error) {
	config, run, err := r.maker.Simulation(s)
	if err != nil {
		return nil, sim.Result{}, err
	}
	if err := sink.Begin(run); err != nil {
		return nil, sim.Result{}, err
	}
	result, err := r.simulator.Run(ctx, config, sink)
	if err != nil {
		return nil, result, err
	}
	if err := sink.Finish(result.End); err != nil {
		return nil, result, err
	}
	run.End, run.Events = result.End, result.Events
	return run, result, nil
}
