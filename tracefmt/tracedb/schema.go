package tracedb

import (
	"database/sql/driver"
	"fmt"
	"strings"

	"etrace/tracefmt"
)

// The marks in the header of the file.
const (
	// ApplicationID is the SQLite application_id of every trace: "ETRC".
	ApplicationID = 0x45545243
	// SchemaVersion is the SQLite user_version that this package reads and
	// writes.
	SchemaVersion = 1
)

// kindBits is the room for the kind at the low end of event.who.
const (
	kindBits = 5
	kindMask = 1<<kindBits - 1
)

// object is one table or view. A file is accepted only if it holds each
// object with this very definition, so that no query runs on something else.
type object struct{ kind, name, sql string }

// objects lists the physical tables, then the views that users rely on. What
// is text in a view is a column of type TEXT in its table: a comparison with
// a number then compares text, and process = 4 finds the process "4".
var objects = []object{
	{"table", "run", `CREATE TABLE run(
  run INTEGER PRIMARY KEY,
  base INTEGER NOT NULL,
  reserved INTEGER NOT NULL,
  processes INTEGER NOT NULL,
  name TEXT,
  algorithm TEXT,
  problem TEXT,
  source TEXT,
  scenario TEXT,
  seed INTEGER,
  time_unit TEXT NOT NULL,
  started_at TEXT,
  tool TEXT,
  "end" TEXT NOT NULL,
  events INTEGER NOT NULL,
  widths INTEGER NOT NULL,
  head_sum INTEGER NOT NULL,
  event_sum INTEGER NOT NULL
)`},
	{"table", "member", `CREATE TABLE member(
  run INTEGER NOT NULL,
  process INTEGER NOT NULL,
  name TEXT NOT NULL,
  position INTEGER NOT NULL,
  attributes TEXT,
  PRIMARY KEY(run, process)
) WITHOUT ROWID`},
	{"table", "type", `CREATE TABLE type(
  run INTEGER NOT NULL,
  type INTEGER NOT NULL,
  name TEXT NOT NULL,
  PRIMARY KEY(run, type)
) WITHOUT ROWID`},
	{"table", "kind", `CREATE TABLE kind(
  kind INTEGER PRIMARY KEY,
  name TEXT NOT NULL
)`},
	{"table", "event", `CREATE TABLE event(
  id INTEGER PRIMARY KEY,
  time INTEGER,
  who INTEGER,
  message INTEGER,
  cause INTEGER,
  lamport INTEGER,
  term INTEGER,
  payload TEXT
)`},
	{"table", "stated", `CREATE TABLE stated(
  run INTEGER NOT NULL,
  key TEXT NOT NULL,
  value TEXT NOT NULL,
  PRIMARY KEY(run, key)
) WITHOUT ROWID`},
	{"table", "verdict", `CREATE TABLE verdict(
  run INTEGER NOT NULL,
  property TEXT NOT NULL,
  verdict TEXT NOT NULL,
  witness TEXT,
  explanation TEXT,
  checked_at TEXT,
  tool TEXT,
  PRIMARY KEY(run, property)
) WITHOUT ROWID`},
	{"view", "runs", `CREATE VIEW runs AS
SELECT run, name, algorithm, problem, source, scenario, seed, processes, time_unit, started_at, tool, "end", events,
  (SELECT value FROM stated WHERE stated.run = run.run AND key = 'traits') AS traits
FROM run`},
	{"view", "members", `CREATE VIEW members AS
SELECT run, name AS process, name, position, attributes
FROM member`},
	{"view", "events", `CREATE VIEW events AS
SELECT r.run AS run, e.id - r.base AS seq, e.time AS time, p.name AS process, k.name AS kind, t.name AS type, q.name AS peer,
  nullif(e.message, 0) AS message, e.id - r.base - nullif(e.cause, 0) AS cause, e.lamport AS lamport,
  nullif(e.term, 0) AS term, '{' || e.payload || '}' AS payload
FROM run r CROSS JOIN event e ON e.id BETWEEN r.base + 1 AND r.base + r.events
LEFT JOIN kind k ON k.kind = (e.who & 31)
LEFT JOIN member p ON p.run = r.run AND p.process = (e.who >> 5) / (r.processes + 1) % (r.processes + 1)
LEFT JOIN member q ON q.run = r.run AND q.process = (e.who >> 5) % (r.processes + 1)
LEFT JOIN type t ON t.run = r.run AND t.type = (e.who >> 5) / (r.processes + 1) / (r.processes + 1)`},
	// Grouping by message visits each event once and needs no index; with
	// run = N given outside, SQLite pushes it down to the scan of the run.
	{"view", "messages", `CREATE VIEW messages AS
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
LEFT JOIN member q ON q.run = m.run AND q.process = m.link % m.width`},
	{"view", "verdicts", `CREATE VIEW verdicts AS
SELECT run, property, verdict, witness, explanation, checked_at, tool
FROM verdict`},
}

// createSchema makes an empty trace of an empty database.
func createSchema(c *conn) error {
	var ddl strings.Builder
	fmt.Fprintf(&ddl, "PRAGMA application_id = %d; PRAGMA user_version = %d;", ApplicationID, SchemaVersion)
	for _, o := range objects {
		ddl.WriteString(o.sql + ";")
	}
	if err := c.exec(ddl.String()); err != nil {
		return err
	}
	return fillKinds(c)
}

// fillKinds names the kinds that the file does not name yet: it may come
// from a version that knew fewer.
func fillKinds(c *conn) error {
	for _, k := range tracefmt.Kinds() {
		if err := c.exec("INSERT OR IGNORE INTO kind VALUES(?, ?)", int64(k), k.String()); err != nil {
			return err
		}
	}
	return nil
}

// checkSchema reports the first object that is not what this package made.
// Tables, views and indexes that a user has added are left in peace;
// triggers are not, since they would run when a run is appended. What former
// versions made is accepted, too: old says that the file is of them.
func checkSchema(c *conn) (old bool, err error) {
	found := make(map[string]object)
	err = c.each("SELECT type, name, sql FROM sqlite_schema", func(row []driver.Value) error {
		o := object{textOf(row[0]), textOf(row[1]), textOf(row[2])}
		if o.kind == "trigger" {
			return c.errorf(ErrNotTrace, "the file holds a trigger %q, expected a trace without triggers", o.name)
		}
		found[o.name] = o
		return nil
	})
	if err != nil {
		return false, err
	}
	old = found[formerRuns.name] == formerRuns
	for _, want := range objects {
		if old && (want.name == formerRuns.name || want.name == stated) {
			continue
		}
		switch got, ok := found[want.name]; {
		case !ok:
			return false, c.errorf(ErrNotTrace, "the %s %q is missing, expected the schema of an etrace trace", want.kind, want.name)
		case got != want:
			return false, c.errorf(ErrNotTrace, "the %s %q is not defined as expected in an etrace trace", want.kind, want.name)
		}
	}
	return old, nil
}

// runColumnsAfterBase are the columns of run that stay as they are when a
// run moves to another file.
const runColumnsAfterBase = `reserved, processes, name, algorithm, problem, source, scenario, seed, time_unit, started_at, tool,
  "end", events, widths, head_sum, event_sum`
