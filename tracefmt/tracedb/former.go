package tracedb

import (
	"database/sql/driver"
	"strings"
)

// Files of former versions have no table stated, and a view runs without the
// column that comes from it. They are read as they are; who appends to one, or
// saves verdicts in it, gives it the present layout in the same transaction.

// stated is the table of what runs state of themselves: JSON texts by key.
const stated = "stated"

// formerRuns is the view as former versions made it. A file that has it is of
// them.
var formerRuns = object{"view", "runs", `CREATE VIEW runs AS
SELECT run, name, algorithm, problem, source, scenario, seed, processes, time_unit, started_at, tool, "end", events
FROM run`}

// ready makes sure, within a transaction, that the file can be written to.
func ready(c *conn) error {
	old, err := checkSchema(c)
	if err == nil && old {
		err = upgrade(c)
	}
	if err == nil {
		err = fillKinds(c)
	}
	return err
}

// upgrade gives a file of a former version the present layout.
func upgrade(c *conn) error {
	taken, err := c.integer("SELECT count(*) FROM sqlite_schema WHERE name = ?1", arg(1, stated))
	if err != nil {
		return err
	}
	if taken > 0 {
		return c.errorf(ErrNotTrace, "the file was made by a former version, and holds something of its own that is named %q: rename it before runs are added", stated)
	}
	ddl := []string{"DROP VIEW " + formerRuns.name}
	for _, o := range objects {
		if o.name == stated || o.name == formerRuns.name {
			ddl = append(ddl, o.sql)
		}
	}
	return c.exec(strings.Join(ddl, ";"))
}

// shadow lets queries of a file of a former version find the present column,
// which is NULL there. The view is the connection's own; the file stays as it is.
func shadow(c *conn) error {
	return c.exec("CREATE TEMP VIEW runs AS SELECT *, NULL AS traits FROM main.runs")
}

// isFormer reports whether the file is of a former version, in the present
// transaction: another process may have appended to it since it was opened.
func isFormer(c *conn) (former bool, err error) {
	err = c.each("SELECT type, name, sql FROM main.sqlite_schema WHERE name = 'runs'", func(row []driver.Value) error {
		former = object{textOf(row[0]), textOf(row[1]), textOf(row[2])} == formerRuns
		return nil
	})
	return former, err
}
