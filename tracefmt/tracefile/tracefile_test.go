package tracefile_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"testing/iotest"

	"etrace/tracefmt"
	"etrace/tracefmt/tracedb"
	"etrace/tracefmt/tracefile"
)

const twoRuns = `{"format":"etrace/1","name":"first","time_unit":"delay","members":[{"name":"1","position":1}]}
{"seq":1,"time":0,"process":"1","kind":"start","lamport":1}
{"end":"quiescent","events":1}
{"format":"etrace/1","name":"second","time_unit":"delay","members":[{"name":"1","position":1}]}
{"seq":1,"time":0,"process":"1","kind":"crash","lamport":1}
{"end":"stopped","events":1}
`

func memories(t *testing.T, text string) []*tracefmt.Memory {
	t.Helper()
	runs, err := tracefmt.ReadMemory(strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	return runs
}

// create makes a trace of the runs at path.
func create(t *testing.T, path, text string) {
	t.Helper()
	writer, err := tracefile.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	defer writer.Discard()
	for _, run := range memories(t, text) {
		if err := tracefmt.Copy(writer, run, nil); err != nil {
			t.Fatal(err)
		}
	}
	if err := writer.Commit(); err != nil {
		t.Fatal(err)
	}
}

// text reads the runs that are meant, twice, as JSON Lines.
func text(t *testing.T, trace *tracefile.Trace, selection string) string {
	t.Helper()
	runs, err := tracefile.ParseRuns(selection)
	if err != nil {
		t.Fatal(err)
	}
	var got [2]bytes.Buffer
	for i := range got {
		writer := tracefile.NewWriter(&got[i])
		for rec, err := range trace.Recordings(runs) {
			if err == nil {
				err = tracefmt.Copy(writer, rec, nil)
			}
			if err != nil {
				t.Fatal(err)
			}
		}
	}
	if got[0].String() != got[1].String() {
		t.Errorf("read again it is\n%s\nnot\n%s", got[1].String(), got[0].String())
	}
	return got[0].String()
}

// TestAnyTrace: the runs are the same however they are kept.
func TestAnyTrace(t *testing.T) {
	folder := t.TempDir()
	third := strings.Index(twoRuns, `{"format":"etrace/1","name":"second"`)
	want := map[string]string{"all": twoRuns, "last": twoRuns[third:], "2": twoRuns[third:], "1": twoRuns[:third]}
	open := map[string]func() (*tracefile.Trace, error){
		"stream": func() (*tracefile.Trace, error) {
			return tracefile.Open("-", tracefile.Options{Stdin: strings.NewReader(twoRuns)})
		},
	}
	for _, name := range []string{"trace.db", "runs.jsonl", "pipe"} {
		path := filepath.Join(folder, name)
		open[name] = func() (*tracefile.Trace, error) { return tracefile.Open(path, tracefile.Options{}) }
		if name != "pipe" {
			create(t, path, twoRuns)
		} else if err := syscall.Mkfifo(path, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for name, open := range open {
		if name == "pipe" {
			go os.WriteFile(filepath.Join(folder, name), []byte(twoRuns), 0)
		}
		trace, err := open()
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		defer trace.Close()
		if isDB := trace.DB() != nil; isDB != (name == "trace.db") {
			t.Errorf("%s: a database: %v", name, isDB)
		}
		for selection, want := range want {
			if got := text(t, trace, selection); got != want {
				t.Errorf("%s, %s: got\n%s\nwant\n%s", name, selection, got, want)
			}
		}
		if _, err := trace.Recording(3); err == nil {
			t.Errorf("%s has a run 3", name)
		}
	}
}

// TestSalvagePipe: from a pipe comes what comes from a file, damaged or not.
func TestSalvagePipe(t *testing.T) {
	folder := t.TempDir()
	second := strings.Index(twoRuns, `{"format":"etrace/1","name":"second"`)
	for name, input := range map[string]struct {
		text          string
		runs, damaged int
	}{"sound": {twoRuns, 2, 0}, "cut": {twoRuns[:len(twoRuns)-3], 2, 1}, "spoilt": {"{" + twoRuns[:second] + twoRuns[second:], 1, 1}} {
		path := filepath.Join(folder, name)
		if err := syscall.Mkfifo(path, 0o600); err != nil {
			t.Fatal(err)
		}
		go os.WriteFile(path, []byte(input.text), 0)
		trace, err := tracefile.Open(path, tracefile.Options{Salvage: true})
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		numbers, err := trace.Numbers(tracefile.Runs{All: true})
		if err != nil || len(numbers) != input.runs || len(trace.Damage()) != input.damaged {
			t.Errorf("%s: runs %v, %v, damage %v; want %d runs and %d errors", name, numbers, err, trace.Damage(), input.runs, input.damaged)
		}
		trace.Close()
	}
}

// TestSalvageDatabase: salvage keeps the runs that match their checksums, and lists the damage of the others.
func TestSalvageDatabase(t *testing.T) {
	path := filepath.Join(t.TempDir(), "trace.db")
	create(t, path, strings.Replace(twoRuns, `"kind":"crash"`, `"kind":"note","payload":{"is":"sound"}`, 1))
	content, err := os.ReadFile(path)
	if err != nil || bytes.Count(content, []byte("sound")) != 1 {
		t.Fatal(err, "expected the payload in the file")
	}
	for word, want := range map[string]string{
		"sound": "runs [1 2], damage []",
		"spoil": "runs [1], damage [" + path + ": run 2: the events do not match their check sum]",
	} {
		if err := os.WriteFile(path, bytes.Replace(content, []byte("sound"), []byte(word), 1), 0o600); err != nil {
			t.Fatal(err)
		}
		trace, err := tracefile.Open(path, tracefile.Options{Salvage: true})
		if err != nil {
			t.Fatal(err)
		}
		numbers, err := trace.Numbers(tracefile.Runs{All: true})
		if got := fmt.Sprintf("runs %v, damage %v", numbers, trace.Damage()); err != nil || got != want {
			t.Errorf("%s, %v, want %s", got, err, want)
		}
		trace.Close()
	}
}

// TestAppend: a database takes more runs, a file in JSON Lines does not.
func TestAppend(t *testing.T) {
	path := filepath.Join(t.TempDir(), "trace.db")
	create(t, path, twoRuns)
	create(t, path, twoRuns)
	trace, err := tracefile.Open(path, tracefile.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer trace.Close()
	if got := text(t, trace, "all"); got != twoRuns+twoRuns {
		t.Errorf("got\n%s", got)
	}
	path = filepath.Join(t.TempDir(), "runs.jsonl")
	writer, err := tracefile.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	defer writer.Discard()
	create(t, path, twoRuns) // meanwhile
	want := path + ": exists already; runs are appended to databases only, expected a new name"
	if err := writer.Commit(); err == nil || err.Error() != want {
		t.Errorf("Commit: %v, want %s", err, want)
	}
	if _, err := tracefile.Create(path); err == nil || err.Error() != want {
		t.Errorf("Create: %v, want %s", err, want)
	}
}

// TestDiscard: what is not committed never was.
func TestDiscard(t *testing.T) {
	folder := t.TempDir()
	for _, name := range []string{"trace.db", "runs.jsonl"} {
		writer, err := tracefile.Create(filepath.Join(folder, name))
		if err != nil {
			t.Fatal(err)
		}
		if err := tracefmt.Copy(writer, memories(t, twoRuns)[0], nil); err != nil {
			t.Fatal(err)
		}
		if err := writer.Discard(); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	if left, _ := os.ReadDir(folder); len(left) > 0 {
		t.Errorf("left: %v", left)
	}
}

// TestLongStream: a stream that is too long for memory goes to a file which is
// gone when the trace is closed, and when it cannot be read.
func TestLongStream(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	// White space between the lines is read over.
	long := twoRuns + strings.Repeat(strings.Repeat(" ", 1000)+"\n", 9000) + twoRuns
	trace, err := tracefile.Open("-", tracefile.Options{Stdin: strings.NewReader(long)})
	if err != nil {
		t.Fatal(err)
	}
	if got := text(t, trace, "all"); got != twoRuns+twoRuns {
		t.Errorf("got\n%s", got)
	}
	if err := trace.Close(); err != nil {
		t.Error(err)
	}
	if _, err := tracefile.Open("-", tracefile.Options{Stdin: strings.NewReader(long + "{")}); err == nil ||
		!strings.HasPrefix(err.Error(), "-: line 9013: ") {
		t.Errorf("damaged: %v", err)
	}
	failed := errors.New("the line is cut")
	for _, before := range []string{twoRuns, long} {
		_, err := tracefile.Open("-", tracefile.Options{Stdin: io.MultiReader(strings.NewReader(before), iotest.ErrReader(failed))})
		if !errors.Is(err, failed) || !strings.HasPrefix(err.Error(), "-: ") {
			t.Errorf("error %v", err)
		}
	}
	if left, _ := os.ReadDir(os.Getenv("TMPDIR")); len(left) > 0 {
		t.Errorf("left: %v", left)
	}
}

// TestParquet: a Parquet file, whatever its name, and a folder of them are named as such.
func TestParquet(t *testing.T) {
	folder := t.TempDir()
	file := filepath.Join(folder, "run=1", "process=a", "part-0.parquet")
	if err := os.MkdirAll(filepath.Dir(file), 0o777); err != nil {
		t.Fatal(err)
	}
	trace := filepath.Join(folder, "trace.db")
	for _, name := range []string{file, trace} {
		if err := os.WriteFile(name, []byte("PAR1 and more"), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	for _, path := range []string{file, trace, folder} {
		_, err := tracefile.Open(path, tracefile.Options{})
		want := path + ": this is Parquet, expected a database or JSON Lines, as etrace-parquet cat writes them"
		if !errors.Is(err, tracedb.ErrParquet) || err.Error() != want {
			t.Errorf("got %v, want %s", err, want)
		}
	}
	_, err := tracefile.Open(t.TempDir(), tracefile.Options{})
	if !errors.Is(err, tracedb.ErrNotTrace) || errors.Is(err, tracedb.ErrParquet) {
		t.Errorf("an empty folder: %v", err)
	}
}

// TestErrors: one line, which names the trace.
func TestErrors(t *testing.T) {
	folder := t.TempDir()
	database := filepath.Join(folder, "trace.db")
	create(t, database, twoRuns)
	content, err := os.ReadFile(database)
	if err != nil {
		t.Fatal(err)
	}
	for input, want := range map[string]string{
		string(content): "-: a database cannot be read from a stream, expected JSON Lines as etrace export writes them",
		"":              `-: no run, expected a first line {"format":"etrace/1", …}`,
		"{}\n":          "-: line 1: ",
		"PAR1\x15\x04":  "-: this is Parquet, expected a database or JSON Lines, as etrace-parquet cat writes them",
	} {
		if _, err := tracefile.Open("-", tracefile.Options{Stdin: strings.NewReader(input)}); err == nil ||
			!strings.HasPrefix(err.Error(), want) {
			t.Errorf("error %v, want %s", err, want)
		}
	}
	if _, err := tracefile.Open(filepath.Join(folder, "none"), tracefile.Options{}); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("error %v", err)
	}
	empty := filepath.Join(folder, "empty.db")
	create(t, empty, "")
	trace, err := tracefile.Open(empty, tracefile.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer trace.Close()
	for _, err := range trace.Recordings(tracefile.Runs{}) {
		if want := empty + ": the trace has no runs"; err == nil || err.Error() != want {
			t.Errorf("error %v, want %s", err, want)
		}
	}
	if _, err := tracefile.ParseRuns("first"); err == nil ||
		err.Error() != `"first": expected numbers from 1, such as 2 or 1,3-5, last, or all` {
		t.Errorf("error %v", err)
	}
}

// TestRecordFails: after an error of the program no trace is left, though a run has begun.
func TestRecordFails(t *testing.T) {
	path := filepath.Join(t.TempDir(), "run.db")
	failed := errors.New("failed")
	err := tracefile.Record(path, func(sink tracefmt.Sink) error {
		run := tracefmt.Run{TimeUnit: tracefmt.Delays, Members: []tracefmt.Member{{Name: "a", Position: 1}}}
		return errors.Join(sink.Begin(&run), sink.Finish(tracefmt.Stopped), failed)
	})
	if _, missing := os.Stat(path); !errors.Is(err, failed) || missing == nil {
		t.Errorf("%v, the file: %v", err, missing)
	}
}
