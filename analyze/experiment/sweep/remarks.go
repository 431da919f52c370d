package sweep

import (
	"fmt"
	"maps"
	"slices"

	"etrace/record/scenario"
	"etrace/tracefmt/text"
)

// Remarks returns a sentence for each part of the grid that has no effect.
func (p *Plan) Remarks() []string {
	var list []string
	remark := func(format string, condition func(f *Family) bool, args ...any) {
		if n := p.count(condition); n > 0 {
			list = append(list, fmt.Sprintf(format, append([]any{p.share(n)}, args...)...))
		}
	}
	exhausted := func(f *Family) bool { return f.Exhausted }
	starts := p.starts()
	for _, reason := range slices.Sorted(maps.Keys(starts)) {
		list = append(list, fmt.Sprintf("in %s %s", p.share(starts[reason]), reason))
	}
	if p.Grid.Seeds > 1 {
		remark("in %s nothing is drawn by the seed: one run of each scenario is all that there are, not %d",
			exhausted, p.Grid.Seeds)
	}
	if p.Grid.Base != nil && p.Grid.Base.Seed != 0 && p.count(exhausted) == len(p.Families) {
		list = append(list, fmt.Sprintf("--seed %d has no effect: nothing is drawn by it", p.Grid.Base.Seed))
	}
	if p.Grid.Split && !slices.ContainsFunc(p.Grid.Axes, Axis.hasEach) {
		list = append(list, "--split has no effect: no --start, --down or --crash contains the symbol each")
	}
	remark("in %s the algorithm does not run on a ring, whose order --order is about", (*Family).orderedInVain)
	return list
}

// starts counts the cells by their remark on the processes that start: no process does, or a start has no
// effect.
func (p *Plan) starts() map[string]int {
	cells := map[string]int{}
	for _, f := range p.Families {
		s, err := f.Scenario(0)
		if err != nil {
			continue
		}
		if hint := s.Idle(); hint != "" {
			cells["no process starts: "+hint]++
		}
		if hint := f.invalidStart(s); hint != "" {
			cells["a start has no effect: "+hint]++
		}
	}
	return cells
}

// invalidStart returns at which processes the algorithm can start, if some start of the first scenario has no
// effect; "" otherwise.
func (f *Family) invalidStart(first *scenario.Scenario) string {
	if len(first.Start) == 0 {
		return ""
	}
	x, err := first.Starters()
	if err != nil || x.Why == "" {
		return ""
	}
	// The symbol chooses other processes in other runs, so it has no effect only if no start has one.
	if c := f.choosers.find(keyOf("start")); c != nil && (c.drawn() || c.variants(first) > 1) {
		first.Start = []scenario.At{{All: true}}
	}
	if first.Misstarts() == "" {
		return ""
	}
	return x.Why
}

// orderedInVain reports whether an order is given although neither the algorithm nor the topology uses it.
func (f *Family) orderedInVain() bool {
	return f.order != nil && !f.needsRing() && f.base.Topology.Complete()
}

// count returns the number of cells for which the condition holds.
func (p *Plan) count(condition func(f *Family) bool) (n int) {
	for _, f := range p.Families {
		if condition(f) {
			n++
		}
	}
	return n
}

// share returns "all" or a part of the cells in words: "3 of 8 cells".
func (p *Plan) share(some int) string {
	if some == len(p.Families) {
		return text.Counted(some, "cell", "cells")
	}
	return fmt.Sprintf("%d of %d cells", some, len(p.Families))
}
