package tracedb

import (
	"context"
	"database/sql/driver"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/mattn/go-sqlite3"
)

// Query runs one read-only SQL statement on the views, or on any other table of the file. It returns
// [errNotQuery] for statements that write, attach files or change settings, and for several statements. It also
// fails if a value exceeds 64 MiB, or if SQLite needs more than 512 MiB; this limit applies to the whole
// process from then on. When ctx is done, the query stops with its error. slow, unless nil, is called before a statement runs
// that scans all events, or all messages, for each of many rows.
func (db *DB) Query(ctx context.Context, sql string, slow func()) (*Rows, error) {
	return db.source().query(ctx, sql, slow)
}

// source is a file that can be queried: a trace or results.
type source struct {
	path string
	// noun names the kind of file in messages: "a trace".
	noun string
	// views are the available views.
	views []string
	// open opens a connection that cannot write.
	open func() (*conn, error)
	// damage returns the damage that a statement may have read; touched are the tables that it reads.
	damage func(ctx context.Context, touched map[string]bool) []error
}

func (db *DB) source() *source {
	return &source{path: db.path, noun: "a trace", views: namesOf(objects, "view"), open: db.open, damage: db.damage}
}

// query runs a statement on a connection of its own, within the limits of value and memory.
func (s *source) query(ctx context.Context, sql string, slow func()) (*Rows, error) {
	if err := s.checkQuery(sql); err != nil {
		return nil, err
	}
	// The authorizer belongs to a connection, so each query has its own.
	c, err := s.open()
	if err != nil {
		return nil, err
	}
	r := &Rows{source: s, conn: c, ctx: ctx, touched: make(map[string]bool)}
	c.SetLimit(sqlite3.SQLITE_LIMIT_LENGTH, maxValue)
	if err := c.exec(fmt.Sprintf("PRAGMA hard_heap_limit = %d", maxMemory)); err != nil {
		r.Close()
		return nil, err
	}
	c.RegisterAuthorizer(r.authorize)
	if err := r.start(sql, slow); err != nil {
		r.Close()
		return nil, err
	}
	return r, nil
}

// maxValue is the limit for the bytes of a value, and maxMemory for the memory of SQLite. Even a one-line
// statement can request any amount.
const (
	maxValue  = 64 << 20
	maxMemory = 512 << 20
)

// notQuery returns the error for a statement that is no query.
func (s *source) notQuery(format string, args ...any) error {
	return &Error{Path: s.path, Text: fmt.Sprintf(format, args...), Kind: errNotQuery}
}

// checkQuery rejects texts that are no query, for better messages. The actual protection is the authorizer and a
// read-only connection.
func (s *source) checkQuery(sql string) error {
	if strings.Contains(sql, "\x00") {
		return s.notQuery("the SQL holds a NUL character")
	}
	switch word := firstWord(sql); word {
	case "SELECT", "WITH", "VALUES", "EXPLAIN": // these only read
	case "":
		return s.notQuery("expected a SELECT statement")
	default:
		return s.notQuery("%s is only read here, expected a SELECT statement, not %s", s.noun, word)
	}
	if next := afterStatement(sql); skipBlank(sql, next) < len(sql) {
		return s.notQuery("expected a single statement, but more follows after the first semicolon")
	}
	return nil
}

// firstWord returns the first word of a statement in capitals.
func firstWord(sql string) string {
	start := skipBlank(sql, 0)
	end := start
	for end < len(sql) && isLetter(sql[end]) {
		end++
	}
	return strings.ToUpper(sql[start:end])
}

func isLetter(c byte) bool { return 'a' <= c|0x20 && c|0x20 <= 'z' }

// skipBlank returns the index after white space and comments.
func skipBlank(sql string, i int) int {
	for i < len(sql) {
		switch {
		case strings.IndexByte(" \t\r\n\f", sql[i]) >= 0:
			i++
		case strings.HasPrefix(sql[i:], "--"):
			i = skipPast(sql, i+2, "\n")
		case strings.HasPrefix(sql[i:], "/*"):
			i = skipPast(sql, i+2, "*/")
		default:
			return i
		}
	}
	return i
}

