package cli

import (
	"context"
	"fmt"
	"io"

	"etrace/analyze/shard"
	"etrace/tracefmt"
	"etrace/tracefmt/text"
	"etrace/tracefmt/tracefile"
)

// checkSlice checks a shard of one run. It reads the events from lines or, if lines is nil, from the slices or the trace
// that args name (default: the trace of the plan). It returns the findings of the shard.
func (c *shardCheck) checkSlice(ctx context.Context, number int, args []string, lines io.Reader) (any, error) {
	if lines != nil {
		x, err := shard.NewExamination(c.plan, number, &tracefmt.Run{Slice: true}, c.properties)
		if err != nil {
			return nil, err
		}
		return x.Read(lines)
	}
	path := c.plan.Traces[0].Path
	switch {
	case len(args) > 1:
		return c.checkSlices(ctx, number, args)
	case len(args) == 1:
		path = args[0]
	}
	s, rec, err := c.app.runOf(ctx, c.plan, path, "checking events")
	if err != nil {
		return nil, err
	}
	defer s.Close()
	x, err := shard.NewExamination(c.plan, number, rec.Run(), c.properties)
	if err != nil {
		return nil, err
	}
	for e, err := range rec.Events(1) {
		if err == nil {
			err = x.Write(e)
		}
		if err != nil {
			return nil, err
		}
	}
	// A slice has an end of its own, but further runs of a trace show only when the first is over.
	if !rec.Run().Slice {
		if err := s.refuseMore(c.plan); err != nil {
			return nil, err
		}
	}
	found, err := x.End(rec.Run())
	if err != nil {
		return nil, text.InFile(path, err)
	}
	return found, nil
}

// checkSlices checks a shard whose slice is in several files, one for each part of the run, in the order of the parts.
func (c *shardCheck) checkSlices(ctx context.Context, number int, paths []string) (any, error) {
	var inputs []io.Reader
	for _, path := range paths {
		input, err := c.app.input(ctx, path)
		if err != nil {
			return nil, err
		}
		defer input.Close()
		inputs = append(inputs, input)
	}
	found, err := c.checkSlice(ctx, number, nil, io.MultiReader(inputs...))
	if err != nil {
		return nil, fmt.Errorf("%s and others: %w", paths[0], err)
	}
	return found, nil
}

// refuseMore returns an error if the trace has further runs, although the plan was made for its only run.
func (s *source) refuseMore(p *shard.Plan) error {
	if !p.One.Only {
		return nil
	}
	numbers, err := s.Numbers(tracefile.Runs{All: true})
	if err == nil && len(numbers) > 1 {
		err = fmt.Errorf("%s: %d runs, and its plan is of one; expected a plan with --run, or a database (etrace import)", s.Path(), len(numbers))
	}
	return err
}

// runOf opens the trace of the planned run, or a slice of the run, and returns it with the completeness that the plan
// declares. If the plan declares all sends complete, a receive without a send is not repaired as a mistake of the log. It
// fails if the run differs from the planned run. The caller closes the source.
func (a *app) runOf(ctx context.Context, p *shard.Plan, path, doing string) (*source, tracefmt.Recording, error) {
	args := traceArgs{runs: "all", slices: true, passing: true}
	args.complete.completeness = p.Examined.Completeness
	s, err := args.open(ctx, a, path)
	if err != nil {
		return nil, nil, err
	}
	if s.Coming() { // a slice and the only run of a text are examined while they are read
		rec, err := s.recording(ctx, a, doing, 1)
		if err == nil && (rec.Run().Slice || p.One.Only) {
			err = p.One.Fits(rec.Run())
			if err == nil {
				return s, rec, nil
			}
		}
		if err != nil {
			s.Close()
			return nil, nil, text.InFile(path, err)
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
		err = checkSameRun(s, p, number)
	}
	if err != nil {
		s.Close()
		return nil, nil, text.InFile(path, err)
	}
	return s, rec, nil
}

// checkSameRun returns an error if the digest of a run differs from the digest in the plan.
func checkSameRun(s *source, p *shard.Plan, number int) error {
	digest, _, err := s.Digest(number)
	if planned := p.Traces[0].Runs[0].Digest; err == nil && planned != "" && digest != planned {
		err = fmt.Errorf("run %d is not as it was when the plan was made, expected the same events", number)
	}
	return err
}
