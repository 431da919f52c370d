package sweep

import (
	"fmt"
	"slices"
	"strings"

	"etrace/analyze"
	"etrace/record/scenario"
	"etrace/tracefmt/text"
)

// Grid defines a sweep.
type Grid struct {
	// Base is the part of the scenario that all cells share. Its seed is the first seed of each cell.
	Base *scenario.Scenario
	// Axes are the differences between the cells. The last one varies fastest.
	Axes []Axis
	// Seeds is the number of runs of each order and each process in a cell in which something is drawn; every
	// run has its own seed. 0 means DefaultSeeds. Cells without draws have one run.
	Seeds int64
	// Split makes a cell for each process of the symbol each.
	Split bool
	// Measures are the names of the measures, nil for DefaultMeasures.
	Measures []string
	// Free leaves the order of the ring to the user of the plan if all orders are requested, or if none is
	// given and the algorithm runs on a ring: one order represents all.
	Free bool
	// Properties are checked in each run.
	Properties []*analyze.Property
}

// DefaultSeeds is the default number of seeds of a sample.
const DefaultSeeds = 100

// Axis is a key of scenarios, "order", or "param NAME", with the values that the cells have.
type Axis struct {
	Name   string
	Values []string
}

// hasEach reports whether a value has the symbol each.
func (a Axis) hasEach() bool { return strings.Contains(strings.Join(a.Values, ","), "each") }

// OrderAxis is the name of the axis whose values are the orders of the ring.
const OrderAxis = "order"

// paramKey is the key whose axes also have the name of a parameter.
const paramKey = "param"

// IsAxis reports whether several values of a key make an axis. Other keys accumulate: each --op is one more
// operation.
func IsAxis(key *scenario.Key) bool {
	switch key.Name {
	case "name", "seed":
		return false
	case paramKey:
		return true
	}
	return !key.Repeat || symbolic(key.Name)
}

// listAxes are the axes with several values in one text.
var listAxes = []string{"algorithm", "nodes", OrderAxis, "loss", "duplicate"}

// Add adds the values in a text to an axis, which it creates if necessary: "8", "3..24", "3..24..3", "8,16,32";
// for a parameter NAME=VALUE.
func (g *Grid) Add(name, value string) error {
	values := []string{value}
	switch {
	case name == paramKey:
		param, v, found := strings.Cut(value, "=")
		if !found {
			return fmt.Errorf("%q: expected name=value", value)
		}
		name, values = paramKey+" "+param, []string{v}
	case name == "nodes":
		var err error
		values, err = ParseNumbers(value)
		if err != nil {
			return err
		}
	case slices.Contains(listAxes, name):
		values = strings.Split(value, ",")
	}
	for _, v := range values {
		if err := g.addValue(name, strings.TrimSpace(v)); err != nil {
			return err
		}
	}
	return nil
}

// addValue adds a value to an axis, which it creates if necessary. It fails for an invalid or repeated value.
func (g *Grid) addValue(name, value string) error {
	var settings cellSettings
	if err := settings.set(name, value); err != nil {
		return err
	}
	i := slices.IndexFunc(g.Axes, func(a Axis) bool { return a.Name == name })
	if i < 0 {
		i = len(g.Axes)
		g.Axes = append(g.Axes, Axis{Name: name})
	}
	a := &g.Axes[i]
	switch {
	case slices.Contains(a.Values, value):
		return fmt.Errorf("%s is given twice", text.Quote(value))
	case len(a.Values) == maxValues:
		return fmt.Errorf("more than %d values, expected fewer", maxValues)
	}
	a.Values = append(a.Values, value)
	return nil
}

// maxValues is the limit for the values of an axis, and for a range such as 1..1000000000.
const maxValues = 10_000

// cellSettings collects the settings of one cell, axis by axis.
type cellSettings struct {
	scenario scenario.Scenario
	given    map[string]bool // the keys that axes set
	order    *order
	choosers choosers
}

// set sets the value of an axis.
func (c *cellSettings) set(name, value string) error {
	if name == OrderAxis {
		o, err := orders.Lookup(value)
		c.order = o
		return err
	}
	key, value := name, value
	if param, ok := strings.CutPrefix(name, paramKey+" "); ok {
		key, value = paramKey, param+"="+value
	}
	if c.given == nil {
		c.given = map[string]bool{}
	}
	c.given[key] = true
	if symbolic(key) {
		chooser, err := parseChooser(key, value)
		if chooser != nil || err != nil {
			c.choosers = append(c.choosers, chooser)
			return err
		}
	}
	i := slices.IndexFunc(scenario.Keys, func(k scenario.Key) bool { return k.Name == key })
	if i < 0 {
		return text.Unknown("axis", name, AxisNames())
	}
	return scenario.Keys[i].Set(&c.scenario, value)
}

// AxisNames returns the names of all axes except those of single parameters.
func AxisNames() []string {
	names := []string{OrderAxis}
	for i := range scenario.Keys {
		if IsAxis(&scenario.Keys[i]) {
			names = append(names, scenario.Keys[i].Name)
		}
	}
	return names
}
