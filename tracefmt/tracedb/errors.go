package tracedb

import (
	"database/sql/driver"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"os"
	"strings"
	"syscall"

	"github.com/mattn/go-sqlite3"

	"etrace/tracefmt"
)

// The kinds of errors, for errors.Is.
var (
	// ErrNotTrace means that etrace did not write the file as a trace.
	ErrNotTrace = errors.New("not an etrace trace")
	// ErrParquet means that the file or folder is Parquet, which etrace-parquet reads. It is also an ErrNotTrace.
	ErrParquet = fmt.Errorf("%w but Parquet", ErrNotTrace)
	// errNotResults means that etrace sweep did not write the file.
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

// isDamage reports whether SQLite calls the file damaged.
func isDamage(err error) bool {
	var e *Error
	return errors.As(err, &e) && e.Kind == ErrDamaged && e.cause != nil
}

// readFaultOr returns the error of a writer after it was closed. If SQLite reported damage, but the file
// cannot be read, it returns the error of reading, see readFault.
func readFaultOr(path string, err error) error {
	if isDamage(err) {
		if fault := readFault(path); fault != nil {
			return fault
		}
	}
	return err
}

// readFault returns the error of reading the file at path; nil if the file can be read, so that its contents are
// damaged. SQLite reports a failed read as damage (SQLITE_IOERR_CORRUPTFS). A second reading finds a read that
// fails each time, and SQLite's check finds a file without damage, for which a read failed once.
//
// The process must hold no lock on the file, since closing a file drops the locks of the process.
func readFault(path string) error {
	for _, name := range []string{path, path + "-wal"} {
		if at, err := readWhole(name); err != nil && !errors.Is(err, fs.ErrNotExist) {
			e := pathError(name, err).(*Error)
			e.Text = fmt.Sprintf("reading at byte %d failed: %s", at, e.Text)
			return e
		}
	}
	c := &conn{path: path} // without a readFault, which would call itself
	if c.open(busyTimeout, path, "ro") != nil {
		return nil
	}
	defer c.Close()
	c.SetLimit(sqlite3.SQLITE_LIMIT_LENGTH, maxValue) // the schema may be hostile, and may compute columns
	answer := ""
	err := c.each("PRAGMA integrity_check(1)", func(row []driver.Value) error {
		answer = textOf(row[0])
		return nil
	})
	if err != nil || answer != "ok" {
		return nil
	}
	return &Error{Path: path, Text: "a read failed once, and the file is not damaged: repeat the command", Kind: syscall.EIO}
}

// readWhole reads a file to its end, by the system call that SQLite uses. It returns how many bytes were read.
func readWhole(path string) (int64, error) {
	f, err := os.Open(path)
	if err != nil {
		return 0, err
	}
	defer f.Close()
	return io.Copy(io.Discard, io.NewSectionReader(f, 0, math.MaxInt64))
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
