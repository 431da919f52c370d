package tracedb

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"etrace/tracefmt"
	"etrace/tracefmt/atomicfile"
)

// TestPausedReader: a reader that pauses within a run, like a pager, blocks no writer (a waiting writer would
// fail after busyTimeout), and continues with the same data.
func TestPausedReader(t *testing.T) {
	path := filepath.Join(t.TempDir(), "trace.db")
	mustSave(t, path, election(), longRun(3*batchEvents))
	db, err := Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	r, err := db.Recording(2)
	if err != nil {
		t.Fatal(err)
	}
	var events int
	for e, err := range r.Events(1) {
		if err != nil {
			t.Fatal(err)
		}
		events++
		if e.Seq != 10 {
			continue
		}
		mustSave(t, path, election())
		if err := SaveVerdicts(path, []Verdict{{Run: 2, Property: "a", Verdict: "satisfied"}}); err != nil {
			t.Error(err)
		}
	}
	if events != 3*batchEvents {
		t.Errorf("%d events were read", events)
	}
	expectRun(t, path, 3, election())
}

// TestPausedReaderOfLive: of a run that grows, a reader sees what was there when
// it asked, with the types of then.
func TestPausedReaderOfLive(t *testing.T) {
	path := filepath.Join(t.TempDir(), "trace.db")
	l, err := OpenLive(path, LiveOptions{Interval: time.Hour})
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	run := *pingPong(0).Run()
	if err := l.Begin(&run); err != nil {
		t.Fatal(err)
	}
	note := func(seq int, typ string) {
		t.Helper()
		if err := l.Write(&tracefmt.Event{Seq: tracefmt.Seq(seq), Kind: tracefmt.Note, Process: 1, Type: typ}); err != nil {
			t.Fatal(err)
		}
	}
	for seq := range 2 * batchEvents {
		note(seq+1, "first")
	}
	if err := l.flush(); err != nil {
		t.Fatal(err)
	}
	db, err := Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	r, err := db.Recording(1)
	if err != nil {
		t.Fatal(err)
	}
	events := 0
	for e, err := range r.Events(1) {
		if err != nil {
			t.Fatal(err)
		}
		events++
		if e.Seq == 10 {
			note(2*batchEvents+1, "second")
			if err := l.flush(); err != nil {
				t.Fatal(err)
			}
		}
	}
	if events != 2*batchEvents {
		t.Errorf("%d events", events)
	}
}

// TestSurvey: a damaged run does not lock out the others.
func TestSurvey(t *testing.T) {
	path := filepath.Join(t.TempDir(), "trace.db")
	mustSave(t, path, election(), election(), election())
	change(t, path, "UPDATE run SET name = 'other' WHERE run = 2")
	db, err := Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	runs, damage, err := db.Survey()
	if err != nil || len(runs) != 2 || runs[0].Number != 1 || runs[1].Number != 3 {
		t.Errorf("%d runs, %v", len(runs), err)
	}
	if want := path + ": run 2: the description of the run does not match its check sum"; len(damage) != 1 || damage[0].Error() != want {
		t.Errorf("damage %v, want %s", damage, want)
	}
	if _, err := db.Recording(2); !errors.Is(err, ErrDamaged) {
		t.Errorf("the damaged run: %v", err)
	}
	expectRun(t, path, 1, election())
	expectRun(t, path, 3, election())
	if _, _, err := load(path, 4); err == nil || err.Error() != path+": no run 4, the trace has runs 1-3" {
		t.Errorf("a run that is not there: %v", err)
	}
}

