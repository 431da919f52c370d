package mapping_test

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"etrace/tracefmt"
	"etrace/tracefmt/interop"
	"etrace/tracefmt/interop/mapping"
)

// TestReady: each ready map has an example, testdata/ready/NAME.log or files NAME.*.log of one
// execution, which it alone recognises unless it has no sign. It understands every line, and makes NAME.want of them.
// (ETRACE_UPDATE=1 writes that file anew, to be read.)
func TestReady(t *testing.T) {
	for _, m := range mapping.Ready().All() {
		t.Run(m.Name, func(t *testing.T) {
			got := explained(t, m.Name)
			want := filepath.Join("testdata", "ready", m.Name+".want")
			if os.Getenv("ETRACE_UPDATE") != "" {
				if err := os.WriteFile(want, []byte(got), 0o666); err != nil {
					t.Fatal(err)
				}
			}
			text, err := os.ReadFile(want)
			if err != nil {
				t.Fatalf("%v; ETRACE_UPDATE=1 writes it, to be read", err)
			}
			if diff := cmp.Diff(string(text), got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// TestReadyNames: no two maps have a name in common, the other names counted.
func TestReadyNames(t *testing.T) {
	owner := make(map[string]string)
	for _, m := range mapping.Ready().All() {
		for _, name := range append([]string{m.Name}, m.Others...) {
			if owner2, taken := owner[name]; taken {
				t.Errorf("%s is a name of %s and of %s", name, owner2, m.Name)
			}
			owner[name] = m.Name
		}
	}
	if owner["zap"] != "structured" {
		t.Error("zap is no name of structured")
	}
}

// explained imports the example of a ready map without naming it, and returns what it makes
// of each line.
func explained(t *testing.T, name string) string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join("testdata", "ready", name+"*.log"))
	files = slices.DeleteFunc(files, func(file string) bool {
		suffix := strings.TrimPrefix(filepath.Base(file), name)
		return suffix[0] != '.'
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(files) == 0 {
		t.Fatalf("no example, expected testdata/ready/%s.log, or %s.*.log for files of one execution", name, name)
	}
	inputs := make([]*interop.Input, len(files))
	for i, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		inputs[i], err = interop.NewInput(filepath.Base(file), bytes.NewReader(data))
		if err != nil {
			t.Fatal(err)
		}
	}
	var said bytes.Buffer
	settings := interop.Settings{Strict: true, Explain: &said}
	m, err := mapping.Ready().Lookup(name)
	if err != nil {
		t.Fatal(err)
	}
	signed := strings.Contains(m.Text, "\nsign:")
	if !signed {
		settings.Options = map[string]string{"map": name}
		if mapping.Format.Detect(inputs[0].Head()) > interop.Possible {
			t.Errorf("a map recognises the example of %s, which has no sign", name)
		}
	}
	report, err := interop.Import(context.Background(), mapping.Format, interop.Join(inputs...), &runs{}, settings)
	if err != nil {
		t.Fatal(err)
	}
	if !signed {
		return said.String()
	}
	if note := strings.Join(report.Notes, "; "); !strings.Contains(note, "ready map "+name+",") {
		t.Errorf("notes %q, want that the map %s was recognised", note, name)
	}
	return said.String()
}

// FuzzReady: whatever a log looks like, a ready map reads it or refuses it, and what it makes
// of it is well-formed.
func FuzzReady(f *testing.F) {
	maps := mapping.Ready().All()
	for i, m := range maps {
		files, err := filepath.Glob(filepath.Join("testdata", "ready", m.Name+".*log"))
		if err != nil {
			f.Fatal(err)
		}
		for _, file := range files {
			data, err := os.ReadFile(file)
			if err != nil {
				f.Fatal(err)
			}
			f.Add(i, data)
		}
	}
	f.Fuzz(func(t *testing.T, i int, log []byte) {
		if i < 0 || i >= len(maps) {
			return
		}
		input, err := interop.NewInput("log", bytes.NewReader(log))
		if err != nil {
			return
		}
		format := interop.Format{Name: "map", Read: maps[i].Read, Detect: mapping.Format.Detect}
		var sink runs
		if _, err := interop.Import(t.Context(), format, input, &sink, interop.Settings{}); err != nil {
			return
		}
		for _, rec := range sink.list {
			if err := tracefmt.Validate(rec); err != nil {
				t.Error(err)
			}
		}
	})
}
