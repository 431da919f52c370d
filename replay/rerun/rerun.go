package rerun

import (
	"bytes"
	"context"
	"errors"
	"fmt"

	"etrace/record/algorithm"
	"etrace/record/scenario"
	"etrace/record/sim"
	"etrace/tracefmt"
	"etrace/tracefmt/text"
)

// ErrNoScenario means that the run carries no scenario, so it cannot be executed again.
var ErrNoScenario = errors.New("no scenario")

// execution is a scenario that can be executed repeatedly, and the description of the resulting run.
type execution struct {
	scenario *scenario.Scenario
	run      *tracefmt.Run
}

// executionOf reads the scenario that the run carries.
func executionOf(run *tracefmt.Run, known algorithm.Registry) (*execution, error) {
	s, err := ScenarioOf(run, known)
	if err != nil {
		return nil, err
	}
	return newExecution(s, run)
}

// ScenarioOf returns the scenario of a simulated run, ready to be executed; the error is [ErrNoScenario] for a run
// without one.
func ScenarioOf(run *tracefmt.Run, known algorithm.Registry) (*scenario.Scenario, error) {
	if run.Scenario == nil {
		return nil, fmt.Errorf("%s cannot be executed again: it has %w, as only the runs have that etrace simulates", Title(run), ErrNoScenario)
	}
	s, err := scenario.Parse("scenario", run.Scenario)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", Title(run), err)
	}
	s.Algorithms = known
	s.Complete()
	return s, nil
}

// newExecution returns the execution of a scenario; parent names the recorded run in errors.
func newExecution(s *scenario.Scenario, parent *tracefmt.Run) (*execution, error) {
	_, run, err := s.Simulation()
	if err != nil {
		return nil, fmt.Errorf("%s: %w", Title(parent), err)
	}
	return &execution{s, run}, nil
}

// writeTo executes the scenario and writes the events to the sink. It fails if the execution is interrupted.
func (x *execution) writeTo(ctx context.Context, sink tracefmt.Writer) (sim.Result, error) {
	config, _, err := x.scenario.Simulation()
	if err != nil {
		return sim.Result{}, err
	}
	result, err := sim.Run(ctx, config, sink)
	return result, requireComplete(result, err)
}

// Record executes a scenario to the end and keeps the run in memory.
func Record(ctx context.Context, s *scenario.Scenario) (*tracefmt.Memory, error) {
	m := &tracefmt.Memory{}
	_, result, err := scenario.Record(ctx, s, m)
	if err := requireComplete(result, err); err != nil {
		return nil, err
	}
	return m, nil
}

// requireComplete returns an error for a run that was interrupted.
func requireComplete(result sim.Result, err error) error {
	if err == nil && result.Interrupted {
		return errors.New("interrupted while executing")
	}
	return err
}

// Title names a run in errors, by its number if it has one.
func Title(run *tracefmt.Run) string {
	switch {
	case run.Number > 0:
		return fmt.Sprintf("run %d", run.Number)
	case run.Name != "":
		return fmt.Sprintf("run %q", text.Printable(run.Name))
	}
	return "the run"
}

// sameEvent reports whether two events are equal in every field.
func sameEvent(a, b *tracefmt.Event) bool {
	return a.Seq == b.Seq && a.Time == b.Time && a.Kind == b.Kind && a.Process == b.Process && a.Peer == b.Peer &&
		a.Type == b.Type &&
		a.Message == b.Message && a.Cause == b.Cause && a.Lamport == b.Lamport && a.Term == b.Term &&
		bytes.Equal(a.Payload, b.Payload)
}
