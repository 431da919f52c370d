package cli

import (
	"context"
	"encoding/json"
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
		Decode: func(text json.RawMessage) (*analyze.RunReport, error) { return unsplit(text, p, properties) },
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

// unsplit reads the report of what was not split of the properties.
func unsplit(text json.RawMessage, p *shard.Plan, properties []*analyze.Property) (*analyze.RunReport, error) {
	var saved report.Saved
	if err := json.Unmarshal(text, &saved); err != nil {
		return nil, err
	}
	var whole []*analyze.Property
	for i, property := range properties {
		if p.One.Unsplit(i) {
			whole = append(whole, property)
		}
	}
	runs, err := saved.Runs(whole)
	switch {
	case err != nil:
		return nil, err
	case len(runs) != 1:
		return nil, fmt.Errorf("the outcomes of %d runs, expected one", len(runs))
	}
	return runs[0].RunReport, nil
}
