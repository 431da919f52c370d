package sweep

import (
	"fmt"
	"slices"
	"strings"
)

// families returns the cells with the given values: one, unless the grid is split.
func (g *Grid) families(at []string) ([]*Family, error) {
	f, err := g.family(at)
	if err != nil || !g.Split {
		return []*Family{f}, err
	}
	return g.split(f)
}

// split returns a family for each process of the symbol "each", with the id in place of the symbol. Without the
// symbol it returns the family itself.
func (g *Grid) split(f *Family) ([]*Family, error) {
	for _, c := range f.choosers {
		axis := slices.IndexFunc(g.Axes, func(a Axis) bool { return a.Name == c.key.name })
		if !c.hasEach() || axis < 0 {
			continue
		}
		return g.splitAxis(f, c, axis)
	}
	return []*Family{f}, nil
}

// hasEach reports whether the chooser has the symbol each.
func (c *chooser) hasEach() bool {
	return slices.ContainsFunc(c.parts, func(p chosen) bool { return p.symbol != nil && p.symbol.name == "each" })
}

// splitAxis returns a family for each candidate of the chooser, which is the value of that axis.
func (g *Grid) splitAxis(f *Family, c *chooser, axis int) (families []*Family, err error) {
	first := f.clone()
	for _, earlier := range f.choosers {
		if earlier == c {
			break
		}
		// A process that is down is no candidate.
		if err := earlier.apply(first, 0); err != nil {
			return nil, err
		}
	}
	for _, id := range c.candidates(first) {
		at := slices.Clone(f.At)
		at[axis] = strings.Replace(at[axis], "each", fmt.Sprint(id), 1)
		single, err := g.family(at)
		if err != nil {
			return nil, err
		}
		more, err := g.split(single)
		if err != nil {
			return nil, err
		}
		families = append(families, more...)
	}
	return families, nil
}
