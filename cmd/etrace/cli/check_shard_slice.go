package cli

import (
	"context"
	"fmt"
	"io"

	"etrace/analyze/shard"
	"etrace/tracefmt"
)

// checkSlice checks a shard of one run on a slice of its events, or on all of them: on those
// lines or, where they are nil, on what the arguments name, else on the trace of the plan.
func (c *shardCheck) checkSlice(ctx context.Context, number int, args []string, lines io.Reader) (any, error) {
	x, err := shard.NewExamination(c.plan, number, c.properties, c.plan.Options())
	if err != nil {
		return nil, err
	}
	if lines != nil {
		err = x.Read(lines)
	} else {
		err = c.examine(ctx, x, args)
	}
	if err != nil {
		return nil, err
	}
	found, err := x.End()
	if err != nil {
		return nil, err
	}
	if err := c.plan.One.Seen(number, found); err != nil {
		c.app.warn("%v; merge refuses this summary", err)
	}
	return found, nil
}

// examine has the shard examine what the arguments name.
func (c *shardCheck) examine(ctx context.Context, x *shard.Examination, args []string) error {
	path := c.plan.Traces[0].Path
	switch {
	case len(args) > 1:
		return fmt.Errorf("check --plan: unexpected argument %q, expected one slice", args[1])
	case len(args) == 1:
		path = args[0]
	}
	s, rec, err := c.app.runOf(ctx, c.plan, path, "checking events")
	if err != nil {
		return err
	}
	defer s.Close()
	for e, err := range rec.Events(1) {
		if err == nil {
			err = x.Write(e)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// runOf opens the trace of the planned run, or a slice of it, with the completeness that the plan declares. If
// the plan declares all sends complete, a receive without a send is not repaired as a mistake of the log.
func (a *app) runOf(ctx context.Context, p *shard.Plan, path, doing string) (*source, tracefmt.Recording, error) {
	args := traceArgs{runs: "all", slices: true, passing: true}
	args.tells.said = p.Examined.Completeness
	s, err := args.open(ctx, a, path)
	if err != nil {
		return nil, nil, err
	}
	if s.Coming() { // a slice is examined as it comes
		rec, err := s.recording(ctx, a, doing, 1)
		if err == nil && rec.Run().Slice {
			err = p.One.Fits(rec.Run())
			if err == nil {
				return s, rec, nil
			}
		}
		if err != nil {
			s.Close()
			return nil, nil, fmt.Errorf("%s: %w", path, err)
		}
	}
	s.numbers, err = s.Numbers(s.picked)
	if err != nil {
		s.Close()
		return nil, nil, err
	}
	number := s.numbers[0]
	if len(s.numbers) > 1 {
		number = p.One.Number
	}
	rec, err := s.recording(ctx, a, doing, number)
	if err == nil {
		err = p.One.Fits(rec.Run())
	}
	if err == nil && !rec.Run().Slice && !s.ReadThrough() {
		err = sameRun(s, p, number)
	}
	if err != nil {
		s.Close()
		return nil, nil, fmt.Errorf("%s: %w", path, err)
	}
	return s, rec, nil
}

// sameRun refuses a run that is not as it was planned.
func sameRun(s *source, p *shard.Plan, number int) error {
	digest, _, err := s.Digest(number)
	if planned := p.Traces[0].Runs[0].Digest; err == nil && planned != "" && digest != planned {
		err = fmt.Errorf("run %d is not as it was when the plan was made, expected the same events", number)
	}
	return err
}
