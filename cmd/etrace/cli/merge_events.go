package cli

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"etrace/analyze"
	"etrace/analyze/report"
	"etrace/analyze/shard"
	"etrace/tracefmt"
	"etrace/tracefmt/tracefile"
)

// mergeEvents makes the report of one run.
func (a *app) mergeEvents(ctx context.Context, f *mergeFlags, p *shard.Plan, sum *shard.Summary, properties []*analyze.Property) (*report.Report, error) {
	path := p.Traces[0].Path
	var opened *source
	defer func() {
		if opened != nil {
			opened.Close()
		}
	}()
	open := func() (tracefmt.Recording, error) {
		from := path
		if f.trace != "" {
			from = f.trace
		}
		if from == tracefile.Stream && f.trace == "" {
			return nil, errors.New("the report needs the trace, which was read from stdin when the plan was made; expected it with --trace TRACE")
		}
		s, rec, err := a.runOf(ctx, p, from, "reading events of the report")
		if err != nil {
			return nil, fmt.Errorf("the report needs the trace (--trace TRACE, if it is elsewhere): %w", err)
		}
		opened = s
		return rec, nil
	}
	run, err := p.Report(sum, shard.Sources{
		Properties: properties, Options: p.Options(), Open: open,
		Decode: p.ReadWhole(properties),
	})
	if err != nil {
		return nil, err
	}
	out := report.Run{Trace: path, RunReport: run}
	if run.Run.Source != tracefmt.Simulated && witnessed(run) {
		rec, err := open()
		if err == nil {
			out.Origins, err = report.Origins(rec, run)
		}
		if err != nil {
			return nil, err
		}
	}
	return &report.Report{Traces: []string{path}, Tool: toolName, Named: p.Examined.Named(), Runs: []report.Run{out}}, nil
}

// witnessed reports whether some verdict has a witness.
func witnessed(run *analyze.RunReport) bool {
	return slices.ContainsFunc(run.Results, func(r *analyze.Result) bool { return len(r.Witness) > 0 })
}
