package mapping_test

import (
	"bytes"
	"context"
	"fmt"
	"iter"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"etrace/fixtures/readings"
	"etrace/tracefmt"
	"etrace/tracefmt/interop"
	"etrace/tracefmt/interop/logs"
	"etrace/tracefmt/interop/mapping"
)

// TestReady: each ready map has an example, testdata/ready/NAME.log or files NAME.*.log of one
// execution, which it alone recognises unless it has no sign. It understands every line, and makes NAME.want of them.
// Another of its names may have an example, too.
// (ETRACE_UPDATE=1 writes that file anew, to be read.)
func TestReady(t *testing.T) {
	for example, m := range examples() {
		t.Run(example, func(t *testing.T) {
			got := explained(t, example, m)
			want := filepath.Join("testdata", "ready", example+".want")
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

// examples returns the names of the examples of ready maps, with the map that reads each.
func examples() iter.Seq2[string, *mapping.Map] {
	return func(yield func(string, *mapping.Map) bool) {
		for _, m := range mapping.Ready().All() {
			for i, name := range append([]string{m.Name}, m.Others...) {
				if (i == 0 || len(exampleFiles(name)) > 0) && !yield(name, m) {
					return
				}
			}
		}
	}
}

// exampleFiles returns the logs of an example.
func exampleFiles(name string) []string {
	files, _ := filepath.Glob(filepath.Join("testdata", "ready", name+".*log")) // the only error is a bad pattern
	return files
}

// explained imports an example without naming the ready map, and returns what the map makes of each line.
func explained(t *testing.T, name string, m *mapping.Map) string {
	t.Helper()
	files := exampleFiles(name)
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
	signed := strings.Contains(m.Text, "\nsign:")
	if !signed {
		settings.Options = map[string]string{"map": name}
		if logs.Format.Detect(inputs[0].Head()) > interop.Possible {
			t.Errorf("a map recognises the example of %s, which has no sign", name)
		}
	}
	report, err := interop.Import(context.Background(), logs.Format, interop.Join(inputs...), &readings.Runs{}, settings)
	if err != nil {
		t.Fatal(err)
	}
	if !signed {
		return said.String()
	}
	if note := strings.Join(report.Notes, "; "); !strings.Contains(note, "ready map "+m.Name+",") {
		t.Errorf("notes %q, want that the map %s was recognised", note, m.Name)
	}
	return said.String()
}

// FuzzReady: whatever a log looks like, a ready map reads it or refuses it, and what it makes
// of it is well-formed.
func FuzzReady(f *testing.F) {
	maps := mapping.Ready().All()
	for i, m := range maps {
		for _, file := range exampleFiles(m.Name) {
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
		format := interop.Format{Name: "map", Read: maps[i].Read, Detect: logs.Format.Detect}
		var sink readings.Runs
		if _, err := interop.Import(t.Context(), format, input, &sink, interop.Settings{}); err != nil {
			return
		}
		for _, rec := range sink.List {
			if err := tracefmt.Validate(rec); err != nil {
				t.Error(err)
			}
		}
	})
}

// TestTraceTimes: the time of a trace of etcd's raft library has several spellings. The events and their times are the
// same. A vote "0" is empty.
func TestTraceTimes(t *testing.T) {
	data, err := os.ReadFile("testdata/ready/etcd-raft-trace.log")
	if err != nil {
		t.Fatal(err)
	}
	stamp := regexp.MustCompile(`"ts":(\d+)\.(\d+)`)
	var first string
	for _, spell := range []func(at time.Time) string{
		func(at time.Time) string { return fmt.Sprintf("%d.%06d", at.Unix(), at.Nanosecond()/1000) },
		func(at time.Time) string { return strconv.FormatFloat(float64(at.UnixMicro())/1e6, 'e', -1, 64) },
		func(at time.Time) string { return at.Format(`"2006-01-02T15:04:05.000000Z07:00"`) },
		func(at time.Time) string {
			return at.In(time.FixedZone("", 8*3600)).Format(`"2006-01-02T15:04:05.000000-0700"`)
		},
	} {
		log := stamp.ReplaceAllStringFunc(string(data), func(s string) string {
			at := stamp.FindStringSubmatch(s)
			seconds, _ := strconv.ParseInt(at[1], 10, 64)
			micros, _ := strconv.ParseInt(at[2], 10, 64)
			return `"ts":` + spell(time.UnixMicro(seconds*1e6+micros).UTC())
		})
		ready, _ := mapping.Ready().Find(func(m *mapping.Map) bool { return m.Name == "etcd-raft-trace" })
		run, _ := readings.Read(t, ready.Text, "x.ndjson", log)
		var events strings.Builder
		for e := range run.Events(1) {
			vote, _ := e.Field("votedFor")
			fmt.Fprintln(&events, e.Process, e.Kind, e.Time/1000, e.Type, string(vote))
		}
		if first == "" {
			first = events.String()
		}
		if got := events.String(); got != first || got == "" {
			t.Errorf("in the spelling %s: got\n%s\nwant\n%s", log[:60], got, first)
		}
	}
}
