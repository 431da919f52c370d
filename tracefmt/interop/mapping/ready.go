package mapping

import (
	"embed"
	"fmt"
	slash "path"
	"regexp"
	"slices"
	"strings"

	"etrace/tracefmt/text"
)

//go:embed ready/*.yaml
var readyFiles embed.FS

// Key returns the name, for a [text.Registry].
func (m *Map) Key() string { return m.Name }

// Ready returns the mappings that etrace brings along. They are read anew each time, since
// who imports needs one of them at most.
func Ready() text.Registry[*Map] {
	entries, err := readyFiles.ReadDir("ready")
	if err != nil {
		panic(err) // the folder is part of the program
	}
	all := make([]*Map, len(entries))
	for i, e := range entries {
		file := slash.Join("ready", e.Name())
		data, err := readyFiles.ReadFile(file)
		if err == nil {
			all[i], err = Parse(file, data)
		}
		if err != nil {
			panic(err) // a test reads all of them
		}
		all[i].ready = true
	}
	return text.NewRegistry("map", all...)
}

// find returns the mapping of a file or, where the name has no dot and no slash, the ready
// one of that name.
func find(name string) (*Map, error) {
	if strings.ContainsAny(name, `./\`) {
		return Load(name)
	}
	m, err := Ready().Lookup(name)
	if err != nil {
		return nil, fmt.Errorf("%w; a file of your own is named with its ending or folder, as --map ./%s", err, text.Printable(name))
	}
	return m, nil
}

// recognised are the ready mappings whose signs a log shows.
func recognised(head []byte) []*Map {
	return slices.DeleteFunc(Ready().All(), func(m *Map) bool { return !m.recognises(head) })
}

// recognises reports whether each of the signs is in the head of a log, and nothing that is
// not.
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
