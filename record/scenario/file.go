package scenario

import (
	"bytes"
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"

	"etrace/tracefmt"
	"etrace/tracefmt/text"
	"etrace/tracefmt/textfile"
	"etrace/tracefmt/yamldoc"
)

// paramsKey is the only key whose value is a mapping: the parameters of the algorithm by name.
const paramsKey = "params"

// Load reads a scenario file, YAML or the JSON of a recorded run. Errors name
// file, line and column.
func Load(path string) (*Scenario, error) {
	data, err := textfile.Read(path, "a scenario")
	if err != nil {
		return nil, err
	}
	return Parse(path, data)
}

// Parse reads a scenario; file is its name for errors.
func Parse(file string, data []byte) (*Scenario, error) {
	doc, err := yamldoc.Parse(file, data, "algorithm, ids, start")
	if err != nil {
		return nil, err
	}
	return Read(doc, doc.Root, nil)
}

// Read reads a scenario from a part of a document, such as a case of a suite. expand, unless nil, is applied to
// the text of each value first.
func Read(doc *yamldoc.Document, n ast.Node, expand func(text string) (string, error)) (*Scenario, error) {
	p := fileParser{Document: doc, scenario: &Scenario{places: places{}}, expand: expand}
	entries, err := p.Entries(n)
	if err != nil {
		return nil, err
	}
	for _, e := range entries {
		if err := p.entry(e); err != nil {
			return nil, err
		}
	}
	return p.scenario, nil
}

// places maps each key to the places of its values in the file, "file:line:column", for errors that are found
// only after the whole scenario is known.
type places map[string][]string

// wrap adds the place of a value to an error, if it is known.
func (p places) wrap(key string, index int, err error) error {
	if index < len(p[key]) {
		return fmt.Errorf("%s: %w", p[key][index], err)
	}
	return err
}

// fileParser reads the entries of a scenario file.
type fileParser struct {
	*yamldoc.Document
	scenario *Scenario
	expand   func(text string) (string, error)
}

// notePlaces notes the place of each value in the text of a key.
func (p *fileParser) notePlaces(key *Key, text string, at ast.Node) {
	if name, _, ok := strings.Cut(text, "="); ok && key.Name == "param" {
		p.scenario.places[paramsKey+" "+name] = []string{p.Place(at)}
		return
	}
	// The key nodes is another form of the ids.
	if key.Name == "nodes" {
		p.scenario.places["ids"] = []string{p.Place(at)}
		return
	}
	if key.get == nil {
		p.scenario.places[paramsKey+" "+key.Name] = []string{p.Place(at)}
		return
	}
	alone := &Scenario{}
	if key.Set(alone, text) != nil {
		return
	}
	for range key.get(alone) {
		p.scenario.places[key.Name] = append(p.scenario.places[key.Name], p.Place(at))
	}
}

// entry reads a key with its values.
func (p *fileParser) entry(e *ast.MappingValueNode) error {
	name := e.Key.GetToken().Value
	if name == paramsKey {
		return p.params(e.Value)
	}
	i := slices.IndexFunc(Keys, func(k Key) bool { return k.Name == name })
	if i < 0 {
		err := text.Unknown("key", name, keyNames())
		if text.Nearest(name, keyNames()) == "" {
			err = fmt.Errorf("%w, expected those of a scenario; etrace list scenario shows them", err)
		}
		return p.Errorf(e.Key, "%w", err)
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
		if err := key.Set(p.scenario, text); err != nil {
			return p.Errorf(v, "%s: %w", name, err)
		}
		p.notePlaces(key, text, v)
	}
	return nil
}

// params reads the mapping of the parameters.
func (p *fileParser) params(n ast.Node) error {
	entries, err := p.Entries(n)
	if err != nil {
		return err
	}
	for _, e := range entries {
		text, err := p.scalar(e.Value)
		if err != nil {
			return err
		}
		name := e.Key.GetToken().Value
		if err := p.scenario.setParam(name, text); err != nil {
			return p.Errorf(e.Key, "%w", err)
		}
		p.scenario.places[paramsKey+" "+name] = []string{p.Place(e.Key)}
	}
	return nil
}

// scalar returns the text of a value, expanded.
func (p *fileParser) scalar(n ast.Node) (string, error) {
	text, err := p.Text(n)
	if err != nil || p.expand == nil {
		return text, err
	}
	text, err = p.expand(text)
	if err != nil {
		return "", p.Errorf(n, "%w", err)
	}
	return text, nil
}

