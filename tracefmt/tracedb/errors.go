package tracedb

import (
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"syscall"

	"github.com/mattn/go-sqlite3"

	"etrace/tracefmt"
)

// What can be wrong with a trace, to be asked for with errors.Is.
var (
	// ErrNotTrace: the file is something else, or not what etrace made.
	ErrNotTrace = errors.New("not an etrace trace")
	// ErrVersion: the file is a trace of a schema that is not known here.
	ErrVersion = errors.New("unknown schema version")
	// ErrDamaged: the file is a trace, but cut or with wrong contents.
	ErrDamaged = errors.New("damaged trace")
	// ErrBusy: another process held the file for longer than was waited.
	ErrBusy = errors.New("trace is busy")
	// ErrNoRun: the trace has no run of that number.
	ErrNoRun = errors.New("no such run")
	// ErrNotQuery: the SQL is not a single statement that only reads.
	ErrNotQuery = errors.New("not a query")
)

// Error is what the functions of this package return when a trace is at
// fault: where, and what was found and expected, in one line.
type Error struct {
	Path string
	// Run and Seq are the place, 0 where none can be told.
	Run  int
	Seq  tracefmt.Seq
	Text string
	// Kind is one of the errors above or what the operating system said, or
	// nil.
	Kind error
}

func (e *Error) Error() string {
	var b strings.Builder
	b.WriteString(e.Path)
	if e.Run != 0 {
		fmt.Fprintf(&b, ": run %d", e.Run)
	}
	if e.Seq != 0 {
		fmt.Fprintf(&b, " seq %d", e.Seq)
	}
	return b.String() + ": " + e.Text
}

// Unwrap returns the kind.
func (e *Error) Unwrap() error { return e.Kind }

// sqliteError turns what SQLite reported about the file into an [*Error].
// Other errors it returns as they are.
func sqliteError(path string, err error) error {
	var se sqlite3.Error
	if !errors.As(err, &se) {
		return err
	}
	switch se.Code {
	case sqlite3.ErrBusy, sqlite3.ErrLocked:
		return &Error{Path: path, Text: "another process is writing to it", Kind: ErrBusy}
	case sqlite3.ErrFull:
		return &Error{Path: path, Text: "no space left to write", Kind: syscall.ENOSPC}
	case sqlite3.ErrReadonly, sqlite3.ErrPerm:
		return &Error{Path: path, Text: "no permission to write to it", Kind: fs.ErrPermission}
	case sqlite3.ErrCorrupt, sqlite3.ErrNotADB, sqlite3.ErrFormat:
		return &Error{Path: path, Text: "the file is damaged: " + se.Error(), Kind: ErrDamaged}
	}
	e := &Error{Path: path, Text: se.Error()}
	if se.SystemErrno != 0 {
		e.Text, e.Kind = fmt.Sprintf("%s: %s", se.Error(), se.SystemErrno), se.SystemErrno
	}
	return e
}
