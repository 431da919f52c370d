package tracedb

import (
	"database/sql/driver"
	"slices"
	"strings"
)

// Files of former versions lack tables, and have views without some columns. They can be read unchanged, and
// queries see the present views. Appending to such a file, or saving verdicts in it, first upgrades it in the
// same transaction.

// stated is the table of the statements of runs, JSON texts by key. verdictSum is the table of the checksums of
// verdicts.
const (
	stated     = "stated"
	verdictSum = "verdict_sum"
)

// formerRuns is the view of files that lack the table stated.
var formerRuns = object{"view", "runs", `CREATE VIEW runs AS
SELECT run, name, algorithm, problem, source, scenario, seed, processes, time_unit, started_at, tool, "end", events
FROM run`}

// formerEvents is the view of files that lack the table verdict_sum.
var formerEvents = object{"view", "events", `CREATE VIEW events AS
SELECT r.run AS run, e.id - r.base AS seq, e.time AS time, p.name AS process, k.name AS kind, t.name AS type, q.name AS peer,
  nullif(e.message, 0) AS message, e.id - r.base - nullif(e.cause, 0) AS cause, e.lamport AS lamport,
  nullif(e.term, 0) AS term, '{' || e.payload || '}' AS payload
FROM run r CROSS JOIN event e ON e.id BETWEEN r.base + 1 AND r.base + r.events
LEFT JOIN kind k ON k.kind = (e.who & 31)
LEFT JOIN member p ON p.run = r.run AND p.process = (e.who >> 5) / (r.processes + 1) % (r.processes + 1)
LEFT JOIN member q ON q.run = r.run AND q.process = (e.who >> 5) % (r.processes + 1)
LEFT JOIN type t ON t.run = r.run AND t.type = (e.who >> 5) / (r.processes + 1) / (r.processes + 1)`}

// formerMessages goes with formerEvents.
var formerMessages = object{"view", "messages", `CREATE VIEW messages AS
SELECT m.run AS run, m.message AS message, t.name AS type, p.name AS sender, q.name AS receiver,
  m.sent_seq AS sent_seq, m.received_seq AS received_seq, m.sent_at AS sent_at, m.received_at AS received_at,
  CASE WHEN m.received_seq IS NOT NULL THEN 'delivered' WHEN m.lost = 2 THEN 'receiver crashed' WHEN m.lost = 1 THEN 'lost'
    ELSE 'in flight' END AS fate
FROM (
  SELECT r.run AS run, e.message AS message, r.processes + 1 AS width,
    max(CASE WHEN (e.who & 31) = 5 THEN e.who >> 5 END) AS link,
    min(CASE WHEN (e.who & 31) = 5 THEN e.id - r.base END) AS sent_seq,
    min(CASE WHEN (e.who & 31) = 5 THEN e.time END) AS sent_at,
    min(CASE WHEN (e.who & 31) = 6 THEN e.id - r.base END) AS received_seq,
    min(CASE WHEN (e.who & 31) = 6 THEN e.time END) AS received_at,
    max(CASE WHEN (e.who & 31) = 7 THEN CASE WHEN json_valid('{' || e.payload || '}')
      AND json_extract('{' || e.payload || '}', '$.reason') = 'receiver crashed' THEN 2 ELSE 1 END END) AS lost
  FROM run r CROSS JOIN event e ON e.id BETWEEN r.base + 1 AND r.base + r.events
  WHERE (e.who & 31) BETWEEN 5 AND 7 AND e.message <> 0
  GROUP BY r.run, e.message
  HAVING sent_seq IS NOT NULL
) m
LEFT JOIN type t ON t.run = m.run AND t.type = m.link / m.width / m.width
LEFT JOIN member p ON p.run = m.run AND p.process = m.link / m.width % m.width
LEFT JOIN member q ON q.run = m.run AND q.process = m.link % m.width`}

// formerTraits and formerSent are the views of files without completeness, in which every message is sent.
var (
	formerTraits = object{"view", "runs", `CREATE VIEW runs AS
SELECT run, name, algorithm, problem, source, scenario, seed, processes, time_unit, started_at, tool, "end", events,
  (SELECT value FROM stated WHERE stated.run = run.run AND key = 'traits') AS traits
FROM run`}
	formerSent = object{"view", "messages", `CREATE VIEW messages AS
SELECT m.run AS run, m.message AS message,
  (SELECT name FROM type WHERE run = m.run AND type = m.link / m.width / m.width) AS type,
  (SELECT name FROM member WHERE run = m.run AND process = m.link / m.width % m.width) AS sender,
  (SELECT name FROM member WHERE run = m.run AND process = m.link % m.width) AS receiver,
  m.sent_id - m.base AS sent_seq, m.received_id - m.base AS received_seq, m.sent_at AS sent_at, m.received_at AS received_at,
  CASE WHEN m.received_id IS NOT NULL THEN 'delivered' WHEN m.lost = 2 THEN 'receiver crashed' WHEN m.lost = 1 THEN 'lost'
    ELSE 'in flight' END AS fate,
  m.sent_id AS sent_id, m.received_id AS received_id
FROM (
  SELECT r.run AS run, r.base AS base, e.message AS message, r.processes + 1 AS width,
    max(CASE WHEN (e.who & 31) = 5 THEN e.who >> 5 END) AS link,
    min(CASE WHEN (e.who & 31) = 5 THEN e.id END) AS sent_id,
    min(CASE WHEN (e.who & 31) = 5 THEN e.time END) AS sent_at,
    min(CASE WHEN (e.who & 31) = 6 THEN e.id END) AS received_id,
    min(CASE WHEN (e.who & 31) = 6 THEN e.time END) AS received_at,
    max(CASE WHEN (e.who & 31) = 7 THEN CASE WHEN json_valid('{' || e.payload || '}')
      AND json_extract('{' || e.payload || '}', '$.reason') = 'receiver crashed' THEN 2 ELSE 1 END END) AS lost
  FROM run r CROSS JOIN event e ON e.id BETWEEN r.base + 1 AND r.base + r.events
  WHERE (e.who & 31) BETWEEN 5 AND 7 AND e.message <> 0
  GROUP BY r.run, e.message
  HAVING sent_id IS NOT NULL
) m`}
)

