package cli

import (
	"context"
	"errors"
	"fmt"

	"etrace/analyze"
	"etrace/analyze/shard"
)

// checkShard checks one shard of a plan and prints its summary. What it finds is no failure:
// who starts shards elsewhere takes any status but 0 for one.
func (a *app) checkShard(ctx context.Context, f *checkFlags, args []string) error {
	p, err := a.readPlan(ctx, f.plan)
	if err != nil {
		return err
	}
	if err := p.CheckShard(f.shard); err != nil {
		return err
	}
	properties, err := a.planProperties(&p.Examined)
	if err != nil {
		return err
	}
	found, err := a.found(ctx, p, f.shard, properties, args)
	if err != nil {
		return err
	}
	s, err := p.Summary(f.shard, found)
	if err != nil {
		return err
	}
	return a.print(s.WriteJSON)
}

// found is what a shard finds, by the mode of the plan.
func (a *app) found(ctx context.Context, p *shard.Plan, number int, properties []*analyze.Property, args []string) (any, error) {
	switch p.Mode {
	case shard.Runs:
		if len(args) > 0 {
			return nil, fmt.Errorf("check --plan: unexpected argument %q, expected none: the plan names the traces", args[0])
		}
		return a.checkRuns(ctx, p, number, properties)
	default:
		return nil, errors.New("shards of events are not checked yet")
	}
}
