package whatif

import (
	"fmt"
	"slices"

	"etrace/analyze"
	"etrace/analyze/experiment/trial"
	"etrace/replay/diff"
	"etrace/tracefmt"
)

// Contrast compares the results of two runs.
type Contrast struct {
	// Rows are the measures of suites, the end, the leader, and the properties.
	Rows []Row
	// Processes take different steps in the second run. Processes whose difference has no earlier cause come
	// first.
	Processes []string
	// Violated is true if the second run violates a property.
	Violated bool
}

// Row is one value of both runs.
type Row struct {
	Measure string      `json:"name"`
	Before  trial.Value `json:"before"`
	After   trial.Value `json:"after"`
	Changed bool        `json:"changed"`
	// Detail explains the value after, such as why a property is violated.
	Detail string `json:"detail,omitempty"`
}

// Changed returns the rows in which the runs differ.
func (c *Contrast) Changed() []Row {
	return slices.DeleteFunc(slices.Clone(c.Rows), func(r Row) bool { return !r.Changed })
}

// NewContrast measures, checks and compares two runs. It reads them side by side, and a second time up to the
// divergence of each process.
func NewContrast(before, after tracefmt.Recording, properties []*analyze.Property) (*Contrast, error) {
	var both [2]*trial.Examination
	var watch [2]tracefmt.Writer
	for i, rec := range []tracefmt.Recording{before, after} {
		var err error
		both[i], err = trial.NewExamination(rec, properties, analyze.Options{})
		if err != nil {
			return nil, err
		}
		watch[i] = both[i]
	}
	apart, err := diff.Compare(before, after, diff.Options{Brief: true, Watch: watch})
	if err != nil {
		return nil, fmt.Errorf("comparing: %w", err)
	}
	b, a := both[0].Trial(), both[1].Trial()
	c := &Contrast{Violated: a.Report.Verdict == analyze.Violated}
	for _, d := range apart.Divergences {
		if d.Process != "" {
			c.Processes = append(c.Processes, d.Process)
		}
	}
	for _, m := range comparedMeasures(properties) {
		row := Row{Measure: m.Name, Before: m.Of(b), After: m.Of(a)}
		row.Changed = row.Before != row.After
		if m.Detail != nil {
			row.Detail = m.Detail(a)
		}
		c.Rows = append(c.Rows, row)
	}
	return c, nil
}

// comparedMeasures returns the measures that are compared: counts, end, leader, and the verdicts of the properties.
func comparedMeasures(properties []*analyze.Property) []trial.Measure {
	measures := append(trial.Counts(), trial.End(), trial.Leader())
	for _, p := range properties {
		measures = append(measures, trial.Verdict(p.Name))
	}
	return measures
}
