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
	// ErrParquet: it is Parquet, a file or a folder, which etrace-parquet reads. It is an ErrNotTrace, too.
	ErrParquet = fmt.Errorf("%w but Parquet", ErrNotTrace)
	// ErrNotResults: the file is something else, or not what etrace sweep made.
	errNotResults = errors.New("not results of etrace sweep")
	// ErrVersion: the file is a trace of a schema that is not known here.
	errVersion = errors.New("unknown schema version")
	// ErrDamaged: the file is a trace, but cut or with wrong contents.
	ErrDamaged = errors.New("damaged trace")
	// ErrBusy: another process held the file for longer than was waited.
	errBusy = errors.New("trace is busy")
	// ErrNoRun: the trace has no run of that number.
	errNoRun = errors.New("no such run")
	// ErrNotQuery: the SQL is not a single statement that only reads.
	errNotQuery = errors.New("not a query")
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
	// cause is what SQLite said, or nil.
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

// Unwrap returns the kind, and what SQLite said.
func (e *Error) Unwrap() (errs []error) {
	for _, err := range []error{e.Kind, e.cause} {
		if err != nil {
			errs = append(errs, err)
		}
	}
	return errs
}

// sqliteError turns what SQLite reported about the file into an [*Error].
// Other errors it returns as they are.
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
		e.Text, e.Kind = "the file is damaged: "+strings.Join(strings.Fields(se.Error()), " "), ErrDamaged // it may quote the file
	default:
		e.Text = se.Error()
		if se.SystemErrno != 0 {
			e.Kind = se.SystemErrno // its text is in that of the error
		}
	}
	return e
}
