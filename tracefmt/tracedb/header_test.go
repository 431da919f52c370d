package tracedb

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"etrace/tracefmt"
)

// TestBadFiles: what is not a trace is named, by every way to open it, and
// left as it was.
func TestBadFiles(t *testing.T) {
	folder := t.TempDir()
	good := filepath.Join(folder, "good.db")
	mustSave(t, good, election(), longRun(200))
	trace, err := os.ReadFile(good)
	if err != nil {
		t.Fatal(err)
	}
	patch := func(offset int, value uint32) string {
		b := append([]byte(nil), trace...)
		binary.BigEndian.PutUint32(b[offset:], value)
		return string(b)
	}
	otherSQLite := func(sql string) string {
		path := filepath.Join(folder, "other.db")
		os.Remove(path)
		if err := os.WriteFile(path, nil, 0o666); err != nil {
			t.Fatal(err)
		}
		c, err := connect(path, path, "rw")
		if err != nil {
			t.Fatal(err)
		}
		defer c.Close()
		if err := c.exec(sql); err != nil {
			t.Fatal(err)
		}
		b, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		return string(b)
	}
	for _, c := range []struct {
		name, contents string
		kind           error
		want           string
	}{
		{"empty", "", ErrNotTrace, "the file is empty, expected an etrace trace"},
		{"png", "\x89PNG\r\n\x1a\n" + strings.Repeat("x", 200), ErrNotTrace, "not a SQLite database but a PNG image, expected an etrace trace"},
		{
			"text", `{"format":"etrace/1","members":[]}`, ErrNotTrace,
			"not a SQLite database but the text form of a trace, which has to be imported, expected an etrace trace",
		},
		{"short", "SQLite", ErrDamaged, "the file ends after 6 bytes, inside its header"},
		{
			"letter", "Dear Sir or Madam, to whom", ErrNotTrace,
			`not a SQLite database but a file that begins with "Dear Sir or Madam, to wh", expected an etrace trace`,
		},
		{
			"other application", otherSQLite("PRAGMA application_id = 7; CREATE TABLE a(b)"), ErrNotTrace,
			"not an etrace trace: application id 0x00000007, expected 0x45545243",
		},
		{"newer", patch(60, 7), errVersion, "schema version 7, this etrace reads 1"},
		{"older", patch(60, 0), errVersion, "schema version 0, this etrace reads 1"},
		{"cut", string(trace[:len(trace)-1]), ErrDamaged, fmt.Sprintf("expected %d pages of 4096", len(trace)/4096)},
		{"cut inside header", string(trace[:50]), ErrDamaged, "the file ends after 50 bytes, inside its header"},
		{
			"no tables",
			otherSQLite("PRAGMA application_id = 0x45545243; PRAGMA user_version = 1; CREATE TABLE a(b)"),
			ErrNotTrace, `the table "run" is missing, expected the schema of an etrace trace`,
		},
	} {
		path := filepath.Join(folder, c.name)
		if err := os.WriteFile(path, []byte(c.contents), 0o666); err != nil {
			t.Fatal(err)
		}
		expectRefused(t, path, c.kind, c.want)
		if b, err := os.ReadFile(path); err != nil || string(b) != c.contents {
			t.Errorf("%s: the file has changed, %v", c.name, err)
		}
		for _, suffix := range []string{"-journal", "-wal", "-shm"} {
			if _, err := os.Stat(path + suffix); err == nil {
				t.Errorf("%s%s was left", c.name, suffix)
			}
		}
	}
	expectRefused(t, folder, ErrNotTrace, "is a directory, expected an etrace trace")
	if _, err := Open(filepath.Join(folder, "none")); !errors.Is(err, fs.ErrNotExist) ||
		!strings.HasSuffix(err.Error(), "none: no such file or directory") {
		t.Errorf("a file that is not there: %v", err)
	}
	if _, err := Open(filepath.Join(good, "below")); err == nil {
		t.Errorf("a file below a file: no error")
	}
}

// expectRefused tries every way to open a file.
func expectRefused(t *testing.T, path string, kind error, want string) {
	t.Helper()
	for way, open := range map[string]func() error{
		"Open":         func() error { _, err := Open(path); return err },
		"OpenAppend":   func() error { _, err := OpenAppend(path); return err },
		"OpenLive":     func() error { _, err := OpenLive(path, LiveOptions{}); return err },
		"SaveVerdicts": func() error { return SaveVerdicts(path, []Verdict{{Run: 1}}) },
	} {
		err := open()
		if err == nil || !errors.Is(err, kind) || !strings.HasSuffix(err.Error(), want) || !strings.HasPrefix(err.Error(), path+": ") {
			t.Errorf("%s: error %v, want %s: ... %s", way, err, path, want)
		}
		if err != nil && strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: the error has several lines: %v", way, err)
		}
	}
}