// TestGapInBatch: the events before a missing one are returned, also at the edges of batches.
func TestGapInBatch(t *testing.T) {
	path := filepath.Join(t.TempDir(), "trace.db")
	mustSave(t, path, longRun(3*batchEvents))
	good, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for _, missing := range []tracefmt.Seq{1, 2, batchEvents, batchEvents + 1, 2*batchEvents - 1, 3 * batchEvents} {
		if err := os.WriteFile(path, good, 0o666); err != nil {
			t.Fatal(err)
		}
		c, err := connect(path, path, "rw")
		if err != nil {
			t.Fatal(err)
		}
		if err := c.exec("DELETE FROM event WHERE id = ?", int64(missing)); err != nil {
			t.Fatal(err)
		}
		c.Close()
		_, events, err := load(path, 1)
		var damage *Error
		if !errors.As(err, &damage) || damage.Seq != missing || len(events) != int(missing)-1 {
			t.Errorf("without event %d: %d events, %v", missing, len(events), err)
		}
	}
}

// TestKept: runs that cannot be added to their trace are kept in a file of their own. The error names this file
// and the blocking process.
func TestKept(t *testing.T) {
	defer func(before time.Duration) { busyTimeout = before }(busyTimeout)
	busyTimeout = 200 * time.Millisecond
	folder := t.TempDir()
	path := filepath.Join(folder, "trace.db")
	mustSave(t, path, election())
	before := hash(t, path)
	killed(t, "read", path, func() {
		err := save(path, longRun(20), election())
		var kept *KeptError
		if !errors.As(err, &kept) || !errors.Is(err, errBusy) || kept.Kept != path+".run-1" {
			t.Fatalf("error %v", err)
		}
		if readerOf(path) != "" && !strings.HasPrefix(err.Error(), path+": process ") {
			t.Errorf("error %v, expected it to name the reader", err)
		}
	})
	if hash(t, path) != before {
		t.Error("the trace has changed")
	}
	expectRun(t, path+".run-1", 2, longRun(20))
	expectRun(t, path+".run-1", 3, election())
	mustSave(t, path, election())
	expectFolder(t, folder, "trace.db", "trace.db.run-1")
}

// TestKeptOfDeleted: so are those whose trace is gone.
func TestKeptOfDeleted(t *testing.T) {
	path := filepath.Join(t.TempDir(), "trace.db")
	mustSave(t, path, election())
	a, err := OpenAppend(path)
	if err != nil {
		t.Fatal(err)
	}
	defer a.Discard()
	if err := tracefmt.Copy(a, longRun(20), nil); err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	var kept *KeptError
	if err := a.Commit(); !errors.As(err, &kept) || !errors.Is(err, atomicfile.ErrGone) {
		t.Fatalf("error %v", err)
	}
	expectRun(t, kept.Kept, 2, longRun(20))
}

// TestNotKept: if the runs cannot be kept either, the error states it.
func TestNotKept(t *testing.T) {
	path := filepath.Join(t.TempDir(), "trace.db")
	mustSave(t, path, election())
	a, err := OpenAppend(path)
	if err != nil {
		t.Fatal(err)
	}
	defer a.Discard()
	if err := tracefmt.Copy(a, longRun(20), nil); err != nil {
		t.Fatal(err)
	}
	if err := os.RemoveAll(filepath.Dir(path)); err != nil {
		t.Fatal(err)
	}
	var kept *KeptError
	if err := a.Commit(); errors.As(err, &kept) || !errors.Is(err, atomicfile.ErrGone) ||
		!errors.Is(err, os.ErrNotExist) || !strings.Contains(err.Error(), "is lost") {
		t.Errorf("error %v", err)
	}
}

// TestWritersDoNotWait: a long recording blocks no writer, and runs are numbered in the order in which they are
// added.
func TestWritersDoNotWait(t *testing.T) {
	folder := t.TempDir()
	path := filepath.Join(folder, "trace.db")
	mustSave(t, path, election())
	a, err := OpenAppend(path)
	if err != nil {
		t.Fatal(err)
	}
	defer a.Discard()
	slow := longRun(20)
	if err := tracefmt.Copy(a, slow, nil); err != nil {
		t.Fatal(err)
	}
	mustSave(t, path, election())
	if err := a.Commit(); err != nil {
		t.Fatal(err)
	}
	expectRun(t, path, 2, election())
	expectRun(t, path, 3, longRun(20))
	expectFolder(t, folder, "trace.db")
}