// afterStatement returns the index after the first semicolon outside quotes and comments.
func afterStatement(sql string) int {
	for i := 0; i < len(sql); {
		if j := skipBlank(sql, i); j > i {
			i = j
			continue
		}
		switch c := sql[i]; c {
		case ';':
			return i + 1
		case '\'', '"', '`': // a doubled quote is two quoted parts
			i = skipPast(sql, i+1, string(c))
		case '[':
			i = skipPast(sql, i+1, "]")
		default:
			i++
		}
	}
	return len(sql)
}

// skipPast returns the index after the next occurrence of end, or the length of the text.
func skipPast(sql string, i int, end string) int {
	if n := strings.Index(sql[i:], end); n >= 0 {
		return i + n + len(end)
	}
	return len(sql)
}

// authorizeRecursive is SQLITE_RECURSIVE, which the driver does not export.
const authorizeRecursive = 33

// readPragmas are the pragmas that only describe the schema.
var readPragmas = []string{"table_info", "table_xinfo", "table_list", "index_list", "index_info", "index_xinfo", "function_list"}

// authorize notes which tables a statement reads.
func (r *Rows) authorize(action int, arg1, arg2, arg3 string) int {
	if action == sqlite3.SQLITE_READ {
		r.touched[strings.ToLower(arg1)] = true
	}
	return authorize(action, arg1, arg2, arg3)
}

// authorize is called by SQLite for every step of a statement when it is compiled, including those in views and
// subqueries.
func authorize(action int, arg1, arg2, _ string) int {
	switch action {
	case sqlite3.SQLITE_SELECT, sqlite3.SQLITE_READ, authorizeRecursive:
		return sqlite3.SQLITE_OK
	case sqlite3.SQLITE_FUNCTION:
		// The name is the second argument; these functions could access other files.
		if name := strings.ToLower(arg2); name != "load_extension" && name != "fts3_tokenizer" && !strings.HasPrefix(name, "auth") {
			return sqlite3.SQLITE_OK
		}
	case sqlite3.SQLITE_PRAGMA:
		if slices.Contains(readPragmas, strings.ToLower(arg1)) {
			return sqlite3.SQLITE_OK
		}
	}
	return sqlite3.SQLITE_DENY
}

// Rows are the rows of a query. The caller must close them.
type Rows struct {
	source *source
	conn   *conn
	ctx    context.Context
	stmt   *sqlite3.SQLiteStmt
	rows   driver.Rows
	names  []string
	row    []driver.Value
	values []any
	err    error
	// touched are the tables that the statement reads.
	touched map[string]bool
}

// fullScans are the steps of SQLite's plan that scan all events of a run, or all messages, by their names in
// the views.
var fullScans = []string{
	"SEARCH e USING INTEGER PRIMARY KEY (rowid>? AND rowid<?)", "SCAN m", "SEARCH m USING AUTOMATIC COVERING INDEX (run=?)",
}

// isQuadratic reports whether a statement scans all events, or all messages, for each of many rows, like a join by seq. Such a
// statement takes quadratic time. Its plan then has a step of fullScans inside another one. Steps with the same
// parent are nested loops, and a correlated subquery runs inside the loops of its parent.
func (c *conn) isQuadratic(sql string) (bool, error) {
	if firstWord(sql) == "EXPLAIN" {
		return false, nil
	}
	rows, err := c.Query("EXPLAIN QUERY PLAN "+sql, nil)
	if err != nil {
		return false, err
	}
	defer rows.Close()
	loops := make(map[int64]int) // by step of the plan: the number of loops around its parts
	for step := make([]driver.Value, len(rows.Columns())); rows.Next(step) == nil; {
		id, parent, detail := step[0].(int64), step[1].(int64), fmt.Sprint(step[3])
		if strings.HasPrefix(detail, "CORRELATED") {
			loops[id] = loops[parent]
		}
		if slices.Contains(fullScans, detail) {
			loops[parent]++
			if loops[parent] > 1 {
				return true, nil
			}
		}
	}
	return false, nil
}

// Damage compares the data that the statement may have read with the checksums. For a trace these are the
// descriptions of runs, their events if it reads events, and the verdicts; for results all rows. It returns an
// error for each damaged run, and takes as long as reading the data. It may be called after Close.
func (r *Rows) Damage(ctx context.Context) []error { return r.source.damage(ctx, r.touched) }

