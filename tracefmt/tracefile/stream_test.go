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
	"etrace/tracefmt/tracefile"
)

// passing opens what is to be read as it comes.
func passing(path, stdin string) (*tracefile.Trace, error) {
	return tracefile.Open(path, tracefile.Options{Stdin: iotest.OneByteReader(strings.NewReader(stdin)), Passing: true})
}

// TestPassing: runs that are read as they come are those of the text, once, again, from
// somewhere else on, and also if somebody stops in the middle.
func TestPassing(t *testing.T) {
	folder := t.TempDir()
	file, pipe := filepath.Join(folder, "runs.jsonl"), filepath.Join(folder, "pipe")
	create(t, file, twoRuns)
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Fatal(err)
	}
	third := strings.Index(twoRuns, `{"format":"etrace/1","name":"second"`)
	for _, path := range []string{tracefile.Stream, file, pipe} {
		for selection, want := range map[string]string{"all": twoRuns, "1": twoRuns[:third], "2": twoRuns[third:], "last": twoRuns[third:]} {
			runs, err := tracefile.ParseRuns(selection)
			if err != nil {
				t.Fatal(err)
			}
			for _, mode := range []string{"once", "not at all", "stopped", "from 1, twice at a time"} {
				if path == pipe {
					go os.WriteFile(path, []byte(twoRuns), 0)
				}
				trace, err := passing(path, twoRuns)
				if err != nil {
					t.Fatal(err)
				}
				if !trace.Coming() || trace.ReadThrough() {
					t.Errorf("%s: all was read", path)
				}
				var got [2]bytes.Buffer
				for n, err := range trace.Each(runs) {
					if err != nil {
						t.Fatal(err)
					}
					rec, err := trace.Recording(n)
					if err != nil {
						t.Fatal(err)
					}
					read(t, rec, mode)
					for i := range got {
						if err := tracefmt.Copy(tracefile.NewWriter(&got[i]), rec, nil); err != nil {
							t.Fatal(err)
						}
					}
				}
				for i := range got {
					if got[i].String() != want {
						t.Errorf("%s, run %s, %s: got\n%s\nwant\n%s", path, selection, mode, got[i].String(), want)
					}
				}
				if trace.Coming() {
					t.Errorf("%s: more is to come", path)
				}
				if err := trace.Close(); err != nil {
					t.Error(err)
				}
			}
		}
	}
}

// read reads a run for the first time, or a part of it.
func read(t *testing.T, rec tracefmt.Recording, mode string) {
	t.Helper()
	count := func() (n int64) {
		for _, err := range rec.Events(1) {
			if err != nil {
				t.Fatal(err)
			}
			n++
		}
		return n
	}
	switch mode {
	case "once":
		if n := count(); n != 1 || rec.Run().Events != 1 || rec.Run().End == tracefmt.Open {
			t.Errorf("%d events, and the run says %d, %s", n, rec.Run().Events, rec.Run().End)
		}
	case "stopped":
		for range rec.Events(1) {
			break
		}
	case "from 1, twice at a time":
		for range rec.Events(1) {
			if n := count(); n != 1 {
				t.Errorf("%d events", n)
			}
		}
	}
}

// TestPassingTold: a declaration of the user applies from the beginning, and the end of a run is known at the
// end.
func TestPassingTold(t *testing.T) {
	tells, err := tracefmt.ParseCompleteness("timers=none")
	if err != nil {
		t.Fatal(err)
	}
	trace, err := tracefile.Open(tracefile.Stream, tracefile.Options{Stdin: strings.NewReader(twoRuns), Passing: true, Completeness: tells})
	if err != nil {
		t.Fatal(err)
	}
	defer trace.Close()
	rec, err := trace.Recording(1)
	if err != nil {
		t.Fatal(err)
	}
	run := rec.Run()
	if run.Completeness == nil || run.Events != 0 || run.End != tracefmt.Open {
		t.Errorf("at the beginning: %+v", run)
	}
	if err := tracefmt.Verify(t.Context(), rec); err != nil {
		t.Fatal(err)
	}
	if run := rec.Run(); run.Events != 1 || run.End != tracefmt.Quiescent {
		t.Errorf("in the end: %d events, %s", run.Events, run.End)
	}
}

