package tracedb

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"etrace/tracefmt"
	"etrace/tracefmt/atomicfile"
)

// waysToGo are what others may do to a trace while it is recorded into.
var waysToGo = map[string]func(path string) error{
	"removed": os.Remove,
	"moved":   func(path string) error { return os.Rename(path, path+".away") },
	"replaced": func(path string) error {
		moved := path + ".other"
		if err := save(moved, election()); err != nil {
			return err
		}
		return os.Rename(moved, path)
	},
}

// TestGoneWhileAppending: runs in an unreachable file are not reported as recorded.
func TestGoneWhileAppending(t *testing.T) {
	for name, do := range waysToGo {
		path := filepath.Join(t.TempDir(), "t.db")
		mustSave(t, path, election())
		a, err := OpenAppend(path)
		if err == nil {
			err = tracefmt.Copy(a, election(), nil)
		}
		if err == nil {
			err = do(path)
		}
		if err != nil {
			t.Fatal(err)
		}
		if err := a.Commit(); !errors.Is(err, atomicfile.ErrGone) {
			t.Errorf("%s: error %v, want %v", name, err, atomicfile.ErrGone)
		}
		a.Discard()
		for _, left := range []string{path, path + ".away"} {
			if db, err := Open(left); err == nil {
				runs, err := db.Runs()
				if len(runs) != 1 || err != nil {
					t.Errorf("%s: %s has %d runs, %v, want the one that was there", name, left, len(runs), err)
				}
				db.Close()
			}
		}
		if left, _ := filepath.Glob(filepath.Dir(path) + "/*-journal"); left != nil {
			t.Errorf("%s: %q is left", name, left)
		}
	}
}

// TestGoneWhileLive: the next commit fails, and so does Close.
func TestGoneWhileLive(t *testing.T) {
	for name, do := range waysToGo {
		for _, flush := range []bool{true, false} {
			path := filepath.Join(t.TempDir(), "t.db")
			l, err := OpenLive(path, LiveOptions{})
			if err != nil {
				t.Fatal(err)
			}
			run := *election().Run()
			if err := errors.Join(l.Begin(&run), do(path)); err != nil {
				t.Fatal(err)
			}
			if flush {
				if err := l.flush(); !errors.Is(err, atomicfile.ErrGone) {
					t.Errorf("%s: Flush: error %v, want %v", name, err, atomicfile.ErrGone)
				}
			}
			if err := l.Close(); !errors.Is(err, atomicfile.ErrGone) {
				t.Errorf("%s: Close: error %v, want %v", name, err, atomicfile.ErrGone)
			}
		}
	}
}

// TestReadOnlyForAll: the mode of a trace counts for root, too.
func TestReadOnlyForAll(t *testing.T) {
	path := filepath.Join(t.TempDir(), "t.db")
	mustSave(t, path, election())
	if err := os.Chmod(path, 0o444); err != nil {
		t.Fatal(err)
	}
	want := path + ": is read-only; expected a file that may be written"
	_, appending := OpenAppend(path)
	_, live := OpenLive(path, LiveOptions{})
	for name, err := range map[string]error{"append": appending, "live": live, "verdicts": SaveVerdicts(path, nil)} {
		if !errors.Is(err, fs.ErrPermission) || err.Error() != want {
			t.Errorf("%s: error %v, want %s", name, err, want)
		}
	}
}

// TestStaleJournal: the next command removes the journal of a writer that was
// killed before it changed anything, but not that of one who is at work.
func TestStaleJournal(t *testing.T) {
	path := filepath.Join(t.TempDir(), "t.db")
	journal := path + "-journal"
	mustSave(t, path, election())
	open := func() {
		t.Helper()
		db, err := Open(path)
		if err != nil {
			t.Fatal(err)
		}
		if runs, err := db.Runs(); len(runs) != 1 || err != nil {
			t.Errorf("%d runs, %v", len(runs), err)
		}
		db.Close()
	}
	a, err := appendTo(path)
	if err == nil {
		err = tracefmt.Copy(a, election(), nil)
	}
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(journal); err != nil {
		t.Fatalf("a writer at work has no journal: %v", err)
	}
	open()
	if _, err := os.Stat(journal); err != nil {
		t.Errorf("a reader removed the journal of a writer at work: %v", err)
	}
	if err := a.Discard(); err != nil {
		t.Error(err)
	}
	if err := os.WriteFile(journal, make([]byte, 512), 0o666); err != nil {
		t.Fatal(err)
	}
	open()
	if _, err := os.Stat(journal); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the journal of a dead writer is still there: %v", err)
	}
}
