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

// Runner makes runs one after the other. It counts and checks the events while they happen, and does not
// store them. Runs that differ only in seed, ring order or starts cost least, since the runner reuses the
// rest. It is not safe for concurrent use.
type Runner struct {
	properties []*analyze.Property
	options    analyze.Options
	weighs     bool // measure payload sizes

	maker     scenario.Maker
	simulator sim.Simulator
	counter   complexity.Counter
	checker   *analyze.Checker // nil before the first run, and without properties
}

// NewRunner returns a runner that checks its runs for the given properties, if any.
func NewRunner(properties []*analyze.Property, o analyze.Options) *Runner {
	return &Runner{properties: properties, options: o}
}

// Weigh turns on the measuring of payload sizes.
func (r *Runner) Weigh() { r.weighs = true }

// Counted is the result of a discarded run. It is valid until the next run of its [Runner].
type Counted struct {
	// Run describes the run; Result has its end and its counts.
	Run    *tracefmt.Run
	Result sim.Result
	// Report has the verdicts; it is nil without properties.
	Report *analyze.RunReport
	// Payload is the size of the messages, by the protocol's own declarations; it is nil unless the runner
	// weighs.
	Payload *complexity.Payload

	counter *complexity.Counter
}

// Totals returns the counts that are single numbers, which are free.
func (c *Counted) Totals() complexity.Totals { return c.counter.Totals() }

// Compare compares the run with the bounds of a theory; see [complexity.Counter.Compare].
func (c *Counted) Compare(t *complexity.Theory) ([]complexity.Compared, error) {
	return c.counter.Compare(t)
}

// Stats returns all counts.
func (c *Counted) Stats() *complexity.Stats { return c.counter.Stats() }

// Run makes the run of a scenario, which must be complete. It fails if the scenario is invalid, or if the
// context ends before the run.
func (r *Runner) Run(ctx context.Context, s *scenario.Scenario) (*Counted, error) {
	counted, claim, err := r.run(ctx, s, nil)
	if err == nil && claim != nil && len(r.properties) > 0 {
		// A loop claim is verified from an earlier event on, so it takes a second run.
		counted, _, err = r.run(ctx, s, claim)
	}
	return counted, err
}

// run makes a run. It returns the loop that the run claims at its end; nil if it claims none. known is that
// claim, if an earlier run has shown it.
func (r *Runner) run(
	ctx context.Context, s *scenario.Scenario, known *analyze.Claim,
) (*Counted, *analyze.Claim, error) {
	config, run, err := r.maker.Simulation(s)
	if err != nil {
		return nil, nil, err
	}
	x := discarding{counter: &r.counter}
	// A checker follows the states of the processes, which the counter then shares.
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
		r.checker = analyze.NewFollower(run, known, r.properties, r.options)
	} else {
		r.checker.Restart(run, known)
	}
	return r.checker
}

// discarding is a writer that counts and checks a run without storing it.
type discarding struct {
	counter *complexity.Counter
	checker *analyze.Checker    // nil without properties
	payload *complexity.Payload // nil without weighing
	claim   *analyze.Claim      // the claim of the last event
}

// Write implements [tracefmt.Writer].
func (x *discarding) Write(e *tracefmt.Event) error {
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
