package suite

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	"github.com/goccy/go-yaml/ast"

	"etrace/analyze/experiment/trial"
	"etrace/analyze/property"
	"etrace/record/algorithm"
	"etrace/record/scenario"
	"etrace/record/sim"
	"etrace/tracefmt"
	"etrace/tracefmt/text"
	"etrace/tracefmt/textfile"
	"etrace/tracefmt/yamldoc"
)

// Known holds the registries in which the names of a suite are looked up. A zero registry means that of etrace.
type Known struct {
	Algorithms algorithm.Registry
	Properties property.Registry
}

// Load reads a suite file. Errors name file, line and column.
func Load(path string, known Known) (*Suite, error) {
	data, err := textfile.Read(path, "a suite")
	if err != nil {
		return nil, err
	}
	return Parse(path, data, known)
}

// Parse reads a suite. Errors name the given file, and scenario files are found relative to it.
func Parse(file string, data []byte, known Known) (*Suite, error) {
	doc, err := yamldoc.Parse(file, data, "suite and cases")
	if err != nil {
		return nil, err
	}
	p := parser{Document: doc, known: known, suite: &Suite{File: file}, names: map[string]bool{}}
	cases := doc.Root
	err = p.keys(doc.Root, map[string]func(ast.Node) error{
		"suite":       func(n ast.Node) (err error) { p.suite.Title, err = p.Text(n); return err },
		"description": func(n ast.Node) (err error) { p.suite.Description, err = p.Text(n); return err },
		"cases":       func(n ast.Node) error { cases = n; return nil },
	})
	if err != nil {
		return nil, err
	}
	list, ok := cases.(*ast.SequenceNode)
	if !ok || len(list.Values) == 0 {
		return nil, p.Errorf(firstKey(cases), "expected a list of cases, as in cases: [{name: ..., scenario: ..., expect: ...}]")
	}
	for _, n := range list.Values {
		if err := p.entry(n); err != nil {
			return nil, err
		}
	}
	return p.suite, nil
}

// parser reads a file of cases.
type parser struct {
	*yamldoc.Document
	known Known
	suite *Suite
	names map[string]bool // the names of the cases so far
}

// keys reads a mapping; readers has a function for each known key.
func (p *parser) keys(n ast.Node, readers map[string]func(ast.Node) error) error {
	entries, err := p.Entries(n)
	if err != nil {
		return err
	}
	for _, e := range entries {
		name := e.Key.GetToken().Value
		read, ok := readers[name]
		if !ok {
			return p.Errorf(e.Key, "%w", text.Unknown("key", name, sortedKeys(readers)))
		}
		if err := read(e.Value); err != nil {
			return err
		}
	}
	return nil
}

// firstKey returns the node at which a mapping begins in the file, its first key; the syntax tree has the place
// of the colon instead.
func firstKey(n ast.Node) ast.Node {
	switch n := n.(type) {
	case *ast.MappingNode:
		if len(n.Values) > 0 && !n.IsFlowStyle {
			return firstKey(n.Values[0])
		}
	case *ast.MappingValueNode:
		return n.Key
	}
	return n
}

// entry is a case as written in the file, before its variables have values.
type entry struct {
	at                          ast.Node
	name, note                  ast.Node
	variables                   ast.Node
	scenario, expect, published ast.Node
	fromFile                    *scenario.Scenario
	nameText, noteText          string
}

// entry reads a case, and adds one case to the suite for each combination of values of its variables.
func (p *parser) entry(n ast.Node) error {
	e := entry{at: firstKey(n)}
	keep := func(field *ast.Node) func(ast.Node) error {
		return func(n ast.Node) error { *field = n; return nil }
	}
	err := p.keys(n, map[string]func(ast.Node) error{
		"name": keep(&e.name), "for": keep(&e.variables), "scenario": keep(&e.scenario),
		"expect": keep(&e.expect), "published": keep(&e.published), "note": keep(&e.note),
	})
	switch {
	case err != nil:
		return err
	case e.name == nil:
		return p.Errorf(e.at, "a case without a name")
	case e.scenario == nil:
		return p.Errorf(e.at, "a case without a scenario")
	case e.expect == nil && e.published == nil:
		return p.Errorf(e.at, "a case that expects nothing, under expect or published")
	}
	if err := p.texts(&e); err != nil {
		return err
	}
	return p.declared(e.variables, func(b bindings) error {
		if len(p.suite.Cases) == maxValues {
			return p.Errorf(e.at, "more than %d cases", maxValues)
		}
		c, err := p.instance(&e, b)
		if err == nil {
			p.suite.Cases = append(p.suite.Cases, c)
		}
		return err
	})
}

// texts reads the parts that all cases of an entry share.
func (p *parser) texts(e *entry) (err error) {
	e.nameText, err = p.Text(e.name)
	if err != nil {
		return err
	}
	if e.note != nil {
		e.noteText, err = p.Text(e.note)
		if err != nil {
			return err
		}
	}
	// A text is the name of a scenario file, relative to the suite. Otherwise the scenario is written out.
	if _, ok := e.scenario.(*ast.StringNode); !ok {
		return nil
	}
	file, err := p.Text(e.scenario)
	if err != nil {
		return err
	}
	if !filepath.IsAbs(file) {
		file = filepath.Join(filepath.Dir(p.File), filepath.FromSlash(file))
	}
	var path *fs.PathError
	e.fromFile, err = scenario.Load(file)
	if errors.As(err, &path) {
		return p.Errorf(e.scenario, "scenario: %s: %w", path.Path, path.Err)
	}
	return err
}

