package tracedb

import (
	"fmt"
	"strings"

	"etrace/tracefmt"
)

// The marks in the header of the file.
const (
	// ApplicationID is the SQLite application_id of every trace: "ETRC".
	ApplicationID = 0x45545243
	// schemaVersion is the SQLite user_version that this package reads and
	// writes.
	schemaVersion = 1
)

// kindBits is the room for the kind at the low end of event.who.
const (
	kindBits = 5
	kindMask = 1<<kindBits - 1
)

// object is a table or view. A file is accepted only if each object has exactly this definition, so that
// queries never run on something else.
type object struct{ kind, name, sql string }

// objects lists the physical tables, then the views for users. Text in a view is a column of type TEXT in its
// table: comparisons with a number then compare text, and process = 4 finds the process "4".
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
	// sum is taken over the verdict rows of the run.
	{"table", "verdict_sum", `CREATE TABLE verdict_sum(
  run INTEGER PRIMARY KEY,
  sum INTEGER NOT NULL
)`},
	{"view", "runs", `CREATE VIEW runs AS
SELECT run, name, algorithm, problem, source, scenario, seed, processes, time_unit, started_at, tool, "end", events,
  (SELECT value FROM stated WHERE stated.run = run.run AND key = 'traits') AS traits,
  coalesce((SELECT value FROM stated WHERE stated.run = run.run AND key = 'tells'),
    CASE source WHEN 'simulated' THEN '{"default":"all"}' END) AS tells
FROM run`},
	{"view", "members", `CREATE VIEW members AS
SELECT run, name AS process, name, position, attributes
FROM member`},
	// Subqueries look up names instead of joins, so that SQLite can flatten the view inside a join: with given
	// run and id, it finds the event by its id.
	{"view", "events", `CREATE VIEW events AS
SELECT r.run AS run, e.id - r.base AS seq, e.time AS time,
  (SELECT name FROM member WHERE run = r.run AND process = (e.who >> 5) / (r.processes + 1) % (r.processes + 1)) AS process,
  (SELECT name FROM kind WHERE kind = e.who & 31) AS kind,
  (SELECT name FROM type WHERE run = r.run AND type = (e.who >> 5) / (r.processes + 1) / (r.processes + 1)) AS type,
  (SELECT name FROM member WHERE run = r.run AND process = (e.who >> 5) % (r.processes + 1)) AS peer,
  nullif(e.message, 0) AS message, e.id - r.base - nullif(e.cause, 0) AS cause, nullif(e.lamport, 0) AS lamport,
  nullif(e.term, 0) AS term, '{' || e.payload || '}' AS payload, e.id AS id, e.id - nullif(e.cause, 0) AS cause_id
FROM run r CROSS JOIN event e ON e.id BETWEEN r.base + 1 AND r.base + r.events`},
	// Grouping by message visits each event once and needs no index; with run = N from outside, SQLite applies
	// it to the scan of the run. A message with only a recorded arrival has no sent_seq.
	{"view", "messages", `CREATE VIEW messages AS
SELECT m.run AS run, m.message AS message,
  (SELECT name FROM type WHERE run = m.run AND type = coalesce(m.link, m.arrival) / m.width / m.width) AS type,
  (SELECT name FROM member WHERE run = m.run AND process = coalesce(m.link / m.width, m.arrival) % m.width) AS sender,
  (SELECT name FROM member WHERE run = m.run AND process = coalesce(m.link, m.arrival / m.width) % m.width) AS receiver,
  m.sent_id - m.base AS sent_seq, m.received_id - m.base AS received_seq, m.sent_at AS sent_at, m.received_at AS received_at,
  CASE WHEN m.received_id IS NOT NULL THEN 'delivered' WHEN m.lost = 2 THEN 'receiver crashed' WHEN m.lost = 1 THEN 'lost'
    ELSE 'in flight' END AS fate,
  m.sent_id AS sent_id, m.received_id AS received_id
FROM (
  SELECT r.run AS run, r.base AS base, e.message AS message, r.processes + 1 AS width,
    max(CASE WHEN (e.who & 31) = 5 THEN e.who >> 5 END) AS link,
    max(CASE WHEN (e.who & 31) > 5 THEN e.who >> 5 END) AS arrival,
    min(CASE WHEN (e.who & 31) = 5 THEN e.id END) AS sent_id,
    min(CASE WHEN (e.who & 31) = 5 THEN e.time END) AS sent_at,
    min(CASE WHEN (e.who & 31) = 6 THEN e.id END) AS received_id,
    min(CASE WHEN (e.who & 31) = 6 THEN e.time END) AS received_at,
    max(CASE WHEN (e.who & 31) = 7 THEN CASE WHEN json_valid('{' || e.payload || '}')
      AND json_extract('{' || e.payload || '}', '$.reason') = 'receiver crashed' THEN 2 ELSE 1 END END) AS lost
  FROM run r CROSS JOIN event e ON e.id BETWEEN r.base + 1 AND r.base + r.events
  WHERE (e.who & 31) BETWEEN 5 AND 7 AND e.message <> 0
  GROUP BY r.run, e.message
) m`},
	{"view", "verdicts", `CREATE VIEW verdicts AS
SELECT run, property, verdict, witness, explanation, checked_at, tool
FROM verdict`},
}

// createSchema makes an empty trace of an empty database.
func createSchema(c *conn) error {
	var ddl strings.Builder
	fmt.Fprintf(&ddl, "PRAGMA application_id = %d; PRAGMA user_version = %d;", ApplicationID, schemaVersion)
	for _, o := range objects {
		ddl.WriteString(o.sql + ";")
	}
	if err := c.exec(ddl.String()); err != nil {
		return err
	}
	return fillKinds(c)
}

// fillKinds adds missing names of kinds: the file may come from a version with fewer kinds.
func fillKinds(c *conn) error {
	for _, k := range tracefmt.Kinds() {
		if err := c.exec("INSERT OR IGNORE INTO kind VALUES(?, ?)", int64(k), k.String()); err != nil {
			return err
		}
	}
	return nil
}

// runColumnsAfterBase are the columns of run that do not change when a run moves to another file.
const runColumnsAfterBase = `reserved, processes, name, algorithm, problem, source, scenario, seed, time_unit, started_at, tool,
  "end", events, widths, head_sum, event_sum`
