package mapping

import (
	"embed"
	"errors"
	slash "path"
	"regexp"
	"slices"
	"sync"

	"etrace/tracefmt/interop/envelope"
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

// AsReady returns a copy of the mapping for one import. An import changes the mapping, for example when it finds the
// envelopes of the lines.
func (m *Map) AsReady() (*Map, error) {
	fresh, err := Parse(m.source, []byte(m.Text))
	if err != nil {
		return nil, err
	}
	fresh.ready = true
	if fresh.split == nil {
		fresh.split, err = newPattern(fresh.slots, TestMark)
	}
	return fresh, err
}

// TestMark matches the line of go test or GoogleTest that begins a test. Each test is an execution.
const TestMark = `^(?:=== RUN +|\[ RUN +\] )(?<trace>\S+)$`

// Recognises reports whether the beginning of a log has all signs of the mapping, and none that excludes it.
func (m *Map) Recognises(head []byte) bool {
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

// ReadyIn returns a copy of the mapping for lines in these envelopes.
func (m *Map) ReadyIn(layers *envelope.Layers) (*Map, error) {
	fresh, err := m.AsReady()
	if err == nil {
		fresh.layers = layers
	}
	return fresh, err
}
