package tracedb

import (
	"database/sql/driver"
	"strings"
)

// A file may come from anywhere, and SQLite acts on what its schema says: a
// trigger runs when a run is appended, a view or a virtual table when it is
// read. So a file is accepted only if it holds what this package made, as it
// made it, and beside it nothing but plain tables and indexes.

// entry is a row of the schema of a file.
type entry struct {
	object
	table string // that an index is of
	root  int64
}

// checkSchema reports the first object that may not be in a trace, and says
// of which vintage the file is.
//
// SQLite reads type and name of a row without regard to case, and acts on the
// definition: neither may be taken from the other.
func checkSchema(c *conn) (v vintage, err error) {
	found := make(map[string]object)
	var others []entry
	err = c.each("SELECT type, name, sql, tbl_name, rootpage FROM main.sqlite_schema", func(row []driver.Value) error {
		root, _ := row[4].(int64)
		e := entry{object{textOf(row[0]), textOf(row[1]), textOf(row[2])}, textOf(row[3]), root}
		if found[e.name] = e.object; !isOurs(e.name) {
			others = append(others, e)
		}
		return nil
	})
	if err != nil {
		return v, err
	}
	v = vintageOf(found)
	for _, want := range v.expected() {
		switch got, ok := found[want.name]; {
		case !ok:
			return v, c.errorf(ErrNotTrace, "the %s %q is missing, expected the schema of an etrace trace", want.kind, want.name)
		case got != want:
			return v, c.errorf(ErrNotTrace, "the %s %q is not defined as expected in an etrace trace", want.kind, want.name)
		}
	}
	for _, e := range others {
		if err := e.check(c); err != nil {
			return v, err
		}
	}
	return v, nil
}

// isOurs reports whether the name is exactly that of a table or view of
// every trace of the present layout.
func isOurs(name string) bool {
	for _, o := range objects {
		if o.name == name {
			return true
		}
	}
	return false
}

// check says why an object that a user has added may not be there.
func (e *entry) check(c *conn) error {
	switch {
	case e.kind == "table" && e.root > 0 && strings.HasPrefix(e.sql, "CREATE TABLE "):
		return e.checkTable(c)
	case e.kind == "index" && e.root > 0 && (e.sql == "" || strings.HasPrefix(e.sql, "CREATE INDEX ") || strings.HasPrefix(e.sql, "CREATE UNIQUE INDEX ")):
		return e.checkIndex(c)
	}
	what := strings.ToLower(e.kind)
	if strings.HasPrefix(strings.ToUpper(e.sql), "CREATE VIRTUAL TABLE") {
		what = "virtual table"
	}
	return e.refuse(c, what)
}

// checkTable refuses columns that are computed.
func (e *entry) checkTable(c *conn) error {
	n, err := c.integer("SELECT count(*) FROM pragma_table_xinfo(?1) WHERE hidden <> 0", arg(1, e.name))
	if err == nil && n > 0 {
		err = e.refuse(c, "table with generated columns")
	}
	return err
}

// checkIndex refuses indexes that compute something, and those that would have
// SQLite give up rows of the trace's own tables for others.
func (e *entry) checkIndex(c *conn) error {
	n, err := c.integer("SELECT count(*) FROM pragma_index_xinfo(?1) WHERE cid < -1", arg(1, e.name))
	if err == nil && n == 0 {
		n, err = c.integer("SELECT count(*) FROM pragma_index_list(?1) WHERE name = ?2 AND partial", arg(1, e.table), arg(2, e.name))
	}
	switch {
	case err != nil:
		return err
	case n > 0:
		return e.refuse(c, "index on an expression or a condition")
	case isOurs(e.table) && strings.HasPrefix(e.sql, "CREATE UNIQUE"):
		return e.refuse(c, "unique index on a table of the trace")
	}
	return nil
}

func (e *entry) refuse(c *conn, what string) error {
	return c.errorf(ErrNotTrace, "the file holds the %s %q, expected a trace with nothing added but tables and indexes of columns", what, e.name)
}
