package sweep

import (
	"fmt"
	"slices"
	"strings"

	"etrace/record/scenario"
)

// command returns the arguments of "etrace sweep" that make the cell of a family again.
func (g *Grid) command(f *Family) string {
	axes := make([]Axis, len(g.Axes))
	for i, a := range g.Axes {
		axes[i] = Axis{a.Name, f.At[i : i+1]}
	}
	return g.commandOf(axes, f.base.Algorithm)
}

// Command returns the arguments of "etrace sweep" that make the table.
func (g *Grid) Command() string {
	algorithm := ""
	if g.Base != nil {
		algorithm = g.Base.Algorithm
	}
	return g.commandOf(g.Axes, algorithm)
}

// commandOf returns the arguments of "etrace sweep" for these axes and this algorithm.
func (g *Grid) commandOf(axes []Axis, algorithm string) string {
	var words []string
	for _, a := range axes {
		if a.Name == "algorithm" {
			algorithm = strings.Join(a.Values, ",")
			continue
		}
		words = append(words, a.flags()...)
	}
	// The algorithm is the positional argument, so it comes first, also if it is an axis.
	if algorithm != "" {
		words = slices.Insert(words, 0, scenario.ShellWord(algorithm))
	}
	if g.Base != nil {
		if _, flags, some := strings.Cut(g.Base.CommandLine(), " "); some {
			words = append(words, flags)
		}
	}
	if g.Seeds > 0 {
		words = append(words, fmt.Sprintf("--seeds %d", g.Seeds))
	}
	if g.Split && slices.ContainsFunc(axes, Axis.hasEach) {
		words = append(words, "--split")
	}
	if g.Measures != nil && !slices.Equal(g.Measures, DefaultMeasures) {
		words = append(words, "--measure", scenario.ShellWord(strings.Join(g.Measures, ",")))
	}
	var names []string
	for _, p := range g.Properties {
		names = append(names, p.Name)
	}
	if names != nil {
		words = append(words, "--check", scenario.ShellWord(strings.Join(names, ",")))
	}
	return strings.Join(words, " ")
}

// flags returns the flags that set the axis.
func (a *Axis) flags() (words []string) {
	name, param, isParam := strings.Cut(a.Name, " ")
	values := a.Values
	if slices.Contains(listAxes, name) {
		values = []string{strings.Join(values, ",")}
	}
	for _, v := range values {
		if isParam {
			v = param + "=" + v
		}
		words = append(words, "--"+name+"="+scenario.ShellWord(v))
	}
	return words
}
