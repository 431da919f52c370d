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

// The kinds of errors, for errors.Is.
var (
	// ErrNotTrace: the file is something else, or was not made by etrace.
	ErrNotTrace = errors.New("not an etrace trace")
	// ErrParquet: the file or folder is Parquet, which etrace-parquet reads. It is also an ErrNotTrace.
	ErrParquet = fmt.Errorf("%w but Parquet", ErrNotTrace)
	// errNotResults: the file is something else, or was not made by etrace sweep.
	errNotResults = errors.New("not results of etrace sweep")
	// errVersion: the file is a trace with an unknown schema version.
	errVersion = errors.New("unknown schema version")
	// ErrDamaged: the file is a trace that is cut or has wrong contents.
	ErrDamaged = errors.New("damaged trace")
	// errBusy: another process held the file for too long.
	errBusy = errors.New("trace is busy")
	// errNoRun: the trace has no run with the number.
	errNoRun = errors.New("no such run")
	// errNotQuery: the SQL is not a single read-only statement.
	errNotQuery = errors.New("not a query")
)

// Error is the error for a faulty trace: the place, what was found, and what was expected, in one line.
type Error struct {
	Path string
	// Run and Seq are the place, 0 if unknown.
	Run  int
	Seq  tracefmt.Seq
	Text string
	// Kind is one of the errors above, an error of the operating system, or nil.
	Kind error
	// cause is the error of SQLite, or nil.
	cause error
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

// Unwrap returns the kind and the error of SQLite.
func (e *Error) Unwrap() (errs []error) {
	for _, err := range []error{e.Kind, e.cause} {
		if err != nil {
			errs = append(errs, err)
		}
	}
	return errs
}

// sqliteError turns an error of SQLite about the file into an [*Error]. It returns other errors unchanged.
func sqliteError(path string, err error) error {
	var se sqlite3.Error
	if !errors.As(err, &se) {
		return err
	}
	e := &Error{Path: path, cause: se}
	switch se.Code {
	case sqlite3.ErrBusy, sqlite3.ErrLocked:
		e.Text, e.Kind = "another process is writing to it", errBusy
	case sqlite3.ErrFull:
		e.Text, e.Kind = "no space left to write", syscall.ENOSPC
	case sqlite3.ErrReadonly, sqlite3.ErrPerm:
		e.Text, e.Kind = "no permission to write to it", fs.ErrPermission
	case sqlite3.ErrCorrupt, sqlite3.ErrNotADB, sqlite3.ErrFormat:
		e.Text, e.Kind = "the file is damaged: "+strings.Join(strings.Fields(se.Error()), " "), ErrDamaged // the message may quote the file
	default:
		e.Text = se.Error()
		if se.SystemErrno != 0 {
			e.Kind = se.SystemErrno // SQLite's text already contains its text
		}
	}
	return e
}
