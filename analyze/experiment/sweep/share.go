package sweep

import (
	"fmt"
	"sort"
)

// number returns the number of a run in the plan, from 0, in the order of cells and runs.
func (p *Plan) number(cell int, run int64) int64 { return p.offsets[cell] + run }

// locate is the inverse of number.
func (p *Plan) locate(number int64) (cell int, run int64) {
	cell = sort.Search(len(p.offsets), func(i int) bool { return p.offsets[i] > number }) - 1
	return cell, number - p.offsets[cell]
}

// row parses the stored outcome of a run.
func (p *Plan) row(cell int, run int64, value string) (outcome, error) {
	if cell < 0 || cell >= len(p.Families) || run < 0 || run >= p.Families[cell].runs {
		return outcome{}, fmt.Errorf("cell %d run %d: the grid has no such run", cell, run)
	}
	o, err := p.parse(cell, run, value)
	if err != nil {
		return o, fmt.Errorf("cell %d run %d: %w", cell, run, err)
	}
	return o, nil
}

// inShare reports whether the run with a number belongs to the share: every Of-th run does.
func (r *running) inShare(number int64) bool {
	return r.options.Of < 2 || number%int64(r.options.Of) == int64(r.options.Shard)
}

// share returns the number of runs in the share.
func (r *running) share() int64 { return r.plan.Share(r.options.Shard, r.options.Of) }

// Share returns the number of runs in a shard; 0 of 0 means all runs.
func (p *Plan) Share(shard, shards int) int64 {
	if shards < 2 {
		return p.Runs
	}
	return (p.Runs - int64(shard) + int64(shards) - 1) / int64(shards)
}

// doneSet is the set of finished runs: a bit for each, by cell.
type doneSet struct{ cells [][]uint64 }

// newDoneSet returns an empty set.
func newDoneSet(p *Plan) *doneSet { return &doneSet{make([][]uint64, len(p.Families))} }

// set marks a run as done.
func (d *doneSet) set(cell int, run int64) {
	word := int(run / 64)
	for len(d.cells[cell]) <= word {
		d.cells[cell] = append(d.cells[cell], 0)
	}
	d.cells[cell][word] |= 1 << (run % 64)
}

// has reports whether a run is done.
func (d *doneSet) has(cell int, run int64) bool {
	word := int(run / 64)
	return word < len(d.cells[cell]) && d.cells[cell][word]>>(run%64)&1 == 1
}
