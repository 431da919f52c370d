package sweep

import (
	"etrace/record/algorithm"
	"etrace/record/algorithm/builtin"
)

// A grid may leave the order of the ring to who makes the runs, see [Grid.Free].

// Free reports whether the order of the ring is left to who makes the runs of the family.
// Then all its scenarios have the increasing one.
func (f *Family) Free() bool { return f.free }

// isFree reports whether the grid leaves it: the order is all, or nothing is said of it and
// the algorithm runs on a ring.
func (g *Grid) isFree(f *Family, ids bool) bool {
	if !g.Free || f.order != nil {
		return g.Free && f.order.every
	}
	return f.needsRing() && !ids
}

// needsRing reports whether the algorithm runs on a ring.
func (f *Family) needsRing() bool {
	a, err := builtin.Or(f.base.Algorithms).Lookup(f.base.Algorithm)
	return err == nil && a.Needs == algorithm.Ring
}

// Blank returns the table before any run.
func (p *Plan) Blank() *Table { return p.table() }

// Title names the axes with one value.
func (t *Table) Title() string { return t.title() }