// TestRedefinedSchema: the schema determines what a query reads, so it must be the expected one. Additions of a
// user are harmless.
func TestRedefinedSchema(t *testing.T) {
	for _, c := range []struct{ sql, want string }{
		{"DROP VIEW events; CREATE VIEW events AS SELECT 1 AS run", `the view "events" is not defined as expected in an etrace trace`},
		{"DROP VIEW runs", `the view "runs" is missing, expected the schema of an etrace trace`},
		{"ALTER TABLE event ADD COLUMN more", `the table "event" is not defined as expected in an etrace trace`},
		{"DROP VIEW events; CREATE TABLE events(a)", `the view "events" is not defined as expected in an etrace trace`},
		{
			"CREATE TRIGGER t AFTER INSERT ON run BEGIN DELETE FROM event; END",
			`the file holds the trigger "t", expected a trace with nothing added but tables and indexes of columns`,
		},
		{"CREATE TABLE mine(a); CREATE INDEX i ON event(time); ANALYZE", ""},
	} {
		path := filepath.Join(t.TempDir(), "trace.db")
		mustSave(t, path, election())
		change(t, path, c.sql)
		if c.want == "" {
			mustSave(t, path, election())
			expectRun(t, path, 2, election())
			continue
		}
		expectRefused(t, path, ErrNotTrace, c.want)
	}
}

// change does to a trace what a user of sqlite3 can do.
func change(t testing.TB, path, sql string) {
	t.Helper()
	c, err := connect(path, path, "rw")
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	if err := c.exec(sql); err != nil {
		t.Fatal(err)
	}
}

// TestOldVersions reads one file of each former layout. v1.db is from before statements of runs, v1-stated.db
// from before ids in views and sums of verdicts, and v1-ids.db from before the completeness in the view runs.
// v1-tells.db is from before kinds of bounds, v1-bounds.db from before message types in runs, and v1-types.db
// from before NULL for unrecorded clocks. ETRACE_UPDATE=1 creates a missing file of the present layout.
func TestOldVersions(t *testing.T) {
	const present = "testdata/v1-clocks.db"
	if _, err := os.Stat(present); os.Getenv("ETRACE_UPDATE") != "" && errors.Is(err, fs.ErrNotExist) {
		mustSave(t, present, stating(), longRun(20))
		if err := SaveVerdicts(present, []Verdict{{Run: 1, Property: "agreement", Verdict: "violated", Witness: "[2]"}}); err != nil {
			t.Fatal(err)
		}
	}
	for path, first := range map[string]*tracefmt.Memory{
		"testdata/v1.db": election(), "testdata/v1-stated.db": formerStating(),
		"testdata/v1-ids.db": formerStating(), "testdata/v1-tells.db": formerStating(),
		"testdata/v1-bounds.db": boundsStating(), "testdata/v1-types.db": stating(), present: stating(),
	} {
		expectRun(t, path, 1, first)
		expectRun(t, path, 2, longRun(20))
		if got := table(t, path, "SELECT * FROM verdicts"); got != "1 'agreement' 'violated' '[2]' - - -\n" {
			t.Errorf("%s: verdicts %s", path, got)
		}
		if got := table(t, path, "SELECT count(*) FROM events WHERE lamport = 0"); got != "0\n" {
			t.Errorf("%s: %s events have the Lamport clock 0, expected NULL: it is not recorded", path, got)
		}
	}
}

// noErrorOrSame accepts an error, or all events unchanged, for each run by itself:
// a damaged one must not make anything of the others wrong.
func noErrorOrSame(t testing.TB, path string, name string, wants ...*tracefmt.Memory) {
	t.Helper()
	db, err := Open(path)
	if err != nil {
		return
	}
	defer db.Close()
	runs, _, _ := db.Survey()
	for _, run := range runs {
		if run.Number > len(wants) || run.Number < 1 {
			t.Errorf("%s: there is a run %d, which nobody wrote", name, run.Number)
		}
	}
	for i, want := range wants {
		r, err := db.Recording(i + 1)
		if err != nil {
			continue
		}
		run, events, err := collect(r, 1)
		if err != nil {
			continue
		}
		wantRun, wantEvents, _ := collect(want, 1)
		wantRun.Number = i + 1
		if diff := diffRuns(wantRun, run, wantEvents, events); diff != "" {
			t.Errorf("%s: run %d reads without an error, but differs (-want +got):\n%s", name, i+1, diff)
		}
	}
}
