package tracefmt

import (
	"bytes"
	"os"
	"path/filepath"
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

// A file's runs are read as they stand, from any event on, as often as wanted.
func TestFile(t *testing.T) {
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
		{0, 1, "second", []Kind{Crash}},
	} {
		f, err := OpenFile(path, c.number)
		if err != nil {
			t.Fatal(err)
		}
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
func TestFileIsARecording(t *testing.T) {
	path := writeFile(t, fileRuns)
	var out bytes.Buffer
	enc := NewEncoder(&out)
	for number := 1; number <= 2; number++ {
		f, err := OpenFile(path, number)
		if err != nil {
			t.Fatal(err)
		}
		if f.Run().Events != int64(3-number) || f.Run().End == Open {
			t.Errorf("run %d: %d events, %s", number, f.Run().Events, f.Run().End)
		}
		if err := enc.Encode(f); err != nil {
			t.Fatal(err)
		}
	}
	if out.String() != fileRuns {
		t.Errorf("got %s", out.String())
	}
}

// Errors name the file, and the line where there is one.
func TestFileErrors(t *testing.T) {
	for text, want := range map[string]string{
		"":       ": no run, expected a first line",
		"{}\n":   ": line 1: ",
		fileRuns: ": no run 3, the file has 2",
		strings.Replace(fileRuns, `"halt"`, `"hlt"`, 1): ": line 3: ",
	} {
		path := writeFile(t, text)
		if _, err := OpenFile(path, 3); err == nil || !strings.HasPrefix(err.Error(), path+want) {
			t.Errorf("error %v, want %s", err, want)
		}
	}
	// A file that is damaged after it was opened.
	path := writeFile(t, fileRuns)
	f, err := OpenFile(path, 1)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(strings.Replace(fileRuns, `"halt"`, `"hlt"`, 1)), 0o666); err != nil {
		t.Fatal(err)
	}
	n := 0
	for _, err = range f.Events(1) {
		n++
	}
	if n != 2 || err == nil || !strings.HasPrefix(err.Error(), path+": line 3: ") {
		t.Errorf("%d events, error %v", n, err)
	}
}
