package sweep

import (
	"context"
	"fmt"

	"etrace/analyze"
	"etrace/analyze/complexity"
	"etrace/analyze/experiment/trial"
	"etrace/record/scenario"
)

// maker makes runs one after the other; each worker needs its own.
type maker struct {
	plan   *Plan
	runner *trial.Runner
	// theories holds the theory of the cell of the last run.
	theories map[int]*complexity.Theory
}

// maker returns a maker for the plan.
func (p *Plan) maker() *maker {
	m := &maker{plan: p, theories: map[int]*complexity.Theory{}, runner: trial.NewRunner(p.Grid.Properties, checking)}
	for _, q := range p.measures {
		if q.weighs {
			m.runner.Weigh()
		}
	}
	return m
}

// checking are the options of checks: the user named the properties.
var checking = analyze.Options{Named: true}

// outcome makes a run of a cell and returns its measures, verdicts and comparisons with bounds.
func (m *maker) outcome(ctx context.Context, cell int, run int64) (outcome, error) {
	s, err := m.plan.Families[cell].Scenario(run)
	if err != nil {
		return outcome{}, err
	}
	result, report, err := m.make(ctx, s)
	if err != nil {
		return outcome{}, fmt.Errorf("%w; the scenario: etrace record %s", err, s.CommandLine())
	}
	measures := m.plan.measures
	o := outcome{
		cell: cell, run: run, end: result.end, values: make([]int64, len(measures)),
		has: make([]bool, len(measures)),
	}
	for i, q := range measures {
		o.values[i], o.has[i] = q.value(result)
	}
	if len(m.plan.Grid.Properties) > 0 {
		for _, r := range report.Results {
			o.verdicts = append(o.verdicts, r.Verdict)
		}
	}
	o.bounds = m.compare(cell, result)
	return o, nil
}

// make makes the run of a scenario.
func (m *maker) make(ctx context.Context, s *scenario.Scenario) (*finishedRun, *analyze.RunReport, error) {
	counted, err := m.runner.Run(ctx, s)
	if err != nil {
		return nil, nil, err
	}
	run := &finishedRun{
		Totals: counted.Totals(), compare: counted.Compare, payload: counted.Payload,
		end: counted.Run.End,
	}
	return run, counted.Report, nil
}
