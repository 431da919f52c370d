package tracefmt

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

const fileRuns = `{"format":"etrace/1","name":"first","time_unit":"delay","members":[{"name":"1","position":1}]}
{"seq":1,"time":0,"process":"1","kind":"start","lamport":1}
{"seq":2,"time":1,"process":"1","kind":"halt","lamport":2}
{"end":"quiescent","events":2}
{"format":"etrace/1","name":"second","time_unit":"delay","members":[{"name":"1","position":1}]}
{"seq":1,"time":0,"process":"1","kind":"crash","lamport":1}
{"end":"stopped","events":1}
`

func writeFile(t *testing.T, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "runs.jsonl")
	if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	return path
}

func openText(t *testing.T, path string) []*TextRun {
	t.Helper()
	runs, err := TextFile(path).Runs()
	if err != nil {
		t.Fatal(err)
	}
	return runs
}

// A long run is read from any event on without the events before it: damage
// there is not seen, and the lines are counted on.
func TestTextRunJumps(t *testing.T) {
	var text bytes.Buffer
	enc := NewEncoder(&text)
	for range 2 {
		m := NewMemory(Run{TimeUnit: "delay", Members: []Member{{Name: "1"}}})
		for seq := Seq(1); seq <= 10_000; seq++ {
			if err := m.Write(&Event{Seq: seq, Process: 1, Kind: Note, Type: strings.Repeat("x", int(seq)%100)}); err != nil {
				t.Fatal(err)
			}
		}
		m.Finish(Stopped)
		if err := enc.Encode(m); err != nil {
			t.Fatal(err)
		}
	}
	path := writeFile(t, text.String())
	runs := openText(t, path)
	for _, from := range []Seq{1, 2, markEvery - 1, markEvery, markEvery + 1, 2*markEvery - 1, 2 * markEvery, 9999, 10_000, 10_001} {
		for _, f := range runs {
			next := from
			for e, err := range f.Events(from) {
				if err != nil || e.Seq != next || len(e.Type) != int(next)%100 {
					t.Fatalf("run %d from %d: event %v, error %v, expected seq %d", f.Run().Number, from, e, err, next)
				}
				next++
			}
			if next != 10_001 {
				t.Errorf("run %d from %d ends before seq %d", f.Run().Number, from, next)
			}
		}
	}
	// A run is 10,002 lines, with header and trailer.
	damaged := bytes.Split(text.Bytes(), []byte("\n"))
	damaged[2], damaged[10_002+9000] = bytes.Repeat([]byte("#"), len(damaged[2])), []byte("{}")
	if err := os.WriteFile(path, bytes.Join(damaged, []byte("\n")), 0o666); err != nil {
		t.Fatal(err)
	}
	var err error
	for _, err = range runs[1].Events(8999) {
	}
	if want := path + ": line 19003: "; err == nil || !strings.HasPrefix(err.Error(), want) {
		t.Errorf("error %v, want %s", err, want)
	}
}

// The runs of a file are read unchanged, from any event, as often as wanted.
func TestTextRun(t *testing.T) {
	path := writeFile(t, fileRuns)
	for _, c := range []struct {
		number int
		from   Seq
		name   string
		kinds  []Kind
	}{
		{1, 1, "first", []Kind{Start, Halt}},
		{1, 2, "first", []Kind{Halt}},
		{1, 3, "first", nil},
		{2, 1, "second", []Kind{Crash}},
	} {
		f := openText(t, path)[c.number-1]
		for range 2 {
			var kinds []Kind
			for e, err := range f.Events(c.from) {
				if err != nil {
					t.Fatal(err)
				}
				kinds = append(kinds, e.Kind)
			}
			if f.Run().Name != c.name || string(kindBytes(kinds)) != string(kindBytes(c.kinds)) {
				t.Errorf("run %d from %d: %s %v, want %s %v", c.number, c.from, f.Run().Name, kinds, c.name, c.kinds)
			}
		}
	}
}