// declared calls yield with the variables of each case that the declarations make, or once without variables if
// n is nil.
func (p *parser) declared(n ast.Node, yield func(bindings) error) error {
	list, ok := n.(*ast.SequenceNode)
	switch {
	case n == nil:
		return yield(nil)
	case !ok:
		return p.product(n, yield)
	case len(list.Values) == 0:
		return p.Errorf(n, "expected variables, such as n: 3-32")
	}
	for _, row := range list.Values {
		if err := p.product(row, yield); err != nil {
			return err
		}
	}
	return nil
}

// product calls yield with every combination of the values of the declared variables.
func (p *parser) product(n ast.Node, yield func(bindings) error) error {
	entries, err := p.Entries(n)
	if err != nil {
		return err
	}
	for _, e := range entries {
		if err := checkName(e.Key.GetToken().Value); err != nil {
			return p.Errorf(e.Key, "%w", err)
		}
	}
	var vary func(b bindings, remaining []*ast.MappingValueNode) error
	vary = func(b bindings, remaining []*ast.MappingValueNode) error {
		if len(remaining) == 0 {
			return yield(b)
		}
		values, err := p.values(remaining[0].Value, b)
		if err != nil {
			return err
		}
		for _, v := range values {
			// Later variables may refer to the earlier ones. Clip keeps the branches from sharing memory.
			further := append(slices.Clip(b), binding{remaining[0].Key.GetToken().Value, v})
			if err := vary(further, remaining[1:]); err != nil {
				return err
			}
		}
		return nil
	}
	return vary(nil, entries)
}

// values returns the values of a variable; b has the variables above it.
func (p *parser) values(n ast.Node, b bindings) ([]any, error) {
	nodes := []ast.Node{n}
	if list, ok := n.(*ast.SequenceNode); ok {
		nodes = list.Values
	}
	var list []any
	for _, n := range nodes {
		text, err := p.expanded(n, b)
		if err != nil {
			return nil, err
		}
		some, err := values(text)
		if err != nil {
			return nil, p.Errorf(n, "%w", err)
		}
		list = append(list, some...)
	}
	if len(list) == 0 || len(list) > maxValues {
		return nil, p.Errorf(n, "%d values, expected 1 to %d", len(list), maxValues)
	}
	return list, nil
}

// expanded returns the text of a node with its ${...} replaced.
func (p *parser) expanded(n ast.Node, b bindings) (string, error) {
	text, err := p.Text(n)
	if err != nil {
		return "", err
	}
	text, err = b.expand(text)
	if err != nil {
		return "", p.Errorf(n, "%w", err)
	}
	return text, nil
}

// instance makes the case of an entry for given values of its variables.
func (p *parser) instance(e *entry, b bindings) (*Case, error) {
	name, err := b.expand(e.nameText)
	if err != nil {
		return nil, p.Errorf(e.name, "%w", err)
	}
	if p.names[name] {
		return nil, p.Errorf(e.name, "a second case named %q; let the name show its variables, as in ${n}", name)
	}
	p.names[name] = true
	c := &Case{Name: name, Entry: e.nameText, Place: p.Place(e.at)}
	if e.note != nil {
		c.Note, err = b.expand(e.noteText)
		if err != nil {
			return nil, p.Errorf(e.note, "%w", err)
		}
	}
	config, run, err := p.scenario(c, e, b)
	if err != nil {
		return nil, err
	}
	x := expectationParser{parser: p, c: c, b: b, run: run, types: config.Protocol.MessageNames()}
	if err := x.read(e.expect, func(x *expectation) *trial.Value { return &x.expected }); err != nil {
		return nil, err
	}
	if err := x.read(e.published, func(x *expectation) *trial.Value { return &x.published }); err != nil {
		return nil, err
	}
	if len(c.expectations) == 0 {
		return nil, p.Errorf(e.at, "a case that expects nothing, under expect or published")
	}
	return c, nil
}

// scenario sets the scenario of the case, and returns its simulation.
func (p *parser) scenario(c *Case, e *entry, b bindings) (sim.Config, *tracefmt.Run, error) {
	if e.fromFile != nil {
		copied := *e.fromFile
		c.Scenario = &copied
	} else {
		s, err := scenario.Read(p.Document, e.scenario, b.expand)
		if err != nil {
			return sim.Config{}, nil, err
		}
		c.Scenario = s
	}
	c.Scenario.Algorithms = p.known.Algorithms
	c.Scenario.Complete()
	if c.Scenario.Name == "" {
		c.Scenario.Name = c.Name
	}
	config, run, err := c.Scenario.Simulation()
	switch {
	case err == nil:
	// The error already has a place in this file.
	case e.fromFile == nil && strings.HasPrefix(err.Error(), p.File+":"):
		err = fmt.Errorf("%w (case %q)", err, c.Name)
	default:
		err = p.Errorf(firstKey(e.scenario), "%w (case %q)", err, c.Name)
	}
	return config, run, err
}

// sortedKeys returns the keys of a map in ascending order.
func sortedKeys[T any](m map[string]T) []string {
	var keys []string
	for k := range m {
		keys = append(keys, k)
	}
	slices.SortFunc(keys, strings.Compare)
	return keys
}