// formerClocks is the view of files in which an unrecorded Lamport clock is 0.
var formerClocks = object{"view", "events", strings.Replace(presentObject("events").sql, "nullif(e.lamport, 0)", "e.lamport", 1)}

// A vintage is the version of a file's layout: the differences to the present layout, which is the zero vintage.
type vintage struct {
	noStated        bool // no table stated
	noSums          bool // no table verdict_sum
	nothingDeclared bool // no completeness in the view runs, and every message has a send
	zeroClocks      bool // an unrecorded Lamport clock is 0 instead of NULL
}

// vintageOf returns the vintage of a file with these objects.
func vintageOf(found map[object]bool) vintage {
	return vintage{found[formerRuns], found[formerEvents], found[formerTraits] || found[formerSent], found[formerClocks]}
}

// formerViews returns the views that have another definition in files of the vintage.
func (v vintage) formerViews() []object {
	var views []object
	switch {
	case v.noStated:
		views = append(views, formerRuns)
	case v.nothingDeclared:
		views = append(views, formerTraits)
	}
	switch {
	case v.noSums:
		views = append(views, formerEvents, formerMessages)
	case v.nothingDeclared:
		views = append(views, formerSent)
	}
	if v.zeroClocks {
		views = append(views, formerClocks)
	}
	return views
}

// lacksTable reports whether files of the vintage lack the table.
func (v vintage) lacksTable(table string) bool {
	return v.noStated && table == stated || v.noSums && table == verdictSum
}

// expectedObjects returns the objects of a file of the vintage.
func (v vintage) expectedObjects() []object {
	var list []object
	for _, o := range objects {
		if v.lacksTable(o.name) {
			continue
		}
		if i := slices.IndexFunc(v.formerViews(), func(f object) bool { return f.name == o.name }); i >= 0 {
			o = v.formerViews()[i]
		}
		list = append(list, o)
	}
	return list
}

// prepareForWriting checks, within a transaction, that the file can be written to, and upgrades it.
func prepareForWriting(c *conn) error {
	v, err := checkSchema(c)
	if err == nil {
		err = checkEncoding(c)
	}
	if err == nil && v != (vintage{}) {
		err = upgrade(c, v)
	}
	if err == nil {
		err = fillKinds(c)
	}
	return err
}

// checkEncoding rejects files with another text encoding: SQLite cannot copy rows between files with different
// encodings.
func checkEncoding(c *conn) error {
	return c.each("PRAGMA encoding", func(row []driver.Value) error {
		if e := textOf(row[0]); e != "UTF-8" {
			return c.errorf(ErrNotTrace, "the trace keeps text as %s, expected UTF-8 to add anything", e)
		}
		return nil
	})
}

// upgrade upgrades a file of a former version to the present layout.
func upgrade(c *conn, v vintage) error {
	var ddl []string
	for _, o := range objects {
		if v.lacksTable(o.name) {
			if err := checkNameFree(c, o.name); err != nil {
				return err
			}
			ddl = append(ddl, o.sql)
		}
	}
	for _, f := range v.formerViews() {
		ddl = append(ddl, "DROP VIEW "+f.name, presentObject(f.name).sql)
	}
	if err := c.exec(strings.Join(ddl, ";")); err != nil {
		return err
	}
	if v.noSums {
		return sumAllVerdicts(c)
	}
	return nil
}

// checkNameFree checks that the name is not the name of an object that the user has added.
func checkNameFree(c *conn, name string) error {
	taken, err := c.integer("SELECT count(*) FROM sqlite_schema WHERE lower(name) = ?1", arg(1, name))
	if err == nil && taken > 0 {
		err = c.errorf(
			ErrNotTrace,
			"the file was made by a former version, and holds something of its own that is named %q: rename it before anything is added",
			name,
		)
	}
	return err
}

// presentObject returns the object with the given name in the present layout.
func presentObject(name string) object {
	return objects[slices.IndexFunc(objects, func(o object) bool { return o.name == name })]
}

// shadowViews makes the present views visible to queries of a file of a former version. They belong to the
// connection, and the file stays unchanged.
func shadowViews(c *conn, v vintage) error {
	var ddl []string
	for _, f := range v.formerViews() {
		sql := `CREATE TEMP VIEW runs AS SELECT *, NULL AS traits, ` +
			`CASE source WHEN 'simulated' THEN '{"default":"all"}' END AS tells FROM main.runs`
		if f != formerRuns { // the query of the present view needs tables that are missing
			sql = strings.Replace(presentObject(f.name).sql, "CREATE", "CREATE TEMP", 1)
		}
		ddl = append(ddl, sql)
	}
	return c.exec(strings.Join(ddl, ";"))
}

// presentVintage returns the vintage in the present transaction: another process may have upgraded the file since
// it was opened.
func presentVintage(c *conn) (vintage, error) {
	f, err := readContents(c)
	return vintageOf(f.found), err
}
