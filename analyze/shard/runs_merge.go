package shard

import (
	"errors"
	"fmt"
	"slices"

	"etrace/analyze"
	"etrace/analyze/report"
	"etrace/tracefmt/sealed"
)

// RunsFound is the result of a shard that checks runs.
type RunsFound struct {
	Outcomes *report.Saved `json:"outcomes"`
	Failures []RunFailure  `json:"failures,omitempty"`
}

// RunFailure is the reason why a run has no result.
type RunFailure struct {
	Trace string `json:"trace"`
	Run   int    `json:"run"`
	Error string `json:"error"`
	// OfTrace is true if the error concerns the whole trace. Then no run of the trace is in the report.
	OfTrace bool `json:"of_trace,omitempty"`
}

// runPlace identifies a run of a trace.
type runPlace struct {
	trace string
	run   int
}

// RunsReport returns the report of a plan that splits runs, from the summaries of all shards. The properties must be
// those of the plan.
func (p *Plan) RunsReport(s *Summary, properties []*analyze.Property) (*report.Report, error) {
	runs, failures := make(map[runPlace]report.Run), make(map[runPlace]RunFailure)
	for _, part := range s.Parts {
		if err := p.takeRuns(part, properties, runs, failures); err != nil {
			return nil, fmt.Errorf("shard %d: %w", part.Shard, err)
		}
	}
	r := &report.Report{Tool: p.Tool}
	for _, t := range p.Traces {
		r.Traces = append(r.Traces, t.Path)
		r.LeftOut = append(r.LeftOut, t.LeftOut...)
		before := len(r.Runs)
		for _, planned := range t.Runs {
			at := runPlace{t.Path, planned.Number}
			failure, failed := failures[at]
			if !failed {
				r.Add(runs[at])
				continue
			}
			r.Failures = append(r.Failures, failure.Error)
			if failure.OfTrace {
				r.Runs = slices.Delete(r.Runs, before, len(r.Runs))
				break
			}
		}
	}
	return r, nil
}

// takeRuns adds the results of a shard. It fails unless they cover exactly the runs of this shard.
func (p *Plan) takeRuns(
	part Part, properties []*analyze.Property, runs map[runPlace]report.Run, failures map[runPlace]RunFailure,
) error {
	var found RunsFound
	switch err := sealed.Unmarshal(part.Found, &found); {
	case err != nil:
		return fmt.Errorf("its summary is not one of runs, or not a whole one: %w", err)
	case found.Outcomes == nil:
		return errors.New("its summary is not one of runs, or not a whole one")
	}
	outcomes, err := found.Outcomes.Runs(properties)
	if err != nil {
		return err
	}
	received := make(map[runPlace]bool)
	for _, run := range outcomes {
		place := runPlace{run.Trace, run.Run.Number}
		received[place], runs[place] = true, run
	}
	for _, f := range found.Failures {
		place := runPlace{f.Trace, f.Run}
		received[place], failures[place] = true, f
	}
	for _, t := range p.Traces {
		for _, run := range t.Runs {
			place := runPlace{t.Path, run.Number}
			if belongs := run.Shard == part.Shard; belongs != received[place] {
				problem := "an outcome, but it is a run of another shard"
				if belongs {
					problem = "no outcome"
				}
				return fmt.Errorf("%s: run %d: %s", t.Path, run.Number, problem)
			}
			delete(received, place)
		}
	}
	if len(received) > 0 {
		return errors.New("it has outcomes of runs that the plan does not have")
	}
	return nil
}
