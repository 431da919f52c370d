package sweep

import (
	"slices"
	"strings"

	"etrace/record/scenario"
)

// Setting is the value of an axis or of a scenario key.
type Setting struct{ Name, Value string }

// fixed returns the settings that all cells share: the axes with one value, and the scenario keys that differ
// from their defaults.
func (p *Plan) fixed() (list []Setting) {
	for i, a := range p.Grid.Axes {
		if p.constant(i) {
			list = append(list, Setting{a.Name, p.Families[0].At[i]})
		}
	}
	if len(p.Families) == 0 {
		return list
	}
	axes := p.Grid.axisKeys()
	for _, s := range settings(p.Families[0].base) {
		switch {
		case slices.Contains(axes, s.Name): // an axis is no fixed setting
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
