package sweep

import (
	"slices"
	"strings"

	"etrace/record/scenario"
)

// Setting is what all cells of a table have in common: the one value of an axis, or the
// values of a key of their scenarios.
type Setting struct{ Name, Value string }

// fixed are the axes with one value, and whatever else the scenarios say that is not the
// default: under these conditions the table was measured.
func (p *Plan) fixed() (list []Setting) {
	for i, a := range p.Grid.Axes {
		if p.constant(i) {
			list = append(list, Setting{a.Name, p.Families[0].At[i]})
		}
	}
	if len(p.Families) == 0 {
		return list
	}
	said := p.Grid.axisKeys()
	for _, s := range settings(p.Families[0].base) {
		switch {
		case slices.Contains(said, s.Name):
		case s.Name == "algorithm":
			list = slices.Insert(list, 0, s)
		default:
			list = append(list, s)
		}
	}
	return list
}

// settings are the keys that differ from their defaults, each parameter by its own name.
func settings(s *scenario.Scenario) (list []Setting) {
	for _, set := range s.Settings() {
		if set.Key.Name != paramKey {
			list = append(list, Setting{set.Key.Name, strings.Join(set.Values, " and ")})
			continue
		}
		for _, v := range set.Values {
			name, value, _ := strings.Cut(v, "=")
			list = append(list, Setting{paramKey + " " + name, value})
		}
	}
	return list
}

// axisKeys are the names of the axes and of the keys that their values set: nodes sets the
// ids, timeout a parameter.
func (g *Grid) axisKeys() (names []string) {
	for _, a := range g.Axes {
		var c said
		_ = c.set(a.Name, a.Values[0]) // was set before
		names = append(names, a.Name)
		for _, s := range settings(&c.scenario) {
			names = append(names, s.Name)
		}
	}
	return names
}
