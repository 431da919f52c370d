package logs

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode/utf8"

	"etrace/tracefmt"
	"etrace/tracefmt/interop"
	"etrace/tracefmt/interop/envelope"
	"etrace/tracefmt/interop/mapping"
	"etrace/tracefmt/text"
)

// Format reads logs by a mapping: the user's, a ready mapping of etrace, or a mapping guessed from the lines. A
// ready mapping is chosen by its name or by its signs in the first lines.
//
// Order. Events of a process follow the lines of its file; between processes a receive
// comes after its send. Else the lines of one file stay as they are, unless its times show that
// it has the logs of several processes one after another; those, and several files, are merged
// by time.
//
// Completeness. As the mapping declares; else the kinds and variables that occur are complete.
var Format = known(mapping.Ready).format()

// FormatOf returns [Format] with other ready mappings.
func FormatOf(registry mapping.Registry) interop.Format {
	return known(func() mapping.Registry { return registry }).format()
}

// format returns the format with these ready mappings.
func (k known) format() interop.Format {
	return interop.Format{
		Name:     tracefmt.Mapped,
		Doc:      "logs of any program, by a mapping of its lines: --map FILE, or a ready one (etrace list maps)",
		Source:   "package tracefmt/interop/logs",
		Detect:   k.detect,
		Describe: mapping.Describe,
		Read:     k.read,
		Suggest:  k.suggest,
		Slicer:   &interop.Slicer{Write: k.writePart, Join: mapping.JoinParts, JoinShares: mapping.JoinShares},
		Joins:    true,
		ReadOptions: []interop.Option{
			{Name: "map", Arg: "MAP", Doc: "a file, or a MAP of etrace list maps"},
		},
	}
}

// detect is sure about a log that shows the signs of a ready mapping. Any other text may be a log.
func (k known) detect(head []byte) interop.Confidence {
	likely, _ := k.recognised(head)
	switch {
	case len(likely) > 0:
		return interop.Sure
	case isText(head):
		return interop.Possible
	}
	return interop.No
}

// isText reports whether the beginning of a file is text in UTF-8. The last line may be incomplete.
func isText(head []byte) bool {
	if end := bytes.LastIndexByte(head, '\n'); end >= 0 {
		head = head[:end]
	}
	return len(bytes.TrimSpace(head)) > 0 && bytes.IndexByte(head, 0) < 0 && utf8.Valid(head)
}

// read chooses a mapping and reads the log by it.
func (k known) read(r *interop.Reading) error {
	m, err := k.choose(r)
	if err != nil {
		return err
	}
	return m.Read(r)
}

// choose returns the mapping that the user named. Otherwise it returns the ready mapping whose signs the log shows,
// if it is the only one, or a guess.
func (k known) choose(r *interop.Reading) (*mapping.Map, error) {
	if name := r.Value("map"); name != "" {
		return k.find(name)
	}
	likely, layers := k.recognised(r.FirstBytes()...)
	switch len(likely) {
	case 1:
		return k.prefer(r, likely[0], layers)
	case 0:
		return guess(r.Context(), r)
	}
	var names []string
	for _, m := range likely {
		names = append(names, m.Name)
	}
	return nil, fmt.Errorf("the log may be one for the maps %s, expected --map with one of them", text.And(names))
}

// prefer returns the ready mapping whose signs the log shows, or a guessed mapping if that reads the log better.
func (k known) prefer(r *interop.Reading, ready *mapping.Map, layers *envelope.Layers) (*mapping.Map, error) {
	s, err := newSample(r.Input)
	if err == nil {
		trial, wrong := ready.ReadyIn(layers)
		if wrong != nil {
			return nil, wrong
		}
		guessed, reason, err := s.compete(r.Context(), trial)
		if err != nil {
			return nil, err
		}
		if guessed != nil {
			return s.use(r, guessed, reason)
		}
	}
	r.Note("read by the ready map %s, see etrace explain %[1]s%s", ready.Name, layers.Remark())
	return ready.ReadyIn(layers)
}

// suggest writes the mapping that would be used if the user names none: a ready one or a guess.
func (k known) suggest(ctx context.Context, files []*interop.Input, w io.Writer) error {
	input := interop.Join(files...)
	likely, out := k.recognised(input.FirstBytes()...)
	s, err := newSample(input)
	if err != nil {
		return err
	}
	if len(likely) != 1 {
		return s.write(ctx, w)
	}
	ready, err := likely[0].ReadyIn(out)
	if err != nil {
		return err
	}
	guessed, reason, err := s.compete(ctx, ready)
	switch {
	case err != nil:
		return err
	case guessed != nil:
		_, err = fmt.Fprintf(w, "# %s.\n%s", text.Printable(reason), guessed)
		return err
	}
	_, err = fmt.Fprintf(w, "# The ready map %s.\n", ready.Name)
	if names := out.Names(); err == nil && len(names) > 0 {
		_, err = fmt.Fprintf(w, "envelope: [%s]\n", strings.Join(names, ", "))
	}
	if err == nil {
		_, err = io.WriteString(w, ready.Text)
	}
	return err
}

// known returns the ready mappings of a program.
type known func() mapping.Registry

// find returns the mapping in a file. If the name has no dot and no slash, it returns the ready mapping with this
// name.
func (k known) find(name string) (*mapping.Map, error) {
	if strings.ContainsAny(name, `./\`) {
		return mapping.Load(name)
	}
	maps := k()
	m, ok := maps.Find(func(m *mapping.Map) bool { return m.Name == name || slices.Contains(m.Others, name) })
	if !ok {
		err := text.Unknown("map", name, allNames(maps))
		return nil, fmt.Errorf("%w; a file of your own is named with its ending or folder, as --map ./%s", err, text.Printable(name))
	}
	return m.AsReady()
}

// allNames returns all names of the mappings.
func allNames(maps mapping.Registry) []string {
	names := maps.Names()
	for _, m := range maps.All() {
		names = append(names, m.Others...)
	}
	return names
}

// recognised returns the ready mappings whose signs the first lines show, with or without their envelopes.
func (k known) recognised(heads ...[]byte) (maps []*mapping.Map, layers *envelope.Layers) {
	for _, layers := range []*envelope.Layers{envelope.Find(heads...), nil} {
		for _, head := range heads { // the beginning of one may be missing
			head = layers.Head(head)
			maps := slices.DeleteFunc(k().All(), func(m *mapping.Map) bool { return !m.Recognises(head) })
			if len(maps) > 0 {
				return maps, layers
			}
		}
	}
	return nil, nil
}

// writePart implements [interop.Slicer].
func (k known) writePart(ctx context.Context, s *interop.Slice, w io.Writer) error {
	m, err := k.find(s.Map)
	if err != nil {
		return err
	}
	return m.WritePart(ctx, s, w)
}