// damage returns the damage in the parts of the trace that a statement has read, by its tables.
func (db *DB) damage(ctx context.Context, touched map[string]bool) (damage []error) {
	runs, found, err := db.Survey()
	if err != nil {
		return []error{err}
	}
	for _, d := range found {
		damage = append(damage, d)
	}
	if touched["event"] || touched["type"] {
		for _, run := range runs {
			if err := db.verify(ctx, run.Number); err != nil {
				damage = append(damage, err)
			}
		}
	}
	if touched["kind"] {
		if err := db.snapshot(verifyKinds); err != nil {
			damage = append(damage, err)
		}
	}
	if touched["verdict"] {
		damage = append(damage, db.verifyVerdicts()...)
	}
	return damage
}

// start compiles the statement and begins to run it. It fails for a statement that writes or has parameters.
func (r *Rows) start(sql string, slow func()) error {
	st, err := r.conn.Prepare(sql)
	if err != nil {
		return r.explainError(err)
	}
	r.stmt = st.(*sqlite3.SQLiteStmt)
	switch {
	case !r.stmt.Readonly():
		return r.source.notQuery("%s is only read here, expected a SELECT statement", r.source.noun)
	case r.stmt.NumInput() > 0:
		return r.source.notQuery("the statement has parameters (?), expected values in their place")
	}
	nested, err := r.conn.isQuadratic(sql)
	if err != nil {
		return r.explainError(err)
	}
	if nested && slow != nil {
		slow()
	}
	r.rows, err = r.stmt.QueryContext(r.ctx, nil)
	if err != nil {
		return r.explainError(err)
	}
	r.names = slices.Clone(r.rows.Columns())
	r.row, r.values = make([]driver.Value, len(r.names)), make([]any, len(r.names))
	return nil
}

// explainError rewrites an error of SQLite for the author of the SQL.
func (r *Rows) explainError(err error) error {
	if e := r.ctx.Err(); e != nil {
		return e
	}
	var se sqlite3.Error
	switch {
	case !errors.As(err, &se):
		return err
	case se.Code == sqlite3.ErrAuth, se.Code == sqlite3.ErrReadonly:
		return r.source.notQuery("%s is only read here: %v", r.source.noun, err)
	case se.Code == sqlite3.ErrTooBig:
		return r.source.notQuery("a value has more than %d MiB, the most that a query makes", maxValue>>20)
	case se.Code == sqlite3.ErrNomem:
		return r.source.notQuery("the statement takes more than %d MiB of memory, the most that a query gets", maxMemory>>20)
	case se.Code == sqlite3.ErrError:
		return r.source.notQuery("%s", r.explainMistake(se.Error()))
	}
	return r.conn.wrapError(err)
}

// Columns returns the names of the columns.
func (r *Rows) Columns() []string { return r.names }

// Next advances to the next row. It returns false at the end, and after an error, which Err returns.
func (r *Rows) Next() bool {
	if r.err != nil || r.rows == nil {
		return false
	}
	if err := r.rows.Next(r.row); err != nil {
		r.err = io.EOF
		if !errors.Is(err, io.EOF) {
			r.err = r.explainError(err)
		}
		return false
	}
	for i, v := range r.row {
		r.values[i] = undoConversion(v)
	}
	return true
}

// undoConversion reverts the driver's conversion of date and boolean columns; traces have none, but a user may have
// added a table.
func undoConversion(v driver.Value) any {
	switch v := v.(type) {
	case bool:
		if v {
			return int64(1)
		}
		return int64(0)
	case time.Time:
		return v.Format(time.RFC3339Nano)
	}
	return v
}

// Values returns the row: nil, int64, float64, string or []byte for each column. Next reuses the slice, but not
// its contents.
func (r *Rows) Values() []any { return r.values }

// Err returns the error that ended the rows, nil at their normal end.
func (r *Rows) Err() error {
	if r.err == io.EOF {
		return nil
	}
	return r.err
}

// Close ends the query. Closing twice does no harm.
func (r *Rows) Close() error {
	if r.conn == nil {
		return nil
	}
	if r.rows != nil {
		r.rows.Close()
	}
	if r.stmt != nil {
		r.stmt.Close()
	}
	err := sqliteError(r.source.path, r.conn.Close())
	r.conn, r.rows = nil, nil
	return err
}
