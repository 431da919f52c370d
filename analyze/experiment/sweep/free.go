package sweep

import (
	"etrace/record/algorithm"
	"etrace/record/algorithm/builtin"
)

// A grid may leave the order of the ring to its user, see [Grid.Free].

// Free reports whether the user of the plan decides the order of the ring ([Grid.Free]). All scenarios of the
// family then have the increasing order.
func (f *Family) Free() bool { return f.free }

// isFree reports whether the grid leaves the order open: the order is all, or it is not given and the algorithm
// runs on a ring.
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

// Blank returns the table of the plan before any run.
func (p *Plan) Blank() *Table { return p.table() }

// Title lists the settings that all cells share.
func (t *Table) Title() string { return t.title() }
