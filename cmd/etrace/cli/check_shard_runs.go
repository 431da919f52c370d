package cli

import (
	"context"
	"errors"
	"fmt"

	"etrace/analyze"
	"etrace/analyze/report"
	"etrace/analyze/shard"
	"etrace/tracefmt"
	"etrace/tracefmt/tracedb"
)

// shardChecking checks the runs of a shard.
type shardChecking struct {
	checking *checking
	plan     *shard.Plan
	shard    int
	found    shard.RunsFound
}

// checkRuns checks the runs that the plan assigns to the shard. A damaged run becomes a failure in the result.
func (a *app) checkRuns(ctx context.Context, p *shard.Plan, number int, properties []*analyze.Property) (*shard.RunsFound, error) {
	f, err := plannedFlags(&p.Examined)
	if err != nil {
		return nil, err
	}
	c := &shardChecking{&checking{app: a, checkFlags: f, properties: properties, report: &report.Report{}}, p, number, shard.RunsFound{}}
	for _, t := range p.Traces {
		if err := c.trace(ctx, t); err != nil {
			return nil, err
		}
	}
	c.found.Outcomes, err = report.Save(c.checking.report.Runs)
	return &c.found, err
}

// plannedFlags returns the flags of a check that examines the same as the plan.
func plannedFlags(x *shard.Examined) (*checkFlags, error) {
	f := &checkFlags{maxSteps: x.MaxSteps, propertyFlags: plannedProperties(x)}
	f.runs, f.salvage, f.complete.completeness = "all", x.Salvage, x.Completeness
	f.stated.statement.End = x.End
	for _, text := range x.Crashed {
		c, err := tracefmt.ParseStatedCrash(text)
		if err != nil {
			return nil, err
		}
		f.stated.statement.Crashes = append(f.stated.statement.Crashes, c)
	}
	return f, nil
}

// trace checks the runs of a trace that belong to the shard. Without such runs, it does not open the trace.
func (c *shardChecking) trace(ctx context.Context, t shard.Trace) error {
	var assigned []shard.Run
	for _, run := range t.Runs {
		if run.Shard == c.shard {
			assigned = append(assigned, run)
		}
	}
	if assigned == nil {
		return nil
	}
	s, err := c.checking.open(ctx, c.checking.app, t.Path)
	if err != nil {
		return err
	}
	defer s.Close()
	for _, planned := range assigned {
		if err := checkUnchanged(s, planned); err != nil {
			return err
		}
		run, err := c.checking.run(ctx, s, planned.Number)
		switch {
		case err != nil && ctx.Err() != nil:
			return err
		case err != nil:
			c.found.Failures = append(c.found.Failures, shard.RunFailure{
				Trace: t.Path, Run: planned.Number, Error: oneLine(describe(err)), OfTrace: !errors.Is(err, tracedb.ErrDamaged),
			})
		default:
			run.Trace = t.Path
			c.checking.report.Add(run)
		}
	}
	return nil
}

// checkUnchanged returns an error if the events of a run have changed since the plan was made.
func checkUnchanged(s *source, planned shard.Run) error {
	now, err := plannedRun(s, planned.Number)
	if err == nil && now.Digest != planned.Digest {
		err = fmt.Errorf("%s: run %d: changed since the plan was made, expected it as it was", s.Path(), planned.Number)
	}
	return err
}
