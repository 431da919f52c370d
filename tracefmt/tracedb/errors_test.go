package tracedb

import (
	"errors"
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
