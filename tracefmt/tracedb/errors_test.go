package tracedb

import (
	"errors"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/mattn/go-sqlite3"
)

// TestSystemError: the text of SQLite's error already contains the system's message, so it is not repeated.
func TestSystemError(t *testing.T) {
	err := sqliteError("trace.db", sqlite3.Error{Code: sqlite3.ErrIoErr, SystemErrno: syscall.EIO})
	if want := "trace.db: disk I/O error: input/output error"; err.Error() != want || !errors.Is(err, syscall.EIO) {
		t.Errorf("got %v, want %s", err, want)
	}
}

// TestReadFaults: SQLite reports a failed read as damage. A second reading finds which it was.
func TestReadFaults(t *testing.T) {
	folder := t.TempDir()
	good, bad := filepath.Join(folder, "good.db"), filepath.Join(folder, "bad.db")
	mustSave(t, good, longRun(1000))
	text, err := os.ReadFile(good)
	if err != nil {
		t.Fatal(err)
	}
	for i := range 4096 { // a page within the events
		text[len(text)/2+i] ^= 0xff
	}
	if err := os.WriteFile(bad, text, 0o600); err != nil {
		t.Fatal(err)
	}
	corrupt := sqlite3.Error{Code: sqlite3.ErrCorrupt}
	for _, test := range []struct {
		path, want string
		kind       error
	}{
		{good, good + ": a read failed once, and the file is not damaged: repeat the command", syscall.EIO},
		{bad, bad + ": the file is damaged: " + corrupt.Error(), ErrDamaged},
		{folder, folder + ": reading at byte 0 failed: is a directory", syscall.EISDIR},
	} {
		c := &conn{path: test.path, readFault: func() error { return readFault(test.path) }}
		if err := c.wrapError(corrupt); err.Error() != test.want || !errors.Is(err, test.kind) {
			t.Errorf("got %v, want %s", err, test.want)
		}
		if err := readFaultOr(test.path, sqliteError(test.path, corrupt)); err.Error() != test.want || !errors.Is(err, test.kind) {
			t.Errorf("a writer: got %v, want %s", err, test.want)
		}
	}
}
