package tracedb

import (
	"context"
	"database/sql/driver"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/mattn/go-sqlite3"
)

// busyTimeout is the time for which a writer waits for another one. Tests shorten it.
var busyTimeout = 10 * time.Second

// conn is a connection to a file. It does not use database/sql, which costs more than the statements themselves
// when there are many rows. It is not safe for concurrent use.
type conn struct {
	*sqlite3.SQLiteConn
	path string // the path that the user gave, for errors
	// readFault is [readFault] for the file of a reader, computed once. It is nil for a writer, which may hold
	// locks.
	readFault func() error
}

// connect opens an existing file in the SQLite mode ro or rw. Errors name the file shown; the opened file is
// path.
func connect(path, shown, mode string) (*conn, error) {
	return connectWithin(busyTimeout, path, shown, mode)
}

// connectWithin is connect with a limit for waiting for other processes.
func connectWithin(patience time.Duration, path, shown, mode string) (*conn, error) {
	c := &conn{path: shown}
	if mode == "ro" {
		c.readFault = sync.OnceValue(func() error { return readFault(path) })
	}
	if err := c.open(patience, path, mode); err != nil {
		return nil, err
	}
	return c, nil
}

// open opens the file of the connection. After an error the connection is closed.
func (c *conn) open(patience time.Duration, path, mode string) error {
	uri, err := fileURI(path, mode)
	if err != nil {
		return err
	}
	dc, err := (&sqlite3.SQLiteDriver{}).Open(fmt.Sprintf("%s&_mutex=no&_busy_timeout=%d", uri, patience.Milliseconds()))
	if err != nil {
		return c.wrapError(err)
	}
	c.SQLiteConn = dc.(*sqlite3.SQLiteConn)
	// A file may come from anywhere: nothing in its schema may call functions with side effects, and its pages
	// are checked when loaded. The driver cannot set SQLITE_DBCONFIG_DEFENSIVE. That setting restricts SQL, and
	// only our own SQL reaches a connection past [authorize].
	err = c.exec("PRAGMA trusted_schema = OFF; PRAGMA cell_size_check = ON; PRAGMA writable_schema = OFF")
	if err != nil {
		c.Close()
	}
	return err
}

// fileURI returns the URI with which SQLite opens a file in a mode.
func fileURI(path, mode string) (string, error) {
	abs, err := filepath.Abs(path)
	if err != nil {
		return "", err
	}
	// An absolute path after an empty authority: a relative one could be
	// taken for the authority of a URI, or for a name like ":memory:".
	escaped := strings.NewReplacer("%", "%25", "?", "%3f", "#", "%23").Replace(filepath.ToSlash(abs))
	if !strings.HasPrefix(escaped, "/") {
		escaped = "/" + escaped
	}
	return fmt.Sprintf("file://%s?mode=%s", escaped, mode), nil
}

// exec runs SQL; several statements only without arguments.
func (c *conn) exec(sql string, args ...driver.Value) error {
	_, err := c.Exec(sql, args)
	return c.wrapError(err)
}

// wrapError is [sqliteError] for an error of the connection. A reader names the failed read where SQLite reports damage.
func (c *conn) wrapError(err error) error {
	err = sqliteError(c.path, err)
	if c.readFault != nil && isDamage(err) {
		if fault := c.readFault(); fault != nil {
			return fault
		}
	}
	return err
}

// prepare compiles one statement.
func (c *conn) prepare(sql string) (*sqlite3.SQLiteStmt, error) {
	st, err := c.Prepare(sql)
	if err != nil {
		return nil, c.wrapError(err)
	}
	return st.(*sqlite3.SQLiteStmt), nil
}

// each calls f with every row of the result. The row is reused.
func (c *conn) each(sql string, f func(row []driver.Value) error, args ...driver.NamedValue) (err error) {
	st, err := c.prepare(sql)
	if err != nil {
		return err
	}
	defer st.Close()
	rows, err := st.QueryContext(context.Background(), args)
	if err != nil {
		return c.wrapError(err)
	}
	defer rows.Close()
	row := make([]driver.Value, len(rows.Columns()))
	for {
		switch err := rows.Next(row); {
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
			return c.wrapError(err)
		}
		if err := f(row); err != nil {
			return err
		}
	}
}

// integer returns the only value of a result, which must be an integer.
func (c *conn) integer(sql string, args ...driver.NamedValue) (n int64, err error) {
	found := false
	err = c.each(sql, func(row []driver.Value) error {
		n, found = row[0].(int64)
		return nil
	}, args...)
	if err == nil && !found {
		err = c.errorf(ErrDamaged, "expected a number from %q", sql)
	}
	return n, err
}

// errorf returns an error about the file, of the given kind.
func (c *conn) errorf(kind error, format string, args ...any) error {
	return &Error{Path: c.path, Text: fmt.Sprintf(format, args...), Kind: kind}
}

// arg returns the value of the n-th parameter of a statement.
func arg(n int, v driver.Value) driver.NamedValue { return driver.NamedValue{Ordinal: n, Value: v} }

// textOf returns a text value, "" for all others.
func textOf(v driver.Value) string {
	s, _ := v.(string)
	return s
}

// nullText returns the value for a text: NULL for "".
func nullText(s string) driver.Value {
	if s == "" {
		return nil
	}
	return s
}

// nullJSON returns the value for JSON: NULL for nil.
func nullJSON(b []byte) driver.Value {
	if b == nil {
		return nil
	}
	return string(b)
}

// leaveWAL turns a trace with a write-ahead log into a single file. This fails without harm while others use
// it: SQLite keeps file and log together.
func (c *conn) leaveWAL() {
	c.exec("PRAGMA busy_timeout = 0")
	c.exec("PRAGMA journal_mode = DELETE")
}
