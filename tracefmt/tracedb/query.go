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

// Query runs one SQL statement that only reads, on the views or on whatever
// else the file holds. Statements that write, attach other files or change
// settings, and several statements at once, give [errNotQuery], as do those that
// make a value of more than 64 MiB, or take more than 512 MiB of memory: all SQLite
// of the process gets no more from then on. When ctx is done, the query stops with its error.
func (db *DB) Query(ctx context.Context, sql string) (*Rows, error) {
	return db.source().query(ctx, sql)
}

// source is a file that is asked in SQL.
type source struct {
	path string
	// what says which kind of file it is: "a trace".
	what string
	// views are those that there are.
	views []string
	// open opens a connection that cannot write.
	open func() (*conn, error)
	// damage returns what is wrong with what a statement may have read, which reads some tables.
	damage func(ctx context.Context, touched map[string]bool) []error
}

func (db *DB) source() *source {
	return &source{path: db.path, what: "a trace", views: namesOf(objects, "view"), open: db.open, damage: db.damage}
}

func (s *source) query(ctx context.Context, sql string) (*Rows, error) {
	if err := s.checkQuery(sql); err != nil {
		return nil, err
	}
	// A connection of its own: the authorizer stays with it.
	c, err := s.open()
	if err != nil {
		return nil, sqliteError(s.path, err)
	}
	r := &Rows{source: s, conn: c, ctx: ctx, touched: make(map[string]bool)}
	c.SetLimit(sqlite3.SQLITE_LIMIT_LENGTH, mostOfValue)
	if err := c.exec(fmt.Sprintf("PRAGMA hard_heap_limit = %d", mostMemory)); err != nil {
		r.Close()
		return nil, err
	}
	c.RegisterAuthorizer(r.authorize)
	if err := r.start(sql); err != nil {
		r.Close()
		return nil, err
	}
	return r, nil
}

// mostOfValue is the most bytes that a value may have, and mostMemory that SQLite may take. A statement of a line may
// ask for any number.
const (
	mostOfValue = 64 << 20
	mostMemory  = 512 << 20
)

func (s *source) notQuery(format string, args ...any) error {
	return &Error{Path: s.path, Text: fmt.Sprintf(format, args...), Kind: errNotQuery}
}

// checkQuery looks at the text only; what it lets through meets authorize
// and a connection that cannot write.
func (s *source) checkQuery(sql string) error {
	if strings.Contains(sql, "\x00") {
		return s.notQuery("the SQL holds a NUL character")
	}
	switch word := firstWord(sql); word {
	case "SELECT", "WITH", "VALUES", "EXPLAIN":
	case "":
		return s.notQuery("expected a SELECT statement")
	default:
		return s.notQuery("%s is only read here, expected a SELECT statement, not %s", s.what, word)
	}
	if rest := afterStatement(sql); skipBlank(sql, rest) < len(sql) {
		return s.notQuery("expected a single statement, but more follows after the first semicolon")
	}
	return nil
}

// firstWord is the word with which a statement begins, in capitals.
func firstWord(sql string) string {
	start := skipBlank(sql, 0)
	end := start
	for end < len(sql) && isLetter(sql[end]) {
		end++
	}
	return strings.ToUpper(sql[start:end])
}

func isLetter(c byte) bool { return 'a' <= c|0x20 && c|0x20 <= 'z' }

// skipBlank returns the index of what follows white space and comments.
func skipBlank(sql string, i int) int {
	for i < len(sql) {
		switch {
		case strings.IndexByte(" \t\r\n\f", sql[i]) >= 0:
			i++
		case strings.HasPrefix(sql[i:], "--"):
			i = after(sql, i+2, "\n")
		case strings.HasPrefix(sql[i:], "/*"):
			i = after(sql, i+2, "*/")
		default:
			return i
		}
	}
	return i
}

// afterStatement returns the index after the first semicolon that is neither
// quoted nor in a comment.
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
			i = after(sql, i+1, string(c))
		case '[':
			i = after(sql, i+1, "]")
		default:
			i++
		}
	}
	return len(sql)
}

// after returns the index after the next end, or that of the end of the text.
func after(sql string, i int, end string) int {
	if n := strings.Index(sql[i:], end); n >= 0 {
		return i + n + len(end)
	}
	return len(sql)
}

// authorizeRecursive is SQLITE_RECURSIVE, which the driver does not export.
const authorizeRecursive = 33

// readPragmas are those that only tell about the schema.
var readPragmas = []string{"table_info", "table_xinfo", "table_list", "index_list", "index_info", "index_xinfo", "function_list"}

// authorize notes which tables a statement reads.
func (r *Rows) authorize(action int, arg1, arg2, arg3 string) int {
	if action == sqlite3.SQLITE_READ {
		r.touched[strings.ToLower(arg1)] = true
	}
	return authorize(action, arg1, arg2, arg3)
}

