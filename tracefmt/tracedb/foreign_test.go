package tracedb

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestForeignSchema: what SQLite would act on is refused, whatever the letter
// case in the schema, and by who reads and who writes alike.
func TestForeignSchema(t *testing.T) {
	const disguise = "; PRAGMA writable_schema = ON; UPDATE sqlite_schema SET "
	// A trigger whose row comes before that of the table with its name.
	const before = disguise + "rowid = rowid + 100 WHERE rowid > 1; UPDATE sqlite_schema SET rowid = 2 WHERE type = 'trigger'"
	for _, c := range []struct{ sql, want string }{
		{"CREATE TRIGGER t AFTER INSERT ON run BEGIN DELETE FROM event; END", `the trigger "t"`},
		{"CREATE TRIGGER t AFTER INSERT ON run BEGIN DELETE FROM event; END" + disguise + "type = 'TRIGGER' WHERE name = 't'", `the trigger "t"`},
		{"CREATE TRIGGER t AFTER INSERT ON run BEGIN DELETE FROM event; END" + disguise + "type = 'table', rootpage = 2 WHERE name = 't'", ""},
		{"CREATE TRIGGER event AFTER INSERT ON run BEGIN DELETE FROM run WHERE run < 2; END" + before, `the trigger "event"`},
		{"CREATE TRIGGER event AFTER INSERT ON run BEGIN DELETE FROM run WHERE run < 2; END", `the trigger "event"`},
		{
			"CREATE TRIGGER Stated AFTER INSERT ON run BEGIN SELECT count(*) FROM (WITH RECURSIVE n(i) AS " +
				"(SELECT 1 UNION ALL SELECT i+1 FROM n) SELECT i FROM n); END" + before,
			`the trigger "Stated"`,
		},
		{"CREATE VIEW mine AS SELECT 1", `the view "mine"`},
		{"CREATE VIEW mine AS SELECT 1" + disguise + "type = 'View' WHERE name = 'mine'", `the view "mine"`},
		{"CREATE VIRTUAL TABLE v USING rtree(id, a, b)", `the virtual table "v"`},
		{"CREATE TABLE u(a, b AS (a || 'x'))", `the table with generated columns "u"`},
		{"CREATE TABLE u(a, b AS (a || 'x') STORED)", `the table with generated columns "u"`},
		{"CREATE INDEX i ON event(abs(time))", `the index on an expression or a condition "i"`},
		{"CREATE INDEX i ON event(time) WHERE time > 7", `the index on an expression or a condition "i"`},
		{"CREATE UNIQUE INDEX i ON verdict(tool)", `the unique index on a table of the trace "i"`},
		{
			"CREATE UNIQUE INDEX i ON verdict(tool)" + disguise + "tbl_name = 'VERDICT' WHERE name = 'i'",
			`the unique index on a table of the trace "i"`,
		},
		{
			"CREATE INDEX i ON event(time) WHERE time > 7" + disguise + "name = 'I' WHERE name = 'i'",
			`the index on an expression or a condition "I"`,
		},
		{
			"CREATE INDEX i ON event(time)" + disguise + "name = 'verdict', sql = 'CREATE INDEX verdict ON event(time)' WHERE name = 'i'",
			`the table "verdict" is not defined as expected`,
		},
		{
			"CREATE INDEX i ON event(time)" + disguise + "rootpage = (SELECT rootpage FROM sqlite_schema WHERE name = 'member') WHERE name = 'i'",
			`shares its pages`,
		},
		{"DROP VIEW events; CREATE VIEW Events AS SELECT 1", ""},
		{"PRAGMA writable_schema = ON; UPDATE sqlite_schema SET type = 'VIEW' WHERE name = 'events'", ""},
		{"DROP VIEW events; CREATE TABLE events(a)", ""},
	} {
		path := filepath.Join(t.TempDir(), "trace.db")
		mustSave(t, path, election())
		change(t, path, c.sql)
		before := hash(t, path)
		_, err := Open(path)
		if (!errors.Is(err, ErrNotTrace) && !errors.Is(err, ErrDamaged)) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: Open: error %v, want %s", c.sql, err, c.want)
		}
		if err := save(path, election()); !errors.Is(err, ErrNotTrace) && !errors.Is(err, ErrDamaged) {
			t.Errorf("%s: appending: %v", c.sql, err)
		}
		if hash(t, path) != before {
			t.Errorf("%s: the file has changed", c.sql)
		}
	}
}

// TestAddedTables: tables and indexes of columns may be added.
func TestAddedTables(t *testing.T) {
	path := filepath.Join(t.TempDir(), "trace.db")
	mustSave(t, path, election())
	change(
		t, path,
		"CREATE TABLE mine(a INTEGER PRIMARY KEY AUTOINCREMENT, b UNIQUE); CREATE INDEX i ON event(time); "+
			"CREATE UNIQUE INDEX j ON mine(a, b); ANALYZE",
	)
	mustSave(t, path, election())
	expectRun(t, path, 2, election())
}

// TestVerdictSums: verdicts that were altered are noticed, and no others are
// saved beside them.
func TestVerdictSums(t *testing.T) {
	for _, sql := range []string{
		"UPDATE verdict SET verdict = 'satisfied'",
		"UPDATE verdict SET witness = NULL",
		"DELETE FROM verdict WHERE property = 'a'",
		"INSERT INTO verdict VALUES(2, 'c', 'satisfied', NULL, NULL, NULL, NULL)",
		"DELETE FROM verdict_sum WHERE run = 2",
		"UPDATE verdict_sum SET sum = sum + 1 WHERE run = 2",
	} {
		path := filepath.Join(t.TempDir(), "trace.db")
		mustSave(t, path, election(), election())
		rows := []Verdict{{Run: 2, Property: "a", Verdict: "violated", Witness: "[1]"}, {Run: 2, Property: "b", Verdict: "violated"}}
		for range 2 {
			if err := SaveVerdicts(path, rows); err != nil {
				t.Fatal(err)
			}
		}
		change(t, path, sql)
		want := path + ": run 2: the verdicts that were saved do not match their check sum"
		if err := SaveVerdicts(path, rows[:1]); err == nil || err.Error() != want {
			t.Errorf("%s: error %v, want %s", sql, err, want)
		}
		if err := SaveVerdicts(path, []Verdict{{Run: 1, Property: "a", Verdict: "violated"}}); err != nil {
			t.Errorf("%s: another run: %v", sql, err)
		}
	}
}

// TestEncoding: a trace whose text is not UTF-8 can be read, and appending to it fails at once.
func TestEncoding(t *testing.T) {
	path := filepath.Join(t.TempDir(), "trace.db")
	if err := os.WriteFile(path, nil, 0o666); err != nil {
		t.Fatal(err)
	}
	c, err := connect(path, path, "rw")
	if err == nil {
		err = c.exec("PRAGMA encoding = 'UTF-16le'")
	}
	if err == nil {
		err = createSchema(c)
	}
	if err != nil {
		t.Fatal(err)
	}
	c.Close()
	db, err := Open(path)
	if err != nil {
		t.Fatal(err)
	}
	db.Close()
	want := path + ": the trace keeps text as UTF-16le, expected UTF-8 to add anything"
	if _, err := OpenAppend(path); err == nil || err.Error() != want {
		t.Errorf("error %v, want %s", err, want)
	}
}