// keyNames returns the names of all keys in a file.
func keyNames() []string {
	names := []string{paramsKey}
	for _, k := range Keys {
		names = append(names, k.Name)
	}
	return names
}

// value returns the YAML value of a setting.
func (s *Scenario) value(set *Setting) any {
	switch {
	case set.Key.Name == "param":
		return s.Params
	case len(set.Values) == 1:
		return set.Values[0]
	}
	return set.Values
}

// fileKey returns the key in a file.
func (set *Setting) fileKey() string {
	if set.Key.Name == "param" {
		return paramsKey
	}
	return set.Key.Name
}

// appendValue appends the JSON value of a setting.
func (s *Scenario) appendValue(b []byte, set *Setting) []byte {
	switch {
	case set.Key.Name == "param":
		b = append(b, '{')
		for i, name := range slices.Sorted(maps.Keys(s.Params)) {
			if i > 0 {
				b = append(b, ',')
			}
			b = tracefmt.AppendString(b, name)
			b = tracefmt.AppendString(append(b, ':'), s.Params[name])
		}
		return append(b, '}')
	case len(set.Values) == 1:
		return tracefmt.AppendString(b, set.Values[0])
	}
	b = append(b, '[')
	for i, text := range set.Values {
		if i > 0 {
			b = append(b, ',')
		}
		b = tracefmt.AppendString(b, text)
	}
	return append(b, ']')
}

// Merge returns a copy of file with the given keys replaced by those of flags; params are merged one by one.
func Merge(file, flags *Scenario, given map[string]bool) *Scenario {
	merged := &Scenario{Algorithms: flags.Algorithms, places: maps.Clone(file.places)}
	for i := range Keys {
		k := &Keys[i]
		if k.get == nil || k.Name == "param" {
			continue
		}
		from := file
		if given[k.Name] || k.Name == "ids" && given["nodes"] {
			from = flags
			delete(merged.places, k.Name)
		}
		for _, text := range k.get(from) {
			if err := k.Set(merged, text); err != nil {
				panic(err) // unreachable: every key reads its own output
			}
		}
	}
	merged.Params = maps.Clone(file.Params)
	for name, value := range flags.Params {
		if merged.Params == nil {
			merged.Params = map[string]string{}
		}
		merged.Params[name] = value
		delete(merged.places, paramsKey+" "+name)
	}
	return merged
}

// YAML writes the scenario as a file that Parse reads. A text that the YAML library would read back
// differently is written as JSON.
func (s *Scenario) YAML() ([]byte, error) {
	settings := s.Settings()
	var items yaml.MapSlice
	for i := range settings {
		items = append(items, yaml.MapItem{Key: settings[i].fileKey(), Value: s.value(&settings[i])})
	}
	text, err := yaml.Marshal(items)
	if err != nil {
		return nil, err
	}
	again, err := Parse("", text)
	same := err == nil && !bytes.ContainsFunc(text, steersTerminal) && bytes.Equal(again.JSON(), s.JSON())
	if same || len(items) == 0 {
		return text, nil
	}
	text = text[:0]
	for i := range settings {
		text = append(append(text, settings[i].fileKey()...), ": "...)
		text = append(s.appendValue(text, &settings[i]), '\n')
	}
	return text, nil
}

// steersTerminal reports whether a character controls a terminal. YAML does not allow these characters in a
// text, either.
func steersTerminal(c rune) bool { return c != '\n' && unicode.IsControl(c) }

// JSON returns the scenario as one line of JSON that Parse reads. Equal scenarios give equal bytes.
func (s *Scenario) JSON() []byte {
	b := append(make([]byte, 0, 256), '{')
	settings := s.Settings()
	for i := range settings {
		if i > 0 {
			b = append(b, ',')
		}
		b = append(tracefmt.AppendString(b, settings[i].fileKey()), ':')
		b = s.appendValue(b, &settings[i])
	}
	return append(b, '}')
}

// paramList returns the parameters as name=value, sorted.
func (s *Scenario) paramList() []string {
	var list []string
	for _, name := range slices.Sorted(maps.Keys(s.Params)) {
		list = append(list, name+"="+s.Params[name])
	}
	return list
}
