package experiment

import (
	"fmt"

	"etrace/analyze"
	"etrace/replay/diff"
	"etrace/tracefmt"
)

// Contrast is what two runs come to, side by side.
type Contrast struct {
	// Rows are the measures of suites, the end, the leader, and the properties.
	Rows []ContrastRow
	// Processes take other steps in the second run, those first that do so
	// without another difference before.
	Processes []string
	// Violated: the second run violates a property.
	Violated bool
}

// ContrastRow is one value of both runs.
type ContrastRow struct {
	Measure       string
	Before, After Value
	// Detail says more about the value after, such as why a property is
	// violated.
	Detail string
}

// Changed returns the rows in which the runs differ.
func (c *Contrast) Changed() []ContrastRow {
	var rows []ContrastRow
	for _, r := range c.Rows {
		if r.Before != r.After {
			rows = append(rows, r)
		}
	}
	return rows
}

// NewContrast measures, checks and compares two runs.
func NewContrast(before, after tracefmt.Recording, properties []*analyze.Property) (*Contrast, error) {
	b, err := examine(before, properties, analyze.Options{})
	if err != nil {
		return nil, err
	}
	a, err := examine(after, properties, analyze.Options{})
	if err != nil {
		return nil, err
	}
	apart, err := diff.Compare(before, after, diff.Options{})
	if err != nil {
		return nil, fmt.Errorf("comparing: %w", err)
	}
	c := &Contrast{Violated: a.report.Verdict == analyze.Violated}
	for _, d := range apart.Divergences {
		if d.Process != "" {
			c.Processes = append(c.Processes, d.Process)
		}
	}
	for _, w := range contrasted(properties) {
		row := ContrastRow{Measure: w.name, Before: w.look(b), After: w.look(a)}
		if w.detail != nil {
			row.Detail = w.detail(a)
		}
		c.Rows = append(c.Rows, row)
	}
	return c, nil
}

// contrasted are the things to look at in two runs.
func contrasted(properties []*analyze.Property) []what {
	var all []what
	for _, m := range measures {
		w, _ := measure(m.name)
		all = append(all, w)
	}
	all = append(all, theEnd, theLeader)
	for _, p := range properties {
		all = append(all, verdictOf(p.Name))
	}
	return all
}
