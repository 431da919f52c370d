package trial

import (
	"context"
	"errors"
	"fmt"

	"etrace/analyze"
	"etrace/analyze/complexity"
	"etrace/record/scenario"
	"etrace/record/sim"
	"etrace/tracefmt"
)

// Runner makes runs that are not kept, one after the other: each is counted and
// checked while it is made. Scenarios may differ in anything; those that differ
// in little, such as the seed, the order of the ring and who starts, cost least,
// since what they have in common is made once. It is not safe for concurrent
// use: each worker has its own.
type Runner struct {
	properties []*analyze.Property
	options    analyze.Options
	weighs     bool

	maker     scenario.Maker
	simulator sim.Simulator
	counter   complexity.Counter
	checker   *analyze.Checker // nil before the first run, and without properties
}

// NewRunner returns a runner whose runs are checked for the properties, if any.
func NewRunner(properties []*analyze.Property, o analyze.Options) *Runner {
	return &Runner{properties: properties, options: o}
}

// Weigh has it measure from now on what the messages of its runs carry.
func (r *Runner) Weigh() { r.weighs = true }

// Counted is what is known of a run that was not kept. It is good until the
// next run of its [Runner].
type Counted struct {
	// Run describes it; Result says how it went.
	Run    *tracefmt.Run
	Result sim.Result
	// Report has the verdicts, nil where there are no properties.
	Report *analyze.RunReport
	// Payload is what the messages carried, in bits by the protocol's own declarations; nil unless
	// the runner weighs.
	Payload *complexity.Payload

	counter *complexity.Counter
}

// Totals returns the counts that are single numbers, which cost nothing.
func (c *Counted) Totals() complexity.Totals { return c.counter.Totals() }

// Compare compares the run with the bounds of a theory; see [complexity.Counter.Compare].
func (c *Counted) Compare(t *complexity.Theory) ([]complexity.Compared, error) {
	return c.counter.Compare(t)
}

// Stats returns all counts.
func (c *Counted) Stats() *complexity.Stats { return c.counter.Stats() }

// Run makes the run of a scenario, which must be complete. The error is one of
// the scenario, or says that the context ended before the run did.
func (r *Runner) Run(ctx context.Context, s *scenario.Scenario) (*Counted, error) {
	counted, claim, err := r.run(ctx, s, nil)
	if err == nil && claim != nil && len(r.properties) > 0 {
		// What a loop claims is verified from an earlier event on, so that this takes a second run.
		counted, _, err = r.run(ctx, s, claim)
	}
	return counted, err
}

// run makes a run of which it is known that it will claim to end in a loop, and
// returns the claim that it ends with; nil for none.
func (r *Runner) run(ctx context.Context, s *scenario.Scenario, known *analyze.Claim) (*Counted, *analyze.Claim, error) {
	config, run, err := r.maker.Simulation(s)
	if err != nil {
		return nil, nil, err
	}
	x := passing{counter: &r.counter}
	if len(r.properties) == 0 {
		r.counter.Restart(run, nil)
	} else {
		x.checker = r.check(run, known)
		r.counter.Restart(run, x.checker.State())
	}
	if r.weighs {
		x.payload = complexity.NewPayload(config.Meter())
	}
	result, err := r.simulator.Run(ctx, config, &x)
	switch {
	case err != nil:
		return nil, nil, err
	case result.Interrupted:
		return nil, nil, errors.New("interrupted while executing")
	}
	run.End, run.Events = result.End, result.Events
	counted := &Counted{Run: run, Result: result, Payload: x.payload, counter: x.counter}
	if x.checker != nil {
		counted.Report = x.checker.Report()
	}
	if result.End != tracefmt.Stopped {
		return counted, nil, nil
	}
	return counted, x.claim, nil
}

// check returns the checker of a run.
func (r *Runner) check(run *tracefmt.Run, known *analyze.Claim) *analyze.Checker {
	if r.checker == nil {
		r.checker = analyze.NewFollower(run, analyze.Overall{Claim: known}, r.properties, r.options)
	} else {
		r.checker.Restart(run, known)
	}
	return r.checker
}

// passing examines a run that passes by and is not kept.
type passing struct {
	counter *complexity.Counter
	checker *analyze.Checker    // nil where there are no properties
	payload *complexity.Payload // nil where it is not asked for
	claim   *analyze.Claim      // that of the last event
}

// Write implements [tracefmt.Writer].
func (x *passing) Write(e *tracefmt.Event) error {
	if x.checker != nil {
		if err := x.checker.Write(e); err != nil {
			return fmt.Errorf("checking: %w", err)
		}
	}
	if x.payload != nil {
		if err := x.payload.Write(e); err != nil {
			return err
		}
	}
	x.claim = analyze.ClaimOf(e)
	return x.counter.Write(e)
}
