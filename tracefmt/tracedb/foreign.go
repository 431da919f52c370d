package tracedb

import (
	"database/sql/driver"
	"strings"
)

// A file may come from anywhere, and SQLite acts on its schema: a trigger runs when a run is appended, a view
// or a virtual table when it is read. So a file is accepted only if it has the exact objects of this package,
// and otherwise only plain tables and indexes.

// entry is a row of the schema of a file.
type entry struct {
	object
	table string // the table of an index or trigger; otherwise the name again
	root  int64
}

// contents are the objects of a file. SQLite has separate namespaces for triggers and tables, so a name alone
// does not identify an object.
type contents struct {
	entries []entry
	found   map[object]bool
}

// readContents reads the schema.
func readContents(c *conn) (f contents, err error) {
	f.found = make(map[object]bool)
	err = c.each("SELECT type, name, sql, tbl_name, rootpage FROM main.sqlite_schema", func(row []driver.Value) error {
		root, _ := row[4].(int64)
		e := entry{object{textOf(row[0]), textOf(row[1]), textOf(row[2])}, textOf(row[3]), root}
		f.entries = append(f.entries, e)
		f.found[e.object] = f.found[e.object] || e.table == e.name
		return nil
	})
	return f, err
}

// checkSchema returns the vintage of the file. It fails at the first object that may not be in a trace.
//
// SQLite ignores case in type, name and table of a row, and acts on the definition, so all of these must match.
// An object that differs in any letter from those of this package must be an object that a user may add.
func checkSchema(c *conn) (v vintage, err error) {
	f, err := readContents(c)
	if err != nil {
		return v, err
	}
	v = vintageOf(f.found)
	ours := make(map[string]object)
	for _, want := range v.expectedObjects() {
		if !f.found[want] {
			return v, f.missingError(c, want)
		}
		ours[fold(want.name)] = want
	}
	roots := make(map[int64]bool)
	for _, e := range f.entries {
		known, named := ours[fold(e.name)]
		switch {
		// Two tables on the same pages would let a query read one as the other.
		case e.root != 0 && roots[e.root]:
			return v, c.errorf(ErrDamaged, "the %s %q shares its pages with another, expected pages of its own", fold(e.kind), e.name)
		case named && e.object == known && e.table == e.name: // an expected object
		case named && fold(e.kind) != "trigger": // SQLite takes it for the expected object
			return v, c.errorf(ErrNotTrace, "the %s %q is not defined as expected in an etrace trace", known.kind, known.name)
		default:
			_, onOurs := ours[fold(e.table)]
			err = e.checkAdded(c, onOurs)
		}
		if err != nil {
			return v, err
		}
		roots[e.root] = true
	}
	return v, nil
}

// missingError returns the error for an object that is missing or replaced by another.
func (f *contents) missingError(c *conn, want object) error {
	for _, e := range f.entries {
		if fold(e.name) == fold(want.name) && fold(e.kind) != "trigger" {
			return c.errorf(ErrNotTrace, "the %s %q is not defined as expected in an etrace trace", want.kind, want.name)
		}
	}
	return c.errorf(ErrNotTrace, "the %s %q is missing, expected the schema of an etrace trace", want.kind, want.name)
}

// fold maps names that are equal for SQLite to one form: SQLite ignores the case of ASCII letters only.
func fold(name string) string {
	return strings.Map(func(r rune) rune {
		if 'A' <= r && r <= 'Z' {
			r += 'a' - 'A'
		}
		return r
	}, name)
}

// checkAdded returns an error for an object that a user may not add. ours is true if it belongs to a table of the
// trace.
func (e *entry) checkAdded(c *conn, ours bool) error {
	switch {
	case e.kind == "table" && e.root > 0 && strings.HasPrefix(e.sql, "CREATE TABLE "):
		return e.checkTable(c)
	// SQLite makes the indexes without SQL, for keys.
	case e.kind == "index" && e.root > 0 &&
		(e.sql == "" || strings.HasPrefix(e.sql, "CREATE INDEX ") || strings.HasPrefix(e.sql, "CREATE UNIQUE INDEX ")):
		return e.checkIndex(c, ours)
	}
	description := fold(e.kind)
	if strings.HasPrefix(strings.ToUpper(e.sql), "CREATE VIRTUAL TABLE") {
		description = "virtual table"
	}
	return e.refusal(c, description)
}

// checkTable rejects computed columns.
func (e *entry) checkTable(c *conn) error {
	n, err := c.integer("SELECT count(*) FROM pragma_table_xinfo(?1) WHERE hidden <> 0", arg(1, e.name))
	if err == nil && n > 0 {
		err = e.refusal(c, "table with generated columns")
	}
	return err
}

// checkIndex rejects indexes with expressions, and indexes with which SQLite would delete rows of the trace's
// own tables on conflicts.
func (e *entry) checkIndex(c *conn, ours bool) error {
	n, err := c.integer("SELECT count(*) FROM pragma_index_xinfo(?1) WHERE cid < -1", arg(1, e.name))
	if err == nil && n == 0 {
		n, err = c.integer(
			"SELECT count(*) FROM pragma_index_list(?1) WHERE name = ?2 COLLATE NOCASE AND partial",
			arg(1, e.table), arg(2, e.name),
		)
	}
	switch {
	case err != nil:
		return err
	case n > 0:
		return e.refusal(c, "index on an expression or a condition")
	case ours && strings.HasPrefix(e.sql, "CREATE UNIQUE"):
		return e.refusal(c, "unique index on a table of the trace")
	}
	return nil
}

// refusal returns the error for an object that may not be in a trace.
func (e *entry) refusal(c *conn, description string) error {
	return c.errorf(
		ErrNotTrace,
		"the file holds the %s %q, expected a trace with nothing added but tables and indexes of columns",
		description, e.name,
	)
}
