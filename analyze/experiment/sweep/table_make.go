package sweep

import (
	"math/big"
	"slices"

	"etrace/analyze"
	"etrace/record/scenario"
	"etrace/tracefmt"
)

// table returns the table before any run.
func (p *Plan) table() *Table {
	t := &Table{Fixed: p.fixed()}
	for i, a := range p.Grid.Axes {
		if !p.constant(i) {
			t.Axes = append(t.Axes, a.Name)
		}
	}
	for _, q := range p.measures {
		t.Measures = append(t.Measures, q.name)
	}
	for _, property := range p.Grid.Properties {
		t.Properties = append(t.Properties, property.Name)
	}
	for _, f := range p.Families {
		t.Cells = append(t.Cells, p.cell(t, f))
	}
	t.Unbounded = p.noBoundReasons(t)
	return t
}

// constant reports whether an axis has the same value in all cells.
func (p *Plan) constant(axis int) bool {
	return !slices.ContainsFunc(p.Families, func(f *Family) bool { return f.At[axis] != p.Families[0].At[axis] })
}

// cell returns the row of a family before any run.
func (p *Plan) cell(t *Table, f *Family) Cell {
	c := Cell{N: f.N, Of: f.runs, Exhausted: f.Exhausted, Command: p.Grid.command(f), bounds: f.bounds}
	for i, a := range p.Grid.Axes {
		if slices.Contains(t.Axes, a.Name) {
			c.At = append(c.At, f.At[i])
		}
	}
	for _, q := range p.measures {
		c.Measures = append(c.Measures, Summary{
			Measure: q.name, Unit: q.unit, Sum: new(big.Int),
			Squares: new(big.Int),
		})
	}
	for _, name := range t.Properties {
		c.Verdicts = append(c.Verdicts, Tally{Property: name, Counts: map[analyze.Verdict]int64{}})
	}
	return c
}

// maxViolating is the limit for the listed runs of a cell that violate a property.
const maxViolating = 10

// add adds the outcome of a run.
func (c *Cell) add(o *outcome) {
	c.Runs++
	switch o.end {
	case tracefmt.Stopped:
		c.Loops++
	case tracefmt.Deadline:
		c.Limited++
	}
	for i := range c.Measures {
		if o.has[i] {
			c.Measures[i].add(o.run, o.values[i])
		}
	}
	c.compare(o)
	for i, v := range o.verdicts {
		t := &c.Verdicts[i]
		t.Counts[v]++
		if v != analyze.Violated {
			continue
		}
		at, _ := slices.BinarySearch(t.violating, o.run)
		t.violating = slices.Insert(t.violating, at, o.run)
		t.violating = t.violating[:min(len(t.violating), maxViolating)]
	}
}

// finish names the runs of the extremes and violations, and explains missing bounds.
func (p *Plan) finish(t *Table) {
	for i := range t.Cells {
		c, f := &t.Cells[i], p.Families[i]
		name := func(run int64) string {
			s, err := f.Scenario(run)
			if err != nil {
				return ""
			}
			return s.CommandLine()
		}
		c.setTheory()
		for j := range c.Measures {
			if s := &c.Measures[j]; s.Count > 0 {
				s.MinRun, s.MaxRun = name(s.minRun), name(s.maxRun)
			}
		}
		for j := range c.Verdicts {
			for _, run := range c.Verdicts[j].violating {
				c.Verdicts[j].Violating = append(c.Verdicts[j].Violating, name(run))
			}
		}
	}
	t.Unbounded = p.noBoundReasons(t)
}

// Violating returns the scenarios of the listed runs that violate a property, each once.
func (p *Plan) Violating(t *Table) (scenarios []*scenario.Scenario, err error) {
	for i := range t.Cells {
		var runs []int64
		for _, tally := range t.Cells[i].Verdicts {
			runs = append(runs, tally.violating...)
		}
		slices.Sort(runs)
		for _, run := range slices.Compact(runs) {
			s, err := p.Families[i].Scenario(run)
			if err != nil {
				return nil, err
			}
			scenarios = append(scenarios, s)
		}
	}
	return scenarios, nil
}
