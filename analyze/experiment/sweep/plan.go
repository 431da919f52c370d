package sweep

import (
	"cmp"
	"fmt"
	"io"
	"math/bits"
	"slices"

	"etrace/record/algorithm/builtin"
	"etrace/record/scenario"
)

// The limits of a plan.
const (
	maxCells = 1_000_000
	maxRuns  = 1_000_000_000_000
)

// Plan is a grid with its runs.
type Plan struct {
	Grid *Grid
	// Families are the cells with their runs, in the order of the table.
	Families []*Family
	// Runs is the number of all runs.
	Runs int64

	measures []*quantity
	// offsets are the numbers of runs before each cell.
	offsets []int64
}

// Plan determines the runs of the grid. It fails if a scenario is invalid, or if there are too many cells or
// runs.
func (g *Grid) Plan() (*Plan, error) {
	p := &Plan{Grid: g}
	if g.Seeds < 0 || g.Seeds > maxRuns {
		return nil, fmt.Errorf("%d seeds, expected 1 to %d", g.Seeds, int64(maxRuns))
	}
	if err := p.setMeasures(); err != nil {
		return nil, err
	}
	if err := g.checkAlgorithms(); err != nil {
		return nil, err
	}
	// The limits bound the work before any family is built, and the sums before they can overflow.
	cells := 1
	for _, a := range g.Axes {
		if cells *= len(a.Values); cells > maxCells {
			return nil, fmt.Errorf("the grid has more than %d cells, expected fewer", maxCells)
		}
	}
	for i := range cells {
		families, err := g.families(g.axisValues(i, cells))
		if err != nil {
			return nil, err
		}
		if len(p.Families)+len(families) > maxCells {
			return nil, fmt.Errorf("the grid has more than %d cells, expected fewer", maxCells)
		}
		for _, f := range families {
			p.offsets = append(p.offsets, p.Runs)
			if p.Runs += f.Runs(); p.Runs > maxRuns {
				return nil, fmt.Errorf("the grid has more than %d runs, expected fewer", int64(maxRuns))
			}
			p.Families = append(p.Families, f)
		}
	}
	return p, p.checkTypes()
}

// checkAlgorithms reports an unknown algorithm as such, and not as a mistake of the first cell.
func (g *Grid) checkAlgorithms() error {
	base := cmp.Or(g.Base, &scenario.Scenario{})
	names := []string{base.Algorithm}
	if i := slices.IndexFunc(g.Axes, func(a Axis) bool { return a.Name == algorithmAxis }); i >= 0 {
		names = g.Axes[i].Values
	}
	for _, name := range names {
		if name == "" {
			continue // the error of the cell names the missing key
		}
		if _, err := builtin.Or(base.Algorithms).Lookup(name); err != nil {
			return err
		}
	}
	return nil
}

// axisValues returns the value of each axis in cell i.
func (g *Grid) axisValues(i, cells int) []string {
	values := make([]string, len(g.Axes))
	for j, a := range g.Axes {
		cells /= len(a.Values)
		values[j] = a.Values[i/cells]
		i %= cells
	}
	return values
}

// product multiplies, and reports whether the product is at most maxRuns.
func product(factors ...int64) (int64, bool) {
	p := int64(1)
	for _, f := range factors {
		high, low := bits.Mul64(uint64(p), uint64(f))
		if high != 0 || low > maxRuns {
			return 0, false
		}
		p = int64(low)
	}
	return p, true
}

// Limits for the cells of a large plan that are listed: the first and the last.
const (
	firstListed = 10
	lastListed  = 3
)

// WriteText writes the numbers of cells and runs, with a line for each cell. It abbreviates a long list to the
// first and the last cells.
func (p *Plan) WriteText(w io.Writer) error {
	t := p.table()
	t.Measures, t.Properties = nil, nil
	for i := range t.Cells {
		c := &t.Cells[i]
		c.Runs, c.Measures, c.Verdicts = c.Of, nil, nil
	}
	page := t.page()
	if rows := page.table.Rows; len(rows) > firstListed+1+lastListed {
		page.table.Rows = rows[:firstListed:firstListed]
		page.table.Add(fmt.Sprintf("... %d more", len(rows)-firstListed-lastListed))
		page.table.Rows = append(page.table.Rows, rows[len(rows)-lastListed:]...)
	}
	return page.document().WriteText(w)
}
