package sweep

import (
	"fmt"
	"maps"
	"slices"

	"etrace/record/scenario"
	"etrace/tracefmt/text"
)

// Remarks says, a sentence each, what of the grid has no effect.
func (p *Plan) Remarks() []string {
	var list []string
	remark := func(format string, is func(f *Family) bool, args ...any) {
		if n := p.count(is); n > 0 {
			list = append(list, fmt.Sprintf(format, append([]any{p.share(n)}, args...)...))
		}
	}
	exhausted := func(f *Family) bool { return f.Exhausted }
	starts := p.starts()
	for _, what := range slices.Sorted(maps.Keys(starts)) {
		list = append(list, fmt.Sprintf("in %s %s", p.share(starts[what]), what))
	}
	if p.Grid.Seeds > 1 {
		remark("in %s nothing is drawn by the seed: one run of each scenario is all that there are, not %d", exhausted, p.Grid.Seeds)
	}
	if p.Grid.Base != nil && p.Grid.Base.Seed != 0 && p.count(exhausted) == len(p.Families) {
		list = append(list, fmt.Sprintf("--seed %d has no effect: nothing is drawn by it", p.Grid.Base.Seed))
	}
	if p.Grid.Split && !slices.ContainsFunc(p.Grid.Axes, Axis.hasEach) {
		list = append(list, "--split has no effect: no --start, --down or --crash says each")
	}
	remark("in %s the algorithm does not run on a ring, whose order --order is about", (*Family).orderedInVain)
	return list
}

// starts counts the cells by what there is to say of who is started in them.
func (p *Plan) starts() map[string]int {
	cells := map[string]int{}
	for _, f := range p.Families {
		s, err := f.Scenario(0)
		if err != nil {
			continue
		}
		if how := s.Idle(); how != "" {
			cells["no process starts: "+how]++
		}
		if why := f.misstarts(s); why != "" {
			cells["a start has no effect: "+why]++
		}
	}
	return cells
}

// misstarts says whom the algorithm can be started at, where a process may be started that it
// cannot: in the first scenario, or by a symbol that is another process in others.
func (f *Family) misstarts(first *scenario.Scenario) string {
	if len(first.Start) == 0 {
		return ""
	}
	x, err := first.Starters()
	if err != nil || x.Why == "" {
		return ""
	}
	if c := f.choosers.of(keyOf("start")); c != nil && (c.drawn() || c.each(first) > 1) {
		first.Start = []scenario.At{{All: true}}
	}
	if first.Misstarts() == "" {
		return ""
	}
	return x.Why
}

// orderedInVain reports whether an order is given where neither the algorithm nor the topology
// asks for one.
func (f *Family) orderedInVain() bool {
	return f.order != nil && !f.needsRing() && f.base.Topology.Complete()
}

// count is in how many cells something is so.
func (p *Plan) count(is func(f *Family) bool) (n int) {
	for _, f := range p.Families {
		if is(f) {
			n++
		}
	}
	return n
}

// share names some of the cells.
func (p *Plan) share(some int) string {
	if some == len(p.Families) {
		return text.Counted(some, "cell", "cells")
	}
	return fmt.Sprintf("%d of %d cells", some, len(p.Families))
}
