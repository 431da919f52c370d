package suite

import (
	"slices"
	"strconv"
	"strings"

	"github.com/goccy/go-yaml/ast"

	"etrace/analyze"
	"etrace/analyze/experiment/trial"
	"etrace/analyze/property"
	"etrace/record/scenario"
	"etrace/tracefmt"
	"etrace/tracefmt/text"
)

// expectationParser reads the expectations of a case, with the values of its variables.
type expectationParser struct {
	*parser
	c   *Case    // gets the expectations
	b   bindings // the variables of the case
	run *tracefmt.Run
	// types are the message types of the algorithm.
	types []string
}

// read reads a mapping of expectations; n may be nil. side selects the value that it sets.
func (p *expectationParser) read(n ast.Node, side func(*expectation) *trial.Value) error {
	if n == nil {
		return nil
	}
	entries, err := p.Entries(n)
	if err != nil {
		return err
	}
	for _, e := range entries {
		if err := p.expectation(e, side); err != nil {
			return err
		}
	}
	return nil
}

// expectation reads one expectation: a measure and its value.
func (p *expectationParser) expectation(e *ast.MappingValueNode, side func(*expectation) *trial.Value) error {
	name := e.Key.GetToken().Value
	switch name {
	case "end":
		return p.word(e.Value, trial.End(), trial.Endings(), side)
	case "leader":
		return p.process(e.Value, trial.Leader(), side)
	case "elected":
		return p.elected(e.Value, side)
	case "verdicts":
		return p.verdicts(e.Value, side)
	}
	measure, ok := trial.Count(name)
	if !ok {
		return p.Errorf(e.Key, "%w", text.Unknown("measure", name, expectKeys()))
	}
	if typ, ok := strings.CutPrefix(name, trial.TypePrefix); ok && !slices.Contains(p.types, typ) {
		return p.Errorf(e.Key, "%w", text.Unknown("message type of "+p.run.Algorithm, typ, p.types))
	}
	text, err := p.Text(e.Value)
	if err != nil {
		return err
	}
	value, err := p.b.numeric(text)
	if err != nil {
		return p.Errorf(e.Value, "%s: %w", name, err)
	}
	p.expect(measure, side, value)
	return nil
}

// expect sets a value of the expectation of a measure, which it adds if it is new.
func (p *expectationParser) expect(m trial.Measure, side func(*expectation) *trial.Value, value trial.Value) {
	i := slices.IndexFunc(p.c.expectations, func(x expectation) bool { return x.measure.Name == m.Name })
	if i < 0 {
		i = len(p.c.expectations)
		p.c.expectations = append(p.c.expectations, expectation{measure: m})
	}
	*side(&p.c.expectations[i]) = value
}

// word reads one of several known words.
func (p *expectationParser) word(
	n ast.Node, m trial.Measure, known []string, side func(*expectation) *trial.Value,
) error {
	value, err := p.expanded(n, p.b)
	if err != nil {
		return err
	}
	if !slices.Contains(known, value) {
		return p.Errorf(n, "%s: %w", m.Name, text.Unknown("value", value, known))
	}
	p.expect(m, side, trial.Value(value))
	return nil
}

// process reads a process of the run, none, or one of the given words.
func (p *expectationParser) process(
	n ast.Node, m trial.Measure, side func(*expectation) *trial.Value, words ...string,
) error {
	text, err := p.expanded(n, p.b)
	if err != nil {
		return err
	}
	if _, ok := p.run.Process(text); !ok && text != string(trial.None) && !slices.Contains(words, text) {
		return p.Errorf(n, "%s: there is no process %q", m.Name, text)
	}
	p.expect(m, side, trial.Value(text))
	return nil
}

// elected reads the process that each of some processes has elected.
func (p *expectationParser) elected(n ast.Node, side func(*expectation) *trial.Value) error {
	entries, err := p.Entries(n)
	if err != nil {
		return err
	}
	for _, e := range entries {
		key, err := p.b.expand(e.Key.GetToken().Value)
		if err != nil {
			return p.Errorf(e.Key, "%w", err)
		}
		ids, err := scenario.ParseIDs(key)
		if err != nil {
			return p.Errorf(e.Key, "elected: %w", err)
		}
		for _, id := range ids {
			name := strconv.FormatInt(id, 10)
			if _, ok := p.run.Process(name); !ok {
				return p.Errorf(e.Key, "elected: there is no process %s", name)
			}
			if err := p.process(e.Value, trial.Elected(name), side, string(trial.Down)); err != nil {
				return err
			}
		}
	}
	return nil
}

// verdicts reads the verdict of each property, and adds the properties to the case.
func (p *expectationParser) verdicts(n ast.Node, side func(*expectation) *trial.Value) error {
	entries, err := p.Entries(n)
	if err != nil {
		return err
	}
	for _, e := range entries {
		found, err := property.Or(p.known.Properties).Named(e.Key.GetToken().Value)
		if err != nil {
			return p.Errorf(e.Key, "%w", err)
		}
		if !slices.Contains(p.c.properties, found[0]) {
			p.c.properties = append(p.c.properties, found[0])
		}
		if err := p.word(e.Value, trial.Verdict(found[0].Name), verdictNames(), side); err != nil {
			return err
		}
	}
	return nil
}

// verdictNames returns the names of all verdicts.
func verdictNames() []string {
	var names []string
	for _, v := range analyze.Verdicts {
		names = append(names, string(v.Verdict))
	}
	return names
}

// expectKeys lists the keys of expect.
func expectKeys() []string {
	names := []string{"end", "leader", "elected", "verdicts", trial.TypePrefix + "NAME"}
	for _, m := range slices.Concat(trial.Counts(), trial.Weights()) {
		names = append(names, m.Name)
	}
	return names
}
