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
	mostCells = 1_000_000
	mostRuns  = 1_000_000_000_000
)

// Plan is a grid whose runs are known.
type Plan struct {
	Grid *Grid
	// Families are the cells with their runs, in the order of the table.
	Families []*Family
	// Runs is how many they have together.
	Runs int64

	measures []*quantity
	// offsets are how many runs come before those of each cell.
	offsets []int64
}

// Plan says which runs the grid has. The error is one of its scenarios.
func (g *Grid) Plan() (*Plan, error) {
	p := &Plan{Grid: g}
	if g.Seeds < 0 || g.Seeds > mostRuns {
		return nil, fmt.Errorf("%d seeds, expected 1 to %d", g.Seeds, int64(mostRuns))
	}
	if err := p.setMeasures(); err != nil {
		return nil, err
	}
	if err := g.checkAlgorithms(); err != nil {
		return nil, err
	}
	cells := 1
	for _, a := range g.Axes {
		if cells *= len(a.Values); cells > mostCells {
			return nil, fmt.Errorf("the grid has more than %d cells, expected fewer", mostCells)
		}
	}
	for i := range cells {
		families, err := g.families(g.at(i, cells))
		if err != nil {
			return nil, err
		}
		if len(p.Families)+len(families) > mostCells {
			return nil, fmt.Errorf("the grid has more than %d cells, expected fewer", mostCells)
		}
		for _, f := range families {
			p.offsets = append(p.offsets, p.Runs)
			if p.Runs += f.Runs(); p.Runs > mostRuns {
				return nil, fmt.Errorf("the grid has more than %d runs, expected fewer", int64(mostRuns))
			}
			p.Families = append(p.Families, f)
		}
	}
	return p, p.checkTypes()
}

// checkAlgorithms refuses an unknown algorithm as such, not as a mistake of the first cell.
func (g *Grid) checkAlgorithms() error {
	base := cmp.Or(g.Base, &scenario.Scenario{})
	names := []string{base.Algorithm}
	if i := slices.IndexFunc(g.Axes, func(a Axis) bool { return a.Name == algorithmAxis }); i >= 0 {
		names = g.Axes[i].Values
	}
	for _, name := range names {
		if name == "" {
			continue // each cell says what it lacks
		}
		if _, err := builtin.Or(base.Algorithms).Lookup(name); err != nil {
			return err
		}
	}
	return nil
}

// at returns the values of a cell of so many.
func (g *Grid) at(i, cells int) []string {
	at := make([]string, len(g.Axes))
	for j, a := range g.Axes {
		cells /= len(a.Values)
		at[j] = a.Values[i/cells]
		i %= cells
	}
	return at
}

// product multiplies, and says whether the product is at most mostRuns.
func product(factors ...int64) (int64, bool) {
	p := int64(1)
	for _, f := range factors {
		high, low := bits.Mul64(uint64(p), uint64(f))
		if high != 0 || low > mostRuns {
			return 0, false
		}
		p = int64(low)
	}
	return p, true
}

// The first and the last cells of a large plan that are listed.
const (
	firstListed = 10
	lastListed  = 3
)

// WriteText says how many cells and runs there are, a line for each cell; of many for the first and
// the last.
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