func kindBytes(kinds []Kind) []byte {
	var b []byte
	for _, k := range kinds {
		b = append(b, byte(k))
	}
	return b
}

// The end and the number of events are known at once, and the file is the same
// bytes again.
func TestTextRunIsARecording(t *testing.T) {
	var out bytes.Buffer
	enc := NewEncoder(&out)
	for i, f := range openText(t, writeFile(t, fileRuns)) {
		if f.Run().Number != i+1 || f.Run().Events != int64(2-i) || f.Run().End == Open {
			t.Errorf("run %d: number %d, %d events, %s", i+1, f.Run().Number, f.Run().Events, f.Run().End)
		}
		if err := enc.Encode(f); err != nil {
			t.Fatal(err)
		}
	}
	if out.String() != fileRuns {
		t.Errorf("got %s", out.String())
	}
}

// TestSalvage: the valid parts are read, and the rest is reported with its line; a run with a damaged header is
// lost.
func TestSalvage(t *testing.T) {
	for _, tt := range []struct {
		name, was, replacement string
		want                   []string // the names of the runs with the numbers of their events
		damage                 string   // after the name of the file
	}{
		{"nothing", "x", "x", []string{"first 2", "second 1"}, ""},
		{
			"the header of the first",
			`"delay","members":[{"name":"1","position":1}]}` + "\n" + `{"seq":1,"time":0,"process":"1","kind":"start"`,
			"",
			[]string{"second 1"},
			": line 1: ",
		},
		{"an event of the first", `"halt"`, `"hlt"`, []string{"first 1", "second 1"}, ": line 3: "},
		{"an event of the second", `"crash"`, `"crsh"`, []string{"first 2", "second 0"}, ": line 6: "},
	} {
		path := writeFile(t, strings.Replace(fileRuns, tt.was, tt.replacement, 1))
		runs, damage, err := TextFile(path).Salvage()
		var got []string
		for i, r := range runs {
			got = append(got, fmt.Sprintf("%s %d", r.Run().Name, r.Run().Events))
			if r.Run().Number != i+1 {
				t.Errorf("%s: run %d has the number %d", tt.name, i+1, r.Run().Number)
			}
		}
		if err != nil || !slices.Equal(got, tt.want) || (len(damage) == 0) != (tt.damage == "") {
			t.Errorf("%s: %q, damage %v, error %v, want %q", tt.name, got, damage, err, tt.want)
		}
		if len(damage) > 0 && !strings.HasPrefix(damage[0].Error(), path+tt.damage) {
			t.Errorf("%s: %v, want %s", tt.name, damage[0], tt.damage)
		}
	}
	if _, _, err := TextFile("nowhere.jsonl").Salvage(); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("a file that there is not: %v", err)
	}
}

// Errors name the file, and the line where there is one.
func TestTextRunErrors(t *testing.T) {
	for text, want := range map[string]string{
		"":     ": no run, expected a first line",
		"{}\n": ": line 1: ",
		strings.Replace(fileRuns, `"halt"`, `"hlt"`, 1):      ": line 3: ",
		strings.Replace(fileRuns, `{"seq":2`, `{"seq":3`, 1): ": line 3: seq 3: seq 3 follows seq 1",
	} {
		path := writeFile(t, text)
		if _, err := TextFile(path).Runs(); err == nil || !strings.HasPrefix(err.Error(), path+want) {
			t.Errorf("error %v, want %s", err, want)
		}
	}
	// A file that is damaged after it was opened.
	path := writeFile(t, fileRuns)
	f := openText(t, path)[0]
	if err := os.WriteFile(path, []byte(strings.Replace(fileRuns, `"halt"`, `"hlt"`, 1)), 0o666); err != nil {
		t.Fatal(err)
	}
	n := 0
	var err error
	for _, err = range f.Events(1) {
		n++
	}
	if n != 2 || err == nil || !strings.HasPrefix(err.Error(), path+": line 3: ") {
		t.Errorf("%d events, error %v", n, err)
	}
}
