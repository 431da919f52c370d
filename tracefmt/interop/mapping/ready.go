package mapping

import (
	"embed"
	"errors"
	"fmt"
	slash "path"
	"regexp"
	"slices"
	"strings"
	"sync"

	"etrace/tracefmt/text"
)

//go:embed ready/*.yaml
var readyFiles embed.FS

// Key returns the name, for a [text.Registry].
func (m *Map) Key() string { return m.Name }

// Check implements [text.Checked].
func (m *Map) Check() error {
	if len(m.rules) == 0 {
		return errors.New("expected one that Parse or Load has read")
	}
	return nil
}

// Registry is a list of mappings by name.
type Registry = text.Registry[*Map]

// Ready returns the mappings that etrace contains.
func Ready() Registry { return readyMaps() }

// readyMaps parses them on the first call.
var readyMaps = sync.OnceValue(func() Registry {
	entries, err := readyFiles.ReadDir("ready")
	if err != nil {
		panic(err) // the folder is part of the program
	}
	maps := make([]*Map, len(entries))
	for i, e := range entries {
		file := slash.Join("ready", e.Name())
		data, err := readyFiles.ReadFile(file)
		if err == nil {
			maps[i], err = Parse(file, data)
		}
		if err != nil {
			panic(err) // a test reads all of them
		}
	}
	return text.NewRegistry("map", maps...)
})

// known returns the ready mappings of a program.
type known func() Registry

// find returns the mapping in a file. If the name has no dot and no slash, it returns the ready mapping with this
// name.
func (k known) find(name string) (*Map, error) {
	if strings.ContainsAny(name, `./\`) {
		return Load(name)
	}
	maps := k()
	m, ok := maps.Find(func(m *Map) bool { return m.Name == name || slices.Contains(m.Others, name) })
	if !ok {
		err := text.Unknown("map", name, allNames(maps))
		return nil, fmt.Errorf("%w; a file of your own is named with its ending or folder, as --map ./%s", err, text.Printable(name))
	}
	return m.asReady()
}

// allNames returns all names of the mappings.
func allNames(maps Registry) []string {
	names := maps.Names()
	for _, m := range maps.All() {
		names = append(names, m.Others...)
	}
	return names
}

// asReady returns a copy of the mapping for one import. An import changes the mapping, for example when it finds the
// envelopes of the lines.
func (m *Map) asReady() (*Map, error) {
	fresh, err := Parse(m.source, []byte(m.Text))
	if err != nil {
		return nil, err
	}
	fresh.ready = true
	if fresh.split == nil {
		fresh.split, err = newPattern(fresh.slots, goTest)
	}
	return fresh, err
}

// goTest matches the line of go test that begins a test. Each test is an execution.
const goTest = `^=== RUN +(?<trace>\S+)$`

// recognised returns the ready mappings whose signs the first lines show, with or without their envelopes.
func (k known) recognised(heads ...[]byte) (maps []*Map, layers *peeling) {
	for _, layers := range []*peeling{newPeeling(heads...), nil} {
		for _, head := range heads { // the beginning of one may be missing
			head = layers.head(head)
			maps := slices.DeleteFunc(k().All(), func(m *Map) bool { return !m.recognises(head) })
			if len(maps) > 0 {
				return maps, layers
			}
		}
	}
	return nil, nil
}

// recognises reports whether the beginning of a log has all signs of the mapping, and none that excludes it.
func (m *Map) recognises(head []byte) bool {
	if slices.ContainsFunc(m.not, func(sign *regexp.Regexp) bool { return sign.Match(head) }) {
		return false
	}
	for _, sign := range m.signs {
		if !sign.Match(head) {
			return false
		}
	}
	return len(m.signs) > 0
}

var goTestLine = text.Pattern(goTest)
