package cli

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"strconv"

	"etrace/analyze"
	"etrace/analyze/shard"
	"etrace/tracefmt/tracefile"
)

// checkShard checks one shard of a plan and prints its summary. It returns success even with violations, because a scheduler
// takes any other status for a failure of the shard.
func (a *app) checkShard(ctx context.Context, f *checkFlags, args []string) error {
	p, err := a.readPlan(ctx, f.plan)
	if err != nil {
		return err
	}
	properties, err := a.planProperties(&p.Examined)
	if err != nil {
		return err
	}
	c := &shardCheck{a, p, properties}
	if f.shard == tracefile.Stream {
		return c.checkTagged(ctx, args)
	}
	number, err := strconv.Atoi(f.shard)
	if err != nil {
		return fmt.Errorf("--shard %q: expected a number, 0 to %d, or - for the shards of stdin", f.shard, p.Shards-1)
	}
	return c.printSummary(ctx, number, args, nil)
}

// shardCheck checks shards of a plan for the properties of the plan.
type shardCheck struct {
	app        *app
	plan       *shard.Plan
	properties []*analyze.Property
}

// checkTagged checks each shard that has lines on stdin, SHARD<TAB>LINE, and prints its summary.
func (c *shardCheck) checkTagged(ctx context.Context, args []string) error {
	if len(args) > 0 {
		return fmt.Errorf("check --shard -: unexpected argument %q, expected none: lines come from stdin", args[0])
	}
	stream, err := c.app.input(ctx, tracefile.Stream)
	if err != nil {
		return err
	}
	defer stream.Close()
	err = c.plan.EachTagged(stream, func(number int, slice io.Reader) error { return c.printSummary(ctx, number, nil, slice) })
	if err != nil {
		return fmt.Errorf("-: %w", err)
	}
	return nil
}

// printSummary checks a shard and prints its summary. lines has the events of the shard; if it is nil, they are read from
// the files in args.
func (c *shardCheck) printSummary(ctx context.Context, number int, args []string, lines io.Reader) error {
	if err := c.plan.CheckShard(number); err != nil {
		return err
	}
	found, err := c.check(ctx, number, args, lines)
	if err != nil {
		return err
	}
	s, err := c.plan.Summary(number, found)
	if err != nil {
		return err
	}
	return c.app.print(s.WriteJSON)
}

// check returns the results of a shard: those of its runs or of its events, by the mode of the plan.
func (c *shardCheck) check(ctx context.Context, number int, args []string, lines io.Reader) (any, error) {
	switch c.plan.Mode {
	case shard.Runs:
		if len(args) > 0 {
			return nil, fmt.Errorf("check --plan: unexpected argument %q, expected none: the plan names the traces", args[0])
		}
		if err := refuseLines(lines); err != nil {
			return nil, err
		}
		return c.app.checkRuns(ctx, c.plan, number, c.properties)
	default:
		return c.checkSlice(ctx, number, args, lines)
	}
}

// refuseLines returns an error if lines has any event: a plan that splits runs names their traces.
func refuseLines(lines io.Reader) error {
	if lines == nil {
		return nil
	}
	for r := bufio.NewReader(lines); ; {
		switch c, err := r.ReadByte(); {
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
			return err
		case c != '\n':
			return errors.New("lines of events, expected none: the plan splits runs, and names their traces")
		}
	}
}
