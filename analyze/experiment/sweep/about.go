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

// aboutFormat is the version mark of what a file of results is about. In the first
// version the seeds of a cell were those of each of its initiators and orders, in the second the
// runs of one variant came one after another.
const aboutFormat = "etrace.results/3"

// about says what a file of results is of: all that decides the runs and what is
// measured of them.
type about struct {
	Format string `json:"format"`
	// Tool is the program that made the runs, a name and a version: another may
	// know other algorithms.
	Tool       string          `json:"tool"`
	Scenario   json.RawMessage `json:"scenario"`
	Axes       []jsonAxis      `json:"axes"`
	Seeds      int64           `json:"seeds"`
	Split      bool            `json:"split,omitempty"`
	Measures   []string        `json:"measures"`
	Properties []string        `json:"properties"`
}

type jsonAxis struct {
	Name   string   `json:"name"`
	Values []string `json:"values"`
}

// About says what the results of the plan are of, when tool makes them.
func (p *Plan) About(tool string) string {
	a := about{Format: aboutFormat, Tool: tool, Scenario: json.RawMessage("{}"), Axes: []jsonAxis{}, Seeds: p.Grid.Seeds, Split: p.Grid.Split, Measures: []string{}, Properties: []string{}}
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
	_ = enc.Encode(a) // texts and valid JSON
	return strings.TrimSpace(b.String())
}

// Known is what a program knows that makes a plan of what a file says.
type Known struct {
	// Tool is its name and version.
	Tool       string
	Algorithms algorithm.Registry
	// Properties looks properties up by their names.
	Properties func(names ...string) ([]*analyze.Property, error)
}

// ReadAbout makes the plan again that a file of results is about.
func ReadAbout(text string, known Known) (*Plan, error) {
	a, err := parseAbout(text)
	if err != nil {
		return nil, err
	}
	if a.Tool != known.Tool {
		return nil, fmt.Errorf("results of %s, and this is %s; expected the same", a.Tool, known.Tool)
	}
	g := &Grid{Seeds: a.Seeds, Split: a.Split, Measures: a.Measures}
	if g.Base, err = scenario.Parse("scenario", a.Scenario); err != nil {
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
		if g.Properties, err = known.Properties(a.Properties...); err != nil {
			return nil, err
		}
	}
	return g.Plan()
}

func parseAbout(text string) (*about, error) {
	var a about
	switch err := sealed.Unmarshal([]byte(text), &a); {
	case a.Format != aboutFormat:
		return nil, fmt.Errorf("not results of this form, expected %s", aboutFormat)
	case err != nil:
		return nil, fmt.Errorf("not results of this form, expected %s: %w", aboutFormat, err)
	}
	return &a, nil
}

// Cells lists the cells for who asks the results in SQL: a JSON list, with the number of
// processes of each and what its scenarios say.
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
	text, _ := json.Marshal(cells) // numbers and texts
	return string(text)
}

// Differs says how the results of a file are of another grid than those of the
// plan, nil if they are of the same, or are the first of them: those of fewer seeds.
func (p *Plan) Differs(of, tool string) error {
	own := p.About(tool)
	if of == own {
		return nil
	}
	there, err := parseAbout(of)
	if err != nil {
		return err
	}
	here, err := parseAbout(own)
	if err != nil {
		return err
	}
	if there.Seeds, here.Seeds = cmp.Or(there.Seeds, DefaultSeeds), cmp.Or(here.Seeds, DefaultSeeds); there.Seeds < here.Seeds {
		there.Seeds = here.Seeds
	}
	if reflect.DeepEqual(there, here) {
		return nil
	}
	return there.differs(here)
}

// differs says what of two grids is not the same.
func (a *about) differs(b *about) error {
	for _, part := range []struct {
		name        string
		there, here string
	}{
		{"tool", a.Tool, b.Tool},
		{"axes", axisList(a.Axes), axisList(b.Axes)},
		{"seeds", fmt.Sprint(a.Seeds), fmt.Sprint(b.Seeds)},
		{"split", fmt.Sprint(a.Split), fmt.Sprint(b.Split)},
		{"measures", strings.Join(a.Measures, ","), strings.Join(b.Measures, ",")},
		{"properties", strings.Join(a.Properties, ","), strings.Join(b.Properties, ",")},
		{"scenario", string(a.Scenario), string(b.Scenario)},
	} {
		if part.there != part.here {
			return fmt.Errorf("results of another grid, expected the same: its %s: %s, this one's: %s",
				part.name, text.Printable(text.Short(part.there, mostSaid)), text.Printable(text.Short(part.here, mostSaid)))
		}
	}
	for i := range a.Axes {
		if there, here := a.Axes[i], b.Axes[i]; !slices.Equal(there.Values, here.Values) {
			return fmt.Errorf("results of another grid, expected the same: its %s: %s, this one's: %s", text.Printable(there.Name),
				text.Printable(text.Some(there.Values, fewValues)), text.Printable(text.Some(here.Values, fewValues)))
		}
	}
	return errors.New("results of another grid, expected the same")
}

// How much of a grid an error says.
const (
	mostSaid  = 120
	fewValues = 8
)

func axisList(axes []jsonAxis) string {
	var names []string
	for _, a := range axes {
		names = append(names, a.Name)
	}
	return strings.Join(names, ", ")
}