// authorize is asked by SQLite about every step of a statement when it is
// compiled, also of what hides in views and subqueries.
func authorize(action int, arg1, arg2, _ string) int {
	switch action {
	case sqlite3.SQLITE_SELECT, sqlite3.SQLITE_READ, authorizeRecursive:
		return sqlite3.SQLITE_OK
	case sqlite3.SQLITE_FUNCTION:
		// The name is the second argument; these could reach outside.
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
	nested  bool
}

// Nested reports whether the statement goes through all events, or all messages, for each of many events or messages,
// as a join by seq does: a thousand times as many take a million times as long.
func (r *Rows) Nested() bool { return r.nested }

// throughAll are the steps of SQLite's plan that go through all events of a run, or through all messages, by the names
// that the views give them.
var throughAll = []string{
	"SEARCH e USING INTEGER PRIMARY KEY (rowid>? AND rowid<?)", "SCAN m", "SEARCH m USING AUTOMATIC COVERING INDEX (run=?)",
}

// nested finds in the plan of a statement such a step within another one. Those of one parent are loops in each other,
// and a correlated subquery is within the loops of its parent.
func (c *conn) nested(sql string) (bool, error) {
	if firstWord(sql) == "EXPLAIN" {
		return false, nil
	}
	rows, err := c.Query("EXPLAIN QUERY PLAN "+sql, nil)
	if err != nil {
		return false, err
	}
	defer rows.Close()
	loops := make(map[int64]int) // within which the parts of a step are
	for step := make([]driver.Value, len(rows.Columns())); rows.Next(step) == nil; {
		id, parent, detail := step[0].(int64), step[1].(int64), fmt.Sprint(step[3])
		if strings.HasPrefix(detail, "CORRELATED") {
			loops[id] = loops[parent]
		}
		if slices.Contains(throughAll, detail) {
			if loops[parent]++; loops[parent] > 1 {
				return true, nil
			}
		}
	}
	return false, nil
}

// Damage compares what the statement may have read with the check sums: of a trace the
// descriptions of runs, their events where it asks for some, and the verdicts; of results all
// rows. It returns an error for each run that is damaged, and takes as long as to read
// that. It may be called when the rows are closed.
func (r *Rows) Damage(ctx context.Context) []error { return r.source.damage(ctx, r.touched) }

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

func (r *Rows) start(sql string) error {
	st, err := r.conn.Prepare(sql)
	if err != nil {
		return r.failed(err)
	}
	r.stmt = st.(*sqlite3.SQLiteStmt)
	switch {
	case !r.stmt.Readonly():
		return r.source.notQuery("%s is only read here, expected a SELECT statement", r.source.what)
	case r.stmt.NumInput() > 0:
		return r.source.notQuery("the statement has parameters (?), expected values in their place")
	}
	if r.rows, err = r.stmt.QueryContext(r.ctx, nil); err != nil {
		return r.failed(err)
	}
	if r.nested, err = r.conn.nested(sql); err != nil {
		return r.failed(err)
	}
	r.names = slices.Clone(r.rows.Columns())
	r.row, r.values = make([]driver.Value, len(r.names)), make([]any, len(r.names))
	return nil
}

// failed turns an error of SQLite into one for the person who wrote the SQL.
func (r *Rows) failed(err error) error {
	if e := r.ctx.Err(); e != nil {
		return e
	}
	var se sqlite3.Error
	switch {
	case !errors.As(err, &se):
		return err
	case se.Code == sqlite3.ErrAuth, se.Code == sqlite3.ErrReadonly:
		return r.source.notQuery("%s is only read here: %v", r.source.what, err)
	case se.Code == sqlite3.ErrTooBig:
		return r.source.notQuery("a value has more than %d MiB, the most that a query makes", mostOfValue>>20)
	case se.Code == sqlite3.ErrNomem:
		return r.source.notQuery("the statement takes more than %d MiB of memory, the most that a query gets", mostMemory>>20)
	case se.Code == sqlite3.ErrError:
		return r.source.notQuery("%s", r.mistake(se.Error()))
	}
	return sqliteError(r.source.path, err)
}

// Columns returns the names of the columns.
func (r *Rows) Columns() []string { return r.names }

// Next goes to the next row. At the end, and after an error that Err tells,
// it returns false.
func (r *Rows) Next() bool {
	if r.err != nil || r.rows == nil {
		return false
	}
	if err := r.rows.Next(r.row); err != nil {
		r.err = io.EOF
		if !errors.Is(err, io.EOF) {
			r.err = r.failed(err)
		}
		return false
	}
	for i, v := range r.row {
		r.values[i] = plain(v)
	}
	return true
}

// plain undoes what the driver makes of columns that are declared as dates
// or booleans; traces have none, but a user may have added a table.
func plain(v driver.Value) any {
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

// Values returns the row: nil, int64, float64, string or []byte for each
// column. The slice is reused by Next, its contents are not.
func (r *Rows) Values() []any { return r.values }

// Err returns the error that ended the rows, nil if they ended by themselves.
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
