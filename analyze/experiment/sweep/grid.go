package sweep

import (
	"fmt"
	"slices"
	"strings"

	"etrace/analyze"
	"etrace/record/scenario"
	"etrace/tracefmt/text"
)

// Grid says what is swept.
type Grid struct {
	// Base is what all cells have in common. Its seed is the first of each cell.
	Base *scenario.Scenario
	// Axes are what differs. The last one varies fastest.
	Axes []Axis
	// Seeds is how many runs each order and each process has in a cell in which something is
	// drawn, every run with a seed of its own; 0 is DefaultSeeds. Where nothing is drawn
	// there is one.
	Seeds int64
	// Split makes a cell of each process that the symbol each stands for.
	Split bool
	// Measures are the names of what is measured, nil for DefaultMeasures.
	Measures []string
	// Free leaves the order of the ring to who makes the runs where all orders are asked
	// for, or none is given and the algorithm runs on a ring: one stands for all.
	Free bool
	// Properties are what each run is checked for.
	Properties []*analyze.Property
}

// DefaultSeeds is how many seeds a sample has if nothing else is said.
const DefaultSeeds = 100

// Axis is a key of scenarios, "order", or "param" and the name of a parameter of
// the algorithm, with the values that it takes.
type Axis struct {
	Name   string
	Values []string
}

// hasEach reports whether a value has the symbol each.
func (a Axis) hasEach() bool { return strings.Contains(strings.Join(a.Values, ","), "each") }

// OrderAxis is the name of the axis whose values are the orders of the ring.
const OrderAxis = "order"

// paramKey is the key whose axes have the name of a parameter beside it.
const paramKey = "param"

// IsAxis reports whether a key of scenarios is an axis when it is given several
// times. The others add up: each --op is one more operation.
func IsAxis(key *scenario.Key) bool {
	switch key.Name {
	case "name", "seed":
		return false
	case paramKey:
		return true
	}
	return !key.Repeat || symbolic(key.Name)
}

// listed are the axes of which one text may hold several values.
var listed = []string{"algorithm", "nodes", OrderAxis, "loss", "duplicate"}

// Add adds the values in a text to an axis, and the axis if there is none: "8",
// "3..24", "3..24..3", "8,16,32"; for a parameter NAME=VALUE.
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
		if values, err = ParseNumbers(value); err != nil {
			return err
		}
	case slices.Contains(listed, name):
		values = strings.Split(value, ",")
	}
	for _, v := range values {
		if err := g.addValue(name, strings.TrimSpace(v)); err != nil {
			return err
		}
	}
	return nil
}

func (g *Grid) addValue(name, value string) error {
	var said said
	if err := said.set(name, value); err != nil {
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
	case len(a.Values) == mostValues:
		return fmt.Errorf("more than %d values, expected fewer", mostValues)
	}
	a.Values = append(a.Values, value)
	return nil
}

// mostValues bounds an axis, and a range such as 1..1000000000.
const mostValues = 10_000

// said is what the values of the axes say of one cell.
type said struct {
	scenario scenario.Scenario
	given    map[string]bool
	order    *order
	choosers choosers
}

// set takes in the value of an axis.
func (c *said) set(name, value string) error {
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

// AxisNames returns the names of all axes but those of single parameters.
func AxisNames() []string {
	names := []string{OrderAxis}
	for i := range scenario.Keys {
		if IsAxis(&scenario.Keys[i]) {
			names = append(names, scenario.Keys[i].Name)
		}
	}
	return names
}
