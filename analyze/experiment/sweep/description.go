package sweep

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"etrace/analyze"
	"etrace/record/algorithm"
	"etrace/record/scenario"
	"etrace/tracefmt/sealed"
	"etrace/tracefmt/text"
)

// descriptionFormat is the version mark of the description of a file of results. In version 1 each initiator
// and order of a cell had its own seeds. In version 2 the runs of one variant followed one another.
const descriptionFormat = "etrace.results/3"

// description identifies the results in a file: everything that decides the runs and their measures.
type description struct {
	Format string `json:"format"`
	// Tool is the name and version of the program that made the runs. Another program may know other
	// algorithms.
	Tool       string          `json:"tool"`
	Scenario   json.RawMessage `json:"scenario"`
	Axes       []jsonAxis      `json:"axes"`
	Seeds      int64           `json:"seeds"`
	Split      bool            `json:"split,omitempty"`
	Measures   []string        `json:"measures"`
	Properties []string        `json:"properties"`
}

// jsonAxis is an axis in a description.
type jsonAxis struct {
	Name   string   `json:"name"`
	Values []string `json:"values"`
}

// About describes the results of the plan when tool makes them.
func (p *Plan) About(tool string) string {
	a := description{
		Format: descriptionFormat, Tool: tool, Scenario: json.RawMessage("{}"), Axes: []jsonAxis{},
		Seeds: p.Grid.Seeds, Split: p.Grid.Split, Measures: []string{}, Properties: []string{},
	}
	if p.Grid.Base != nil {
		a.Scenario = p.Grid.Base.JSON()
	}
	for _, axis := range p.Grid.Axes {
		a.Axes = append(a.Axes, jsonAxis(axis))
	}
	for _, q := range p.measures {
		a.Measures = append(a.Measures, q.name)
	}
	for _, property := range p.Grid.Properties {
		a.Properties = append(a.Properties, property.Name)
	}
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	// A description has only texts and valid JSON, so it cannot fail.
	_ = enc.Encode(a)
	return strings.TrimSpace(b.String())
}

// Known holds the names with which a program resolves a description.
type Known struct {
	// Tool is the name and version of the program.
	Tool       string
	Algorithms algorithm.Registry
	// Properties looks up properties by name.
	Properties func(names ...string) ([]*analyze.Property, error)
}

// ReadAbout makes the plan that a description identifies.
func ReadAbout(text string, known Known) (*Plan, error) {
	a, err := parseDescription(text)
	if err != nil {
		return nil, err
	}
	if a.Tool != known.Tool {
		return nil, fmt.Errorf("results of %s, and this is %s; expected the same", a.Tool, known.Tool)
	}
	g := &Grid{Seeds: a.Seeds, Split: a.Split, Measures: a.Measures}
	g.Base, err = scenario.Parse("scenario", a.Scenario)
	if err != nil {
		return nil, err
	}
	g.Base.Algorithms = known.Algorithms
	for _, axis := range a.Axes {
		for _, v := range axis.Values {
			if err := g.addValue(axis.Name, v); err != nil {
				return nil, fmt.Errorf("%s: %w", axis.Name, err)
			}
		}
	}
	if len(a.Properties) > 0 {
		g.Properties, err = known.Properties(a.Properties...)
		if err != nil {
			return nil, err
		}
	}
	return g.Plan()
}

// parseDescription reads a description. It fails for another version.
func parseDescription(text string) (*description, error) {
	var a description
	switch err := sealed.Unmarshal([]byte(text), &a); {
	case a.Format != descriptionFormat:
		return nil, fmt.Errorf("not results of this form, expected %s", descriptionFormat)
	case err != nil:
		return nil, fmt.Errorf("not results of this form, expected %s: %w", descriptionFormat, err)
	}
	return &a, nil
}

// Cells lists the cells for SQL queries: a JSON list with the number of processes of each cell and its
// settings.
func (p *Plan) Cells() string {
	type cell struct {
		N  int               `json:"n"`
		At map[string]string `json:"at"`
	}
	cells := make([]cell, len(p.Families))
	fixed := p.fixed()
	for i, f := range p.Families {
		cells[i] = cell{f.N, map[string]string{}}
		for _, s := range fixed {
			cells[i].At[s.Name] = s.Value
		}
		for j, axis := range p.Grid.Axes {
			cells[i].At[axis.Name] = f.At[j]
		}
	}
	// Numbers and texts cannot fail.
	text, _ := json.Marshal(cells)
	return string(text)
}

// Differs returns how the stored results differ from those of the plan. It returns nil if they are of the
// same grid with at most as many seeds: then they are the first runs of the plan.
func (p *Plan) Differs(stored, tool string) error {
	current := p.About(tool)
	if stored == current {
		return nil
	}
	old, err := parseDescription(stored)
	if err != nil {
		return err
	}
	latest, err := parseDescription(current)
	if err != nil {
		return err
	}
	old.Seeds, latest.Seeds = cmp.Or(old.Seeds, DefaultSeeds), cmp.Or(latest.Seeds, DefaultSeeds)
	if old.Seeds < latest.Seeds {
		old.Seeds = latest.Seeds
	}
	if reflect.DeepEqual(old, latest) {
		return nil
	}
	return old.differs(latest)
}

// differs names the first difference between two descriptions.
func (a *description) differs(b *description) error {
	for _, part := range []struct {
		name          string
		first, second string
	}{
		{"tool", a.Tool, b.Tool},
		{"axes", axisList(a.Axes), axisList(b.Axes)},
		{"seeds", fmt.Sprint(a.Seeds), fmt.Sprint(b.Seeds)},
		{"split", fmt.Sprint(a.Split), fmt.Sprint(b.Split)},
		{"measures", strings.Join(a.Measures, ","), strings.Join(b.Measures, ",")},
		{"properties", strings.Join(a.Properties, ","), strings.Join(b.Properties, ",")},
		{"scenario", string(a.Scenario), string(b.Scenario)},
	} {
		if part.first != part.second {
			return fmt.Errorf("results of another grid, expected the same: its %s: %s, this one's: %s",
				part.name, text.Printable(text.Short(part.first, maxPartLength)),
				text.Printable(text.Short(part.second, maxPartLength)))
		}
	}
	for i := range a.Axes {
		if first, second := a.Axes[i], b.Axes[i]; !slices.Equal(first.Values, second.Values) {
			return fmt.Errorf("results of another grid, expected the same: its %s: %s, this one's: %s",
				text.Printable(first.Name),
				text.Printable(text.Some(first.Values, fewValues)), text.Printable(text.Some(second.Values, fewValues)))
		}
	}
	return errors.New("results of another grid, expected the same")
}

// Limits for the parts of a grid in an error.
const (
	maxPartLength = 120
	fewValues     = 8
)

// axisList lists the names of axes.
func axisList(axes []jsonAxis) string {
	var names []string
	for _, a := range axes {
		names = append(names, a.Name)
	}
	return strings.Join(names, ", ")
}
