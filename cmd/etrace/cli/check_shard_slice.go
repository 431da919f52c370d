package cli

import (
	"context"
	"encoding/json"
	"fmt"

	"etrace/analyze"
	"etrace/analyze/report"
	"etrace/analyze/shard"
	"etrace/tracefmt"
)

// checkSlice checks a shard of one run on a slice of its events, or on all of them.
func (a *app) checkSlice(ctx context.Context, p *shard.Plan, number int, properties []*analyze.Property, args []string) (any, error) {
	x, err := shard.NewExamination(p, number, properties, p.Options())
	if err != nil {
		return nil, err
	}
	path := p.Traces[0].Path
	switch {
	case len(args) > 1:
		return nil, fmt.Errorf("check --plan: unexpected argument %q, expected one slice", args[1])
	case len(args) == 1:
		path = args[0]
	}
	s, rec, err := a.runOf(ctx, p, path, "checking events")
	if err != nil {
		return nil, err
	}
	defer s.Close()
	for e, err := range rec.Events(1) {
		if err == nil {
			err = x.Write(e)
		}
		if err != nil {
			return nil, err
		}
	}
	return x.End(func(r *analyze.RunReport) (json.RawMessage, error) {
		saved, err := report.Save([]report.Run{{Trace: p.Traces[0].Path, RunReport: r}})
		if err != nil {
			return nil, err
		}
		return json.Marshal(saved)
	})
}

// runOf opens the trace of the run of a plan, or a slice of it.
func (a *app) runOf(ctx context.Context, p *shard.Plan, path, doing string) (*source, tracefmt.Recording, error) {
	args := traceArgs{runs: "all", slices: true}
	s, err := args.open(a, path)
	if err != nil {
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
	digest, err := s.Digest(number)
	if planned := p.Traces[0].Runs[0].Digest; err == nil && planned != "" && digest != planned {
		err = fmt.Errorf("run %d is not as it was when the plan was made, expected the same events", number)
	}
	return err
}
