package shard

import (
	"encoding/json"
	"fmt"

	"etrace/analyze"
	"etrace/analyze/report"
)

// SaveWhole returns a function that saves the outcome of what was not split, for [Examination.End].
func SaveWhole(trace string) func(*analyze.RunReport) (json.RawMessage, error) {
	return func(r *analyze.RunReport) (json.RawMessage, error) {
		saved, err := report.Save([]report.Run{{Trace: trace, RunReport: r}})
		if err != nil {
			return nil, err
		}
		return json.Marshal(saved)
	}
}

// ReadWhole returns a function that reads what [SaveWhole] saved, of those of the properties that
// the plan does not split.
func (p *Plan) ReadWhole(properties []*analyze.Property) func(json.RawMessage) (*analyze.RunReport, error) {
	var whole []*analyze.Property
	for i, property := range properties {
		if p.One.Unsplit(i) {
			whole = append(whole, property)
		}
	}
	return func(text json.RawMessage) (*analyze.RunReport, error) {
		var saved report.Saved
		if err := json.Unmarshal(text, &saved); err != nil {
			return nil, err
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
}
