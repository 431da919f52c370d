package scenario

import (
	"context"

	"etrace/record/sim"
	"etrace/tracefmt"
)

// Record simulates a scenario and writes the run to a sink: a trace file, memory, or a reader of the events as
// they happen. It returns the description of the run, with the number that the sink gave it. A run that the
// context ends is complete up to then, and marked, see [sim.Result.Interrupted]. Record fails for an invalid
// scenario, and if the sink fails.
func Record(ctx context.Context, s *Scenario, sink tracefmt.Sink) (*tracefmt.Run, sim.Result, error) {
	return new(Recorder).Record(ctx, s, sink)
}

// Recorder records scenarios, one after the other, as [Record] does. It reuses common results and memory: see
// [Maker] and [sim.Simulator]. The zero value is ready. It is not safe for concurrent use.
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
