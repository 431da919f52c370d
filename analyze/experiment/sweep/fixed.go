package sweep

import (
	"slices"
	"strings"

	"etrace/record/scenario"
)

// Setting is a condition that all cells of a table share: the single value of an axis, or the values of a key
// of their scenarios.
type Setting struct{ Name, Value string }

// fixed returns the conditions of the table: the axes with one value, and the other settings of the scenarios
// that differ from the defaults.
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

// settings returns the keys that differ from their defaults, each parameter under its own name.
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

// axisKeys returns the names of the axes, and of the keys that their values set: nodes sets the ids, timeout a
// parameter.
func (g *Grid) axisKeys() (names []string) {
	for _, a := range g.Axes {
		var c cellSettings
		// addValue has accepted this value.
		_ = c.set(a.Name, a.Values[0])
		names = append(names, a.Name)
		for _, s := range settings(&c.scenario) {
			names = append(names, s.Name)
		}
	}
	return names
}