// TestPassingWrong: each mistake is reported when it arrives, with its line, in any run; other data than a
// trace is rejected at once.
func TestPassingWrong(t *testing.T) {
	second := strings.Index(twoRuns, `{"seq":1,"time":0,"process":"1","kind":"crash"`)
	bad := twoRuns[:second] + "{\"seq\":2,\"time\":0,\"process\":\"1\",\"kind\":\"crash\"}\n"
	const want = "-: line 5: seq 2: seq 2 follows seq 0, expected 1"
	for _, text := range []string{"all", "last", "1", "2", "1-2"} {
		selection, err := tracefile.ParseRuns(text)
		if err != nil {
			t.Fatal(err)
		}
		trace, err := passing(tracefile.Stream, bad)
		if err != nil {
			t.Fatal(err)
		}
		var failed error
		for n, err := range trace.Each(selection) {
			failed = errors.Join(failed, err)
			if err != nil {
				break
			}
			rec, err := trace.Recording(n)
			if err == nil {
				err = tracefmt.Verify(t.Context(), rec)
			}
			failed = errors.Join(failed, err)
			if err != nil {
				break
			}
		}
		if failed == nil || failed.Error() != want {
			t.Errorf("%+v: got %v, want %s", selection, failed, want)
		}
		trace.Close()
	}
	var foreign *tracefile.ForeignError
	if _, err := passing(tracefile.Stream, "hello\n"); !errors.As(err, &foreign) || !strings.HasPrefix(string(foreign.Head), "h") {
		t.Errorf("got %v", err)
	}
	if _, err := passing(tracefile.Stream, "{\"hello\":1}\n"); !errors.As(err, &foreign) || !strings.HasPrefix(string(foreign.Head), "{") {
		t.Errorf("got %v", err)
	}
	down := errors.New("the line is down")
	trace, err := tracefile.Open(
		tracefile.Stream,
		tracefile.Options{Stdin: io.MultiReader(strings.NewReader(twoRuns), iotest.ErrReader(down)), Passing: true},
	)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := trace.Numbers(tracefile.Runs{}); !errors.Is(err, down) || !strings.HasPrefix(err.Error(), "-: line 7: ") {
		t.Errorf("got %v", err)
	}
	trace.Close()
}

// TestPassingLong: a long stream is stored in a file that disappears afterwards. If there is no place for it,
// there is an error.
func TestPassingLong(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	var long strings.Builder
	fmt.Fprintln(&long, `{"format":"etrace/1","time_unit":"delay","members":[{"name":"1","position":1}]}`)
	const events = 12_000
	for i := range events {
		fmt.Fprintf(&long, `{"seq":%d,"time":0,"process":"1","kind":"note","payload":{"text":"%s"}}`+"\n", i+1, strings.Repeat("x", 1000))
	}
	trace, err := tracefile.Open(tracefile.Stream, tracefile.Options{Stdin: strings.NewReader(long.String()), Passing: true})
	if err != nil {
		t.Fatal(err)
	}
	rec, err := trace.Recording(1)
	if err != nil {
		t.Fatal(err)
	}
	for _, from := range []tracefmt.Seq{1, 1, 9000, events} {
		next := from
		for e, err := range rec.Events(from) {
			if err != nil || e.Seq != next {
				t.Fatalf("from %d: %v, %v, expected seq %d", from, e, err, next)
			}
			next++
		}
		if next != events+1 {
			t.Errorf("from %d up to %d", from, next)
		}
	}
	if err := trace.Close(); err != nil {
		t.Error(err)
	}
	if left, _ := os.ReadDir(os.Getenv("TMPDIR")); len(left) > 0 {
		t.Errorf("left: %v", left)
	}
	t.Setenv("TMPDIR", filepath.Join(os.Getenv("TMPDIR"), "none"))
	trace, err = tracefile.Open(tracefile.Stream, tracefile.Options{Stdin: strings.NewReader(long.String()), Passing: true})
	if err == nil {
		defer trace.Close()
		_, err = trace.Numbers(tracefile.Runs{})
	}
	if err == nil || !strings.Contains(err.Error(), "the stream is too long for memory and cannot be kept: ") {
		t.Errorf("got %v", err)
	}
}
