package scenario

import (
	"errors"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/parser"

	"etrace/tracefmt"
)

// paramsKey is the one key whose value is a mapping in files: the params of
// the algorithm by name.
const paramsKey = "params"

// Load reads a scenario file, YAML or the JSON of a recorded run. Errors name
// file, line and column.
func Load(path string) (*Scenario, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	return Parse(path, data)
}

// Parse reads a scenario; file is its name for errors.
func Parse(file string, data []byte) (*Scenario, error) {
	p := fileParser{file: file, s: &Scenario{}}
	doc, err := parser.ParseBytes(data, 0)
	if err != nil {
		var syntax *yaml.SyntaxError
		if errors.As(err, &syntax) && syntax.Token != nil {
			pos := syntax.Token.Position
			return nil, fmt.Errorf("%s:%d:%d: %s", file, pos.Line, pos.Column, syntax.Message)
		}
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	if len(doc.Docs) != 1 || doc.Docs[0].Body == nil {
		return nil, fmt.Errorf("%s: expected one YAML document with keys such as algorithm, ids, start", file)
	}
	entries, err := p.entries(doc.Docs[0].Body)
	if err != nil {
		return nil, err
	}
	for _, e := range entries {
		if err := p.entry(e); err != nil {
			return nil, err
		}
	}
	return p.s, nil
}

type fileParser struct {
	file string
	s    *Scenario
}

func (p *fileParser) errorf(at ast.Node, format string, args ...any) error {
	pos := at.GetToken().Position
	return fmt.Errorf("%s:%d:%d: %w", p.file, pos.Line, pos.Column, fmt.Errorf(format, args...))
}

// entries returns the entries of a mapping; YAML gives a mapping of one entry
// another type than one of many.
func (p *fileParser) entries(n ast.Node) ([]*ast.MappingValueNode, error) {
	switch n := n.(type) {
	case *ast.MappingNode:
		return n.Values, nil
	case *ast.MappingValueNode:
		return []*ast.MappingValueNode{n}, nil
	}
	return nil, p.errorf(n, "expected keys and values, such as algorithm: bully")
}

func (p *fileParser) entry(e *ast.MappingValueNode) error {
	name := e.Key.GetToken().Value
	if name == paramsKey {
		return p.params(e.Value)
	}
	i := slices.IndexFunc(Keys, func(k Key) bool { return k.Name == name })
	if i < 0 {
		return p.errorf(e.Key, "%w", tracefmt.Unknown("key", name, keyNames()))
	}
	key := &Keys[i]
	values := []ast.Node{e.Value}
	if list, ok := e.Value.(*ast.SequenceNode); ok && key.Repeat {
		values = list.Values
	}
	for _, v := range values {
		text, err := p.scalar(v)
		if err != nil {
			return err
		}
		if err := key.Set(p.s, text); err != nil {
			return p.errorf(v, "%s: %w", name, err)
		}
	}
	return nil
}

func (p *fileParser) params(n ast.Node) error {
	entries, err := p.entries(n)
	if err != nil {
		return err
	}
	for _, e := range entries {
		text, err := p.scalar(e.Value)
		if err != nil {
			return err
		}
		if err := p.s.setParam(e.Key.GetToken().Value, text); err != nil {
			return p.errorf(e.Key, "%w", err)
		}
	}
	return nil
}

// scalar returns the text of a value as it was written, so that files and
// flags go through the same parsers.
func (p *fileParser) scalar(n ast.Node) (string, error) {
	switch n := n.(type) {
	case *ast.StringNode:
		return n.Value, nil
	case *ast.IntegerNode, *ast.FloatNode, *ast.BoolNode:
		return n.GetToken().Value, nil
	}
	return "", p.errorf(n, "expected a text or a number, found %s", strings.ToLower(n.Type().String()))
}

func keyNames() []string {
	names := []string{paramsKey}
	for _, k := range Keys {
		names = append(names, k.Name)
	}
	return names
}

// items returns the keys to write with their values, in order.
func (s *Scenario) items() []yaml.MapItem {
	var items []yaml.MapItem
	for _, k := range Keys {
		switch {
		case k.get == nil:
		case k.Name == "param":
			if len(s.Params) > 0 {
				items = append(items, yaml.MapItem{Key: paramsKey, Value: s.Params})
			}
		default:
			switch values := k.get(s); {
			case len(values) == 1:
				items = append(items, yaml.MapItem{Key: k.Name, Value: values[0]})
			case len(values) > 1:
				items = append(items, yaml.MapItem{Key: k.Name, Value: values})
			}
		}
	}
	return items
}

// Merge returns what file and flags say together: a key that the flags give
// counts as they say, except that params are joined one by one.
func Merge(file, flags *Scenario, given map[string]bool) *Scenario {
	merged := &Scenario{}
	for i := range Keys {
		k := &Keys[i]
		from := file
		if given[k.Name] || k.Name == "ids" && given["nodes"] {
			from = flags
		}
		if k.get == nil || k.Name == "param" {
			continue
		}
		for _, text := range k.get(from) {
			if err := k.Set(merged, text); err != nil {
				panic(err) // every key reads what it writes
			}
		}
	}
	merged.Params = maps.Clone(file.Params)
	for name, value := range flags.Params {
		if merged.Params == nil {
			merged.Params = map[string]string{}
		}
		merged.Params[name] = value
	}
	return merged
}

// YAML writes the scenario as a file that Parse reads.
func (s *Scenario) YAML() ([]byte, error) { return yaml.Marshal(yaml.MapSlice(s.items())) }

// JSON writes the scenario as one line of JSON that Parse reads. Equal
// scenarios give equal bytes.
func (s *Scenario) JSON() []byte {
	b := []byte{'{'}
	for i, item := range s.items() {
		if i > 0 {
			b = append(b, ',')
		}
		b = tracefmt.AppendString(b, item.Key.(string))
		b = append(b, ':')
		b = appendValue(b, item.Value)
	}
	return append(b, '}')
}

// appendValue appends a text, a list of texts, or params as JSON.
func appendValue(b []byte, value any) []byte {
	switch v := value.(type) {
	case []string:
		b = append(b, '[')
		for i, text := range v {
			if i > 0 {
				b = append(b, ',')
			}
			b = tracefmt.AppendString(b, text)
		}
		return append(b, ']')
	case map[string]string:
		b = append(b, '{')
		for i, name := range slices.Sorted(maps.Keys(v)) {
			if i > 0 {
				b = append(b, ',')
			}
			b = tracefmt.AppendString(b, name)
			b = tracefmt.AppendString(append(b, ':'), v[name])
		}
		return append(b, '}')
	default:
		return tracefmt.AppendString(b, value.(string))
	}
}

func (s *Scenario) paramList() []string {
	var list []string
	for _, name := range slices.Sorted(maps.Keys(s.Params)) {
		list = append(list, name+"="+s.Params[name])
	}
	return list
}
