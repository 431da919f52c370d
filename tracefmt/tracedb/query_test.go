package tracedb

import (
	"context"
	"errors"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestQueryValues(t *testing.T) {
	path := filepath.Join(t.TempDir(), "trace.db")
	mustSave(t, path, election())
	db, err := Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	rows, err := db.Query(context.Background(), "-- a comment\n VALUES(NULL, 1, 2.5, ';', x'3b'); -- and; another\n/* one; more */ ", nil)
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	if diff := cmp.Diff([]string{"column1", "column2", "column3", "column4", "column5"}, rows.Columns()); diff != "" {
		t.Error(diff)
	}
	for rows.Next() {
		if diff := cmp.Diff([]any{nil, int64(1), 2.5, ";", []byte(";")}, rows.Values()); diff != "" {
			t.Error(diff)
		}
	}
	if err := rows.Err(); err != nil {
		t.Error(err)
	}
}

// TestQueryOnlyReads: nothing that a statement can do changes a file.
func TestQueryOnlyReads(t *testing.T) {
	folder := t.TempDir()
	path := filepath.Join(folder, "trace.db")
	mustSave(t, path, election())
	before := hash(t, path)
	db, err := Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	for _, c := range []struct{ sql, want string }{
		{"", "expected a SELECT statement"},
		{"  -- nothing", "expected a SELECT statement"},
		{"DELETE FROM event", "a trace is only read here, expected a SELECT statement, not DELETE"},
		{"insert into kind values(99, 'x')", "expected a SELECT statement, not INSERT"},
		{"DROP VIEW events", "not DROP"},
		{"ATTACH 'other.db' AS o", "not ATTACH"},
		{"PRAGMA user_version = 9", "not PRAGMA"},
		{"VACUUM INTO 'other.db'", "not VACUUM"},
		{"BEGIN", "not BEGIN"},
		{"CREATE TEMP TABLE a(b)", "not CREATE"},
		{"SELECT 1; DELETE FROM event", "expected a single statement, but more follows after the first semicolon"},
		{"SELECT ';'';'; SELECT 2", "expected a single statement, but more follows after the first semicolon"},
		{"WITH a AS (SELECT 1) DELETE FROM event", "a trace is only read here"},
		{"WITH a(b) AS (SELECT 1) INSERT INTO kind SELECT b, 'x' FROM a", "a trace is only read here"},
		{"EXPLAIN DELETE FROM event", "a trace is only read here"},
		{"SELECT load_extension('x')", "not authorized to use function: load_extension"},
		{"SELECT * FROM pragma_journal_mode", "a trace is only read here"},
		{"SELECT ?", "the statement has parameters (?), expected values in their place"},
		{"SELECT colour FROM events", "no such column: colour; etrace query --help lists the columns"},
		{"SELECT e.kin FROM events e", `no such column: e.kin, did you mean "kind"? etrace query --help lists the columns`},
		{"SELECT payload FROM messages", "no such column: payload, which is a column of events; etrace query --help lists the columns"},
		{"SELECT * FROM messges", `unknown view "messges", did you mean "messages"? (known: runs, members, events, messages, verdicts)`},
		{"SELECT * FROM runs WHERE", "the SQL is incomplete"},
		{"SELECT * FROM runs GROUP run", `the SQL is wrong at "run"`},
		{"SELECT 1 FROM", "the SQL is incomplete"},
		{"SELECT 1\x00; DELETE FROM event", "the SQL holds a NUL character"},
	} {
		rows, err := db.Query(context.Background(), c.sql, nil)
		if err == nil {
			for rows.Next() {
			}
			err = rows.Err()
			rows.Close()
		}
		if !errors.Is(err, errNotQuery) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: error %v, want %s", c.sql, err, c.want)
		}
	}
	if hash(t, path) != before {
		t.Error("the trace has changed")
	}
	expectFolder(t, folder, "trace.db")
}

// TestQueryStops: a query without end ends with its context.
func TestQueryStops(t *testing.T) {
	path := filepath.Join(t.TempDir(), "trace.db")
	mustSave(t, path, election())
	db, err := Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	for _, sql := range []string{
		"WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT max(i) FROM n",
		"WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT i FROM n",
	} {
		ctx, cancel := context.WithTimeout(context.Background(), 50*time.Millisecond)
		defer cancel()
		rows, err := db.Query(ctx, sql, nil)
		if err == nil {
			for rows.Next() {
			}
			err = rows.Err()
			rows.Close()
		}
		if !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("%s: error %v", sql, err)
		}
	}
}

// TestQueryRemarksFirst: the remark on a slow statement comes before the statement runs, which may never end.
func TestQueryRemarksFirst(t *testing.T) {
	path := filepath.Join(t.TempDir(), "trace.db")
	mustSave(t, path, election())
	db, err := Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	ctx, cancel := context.WithCancel(t.Context())
	rows, err := db.Query(ctx, "SELECT count(*) FROM events a JOIN events b ON a.run = b.run AND a.seq = b.cause", cancel)
	if err == nil {
		rows.Close()
	}
	if !errors.Is(err, context.Canceled) {
		t.Errorf("%v, expected a statement that does not run after the remark has cancelled it", err)
	}
}

// TestMessagesAreLinear would run into the limit if the receives of each
// message were searched for.
func TestMessagesAreLinear(t *testing.T) {
	path := filepath.Join(t.TempDir(), "trace.db")
	mustSave(t, path, election(), pingPong(100_000))
	db, err := Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
	defer cancel()
	rows, err := db.Query(ctx, "SELECT count(*), sum(received_seq - sent_seq) FROM messages WHERE run = 2 AND fate = 'delivered'", nil)
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	if !rows.Next() || !cmp.Equal(rows.Values(), []any{int64(100_000), int64(100_000)}) {
		t.Errorf("%v, %v", rows.Values(), rows.Err())
	}
}

func TestNoRun(t *testing.T) {
	path := filepath.Join(t.TempDir(), "trace.db")
	mustSave(t, path)
	expect := func(want string) {
		t.Helper()
		if _, _, err := load(path, 9); !errors.Is(err, errNoRun) || !strings.HasSuffix(err.Error(), want) {
			t.Errorf("error %v, want %s", err, want)
		}
	}
	expect("trace.db: no run 9, the trace has no runs")
	mustSave(t, path, election())
	expect("trace.db: no run 9, the trace has run 1")
	mustSave(t, path, election(), election(), election())
	expect("trace.db: no run 9, the trace has runs 1-4")
	change(t, path, "DELETE FROM run WHERE run = 3; DELETE FROM member WHERE run = 3")
	expect("trace.db: no run 9, the trace has runs 1-2, 4")
	if err := SaveVerdicts(path, []Verdict{{Run: 3, Property: "a", Verdict: "b"}}); !errors.Is(err, errNoRun) {
		t.Errorf("SaveVerdicts: %v", err)
	}
}

func TestSaveVerdictsReplaces(t *testing.T) {
	path := filepath.Join(t.TempDir(), "trace.db")
	mustSave(t, path, election(), election())
	for _, vs := range [][]Verdict{
		{{Run: 1, Property: "a", Verdict: "pending"}, {Run: 2, Property: "a", Verdict: "pending"}},
		{{Run: 1, Property: "a", Verdict: "violated", Witness: "[1]"}},
		{{Run: 1, Property: "b", Verdict: "x"}, {Run: 7, Property: "b", Verdict: "x"}}, // none of these
	} {
		SaveVerdicts(path, vs)
	}
	got := table(t, path, "SELECT run, property, verdict, witness FROM verdicts ORDER BY run, property")
	if want := "1 'a' 'violated' '[1]'\n2 'a' 'pending' -\n"; got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
}

// A table of etrace itself gets a remark, whose name a query may have by mistake.
func TestQueryRemark(t *testing.T) {
	for sql, want := range map[string]string{
		"select * from run":                       `run is a table of etrace itself, whose layout may change; did you mean the view "runs"?`,
		"select * from runs r\njoin EVENT e on 1": `EVENT is a table of etrace itself, whose layout may change; did you mean the view "events"?`,
		"select * from kind": "kind is a table of etrace itself, whose layout may " +
			"change; the views are runs, members, events, messages, verdicts",
		"select run from events where kind = 'state'":  "",
		"select event.kind from events as event":       "",
		"select * from messages join members on 1 = 1": "",
	} {
		if got := QueryRemark(sql); got != want {
			t.Errorf("%s\ngot  %s\nwant %s", sql, got, want)
		}
	}
}

// TestQueryTakesBoundedMemory: a statement with a too large result fails, and the error names the limit.
func TestQueryTakesBoundedMemory(t *testing.T) {
	path := filepath.Join(t.TempDir(), "trace.db")
	mustSave(t, path, election())
	db, err := Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	many := "hex(zeroblob(30000000))" + strings.Repeat(", hex(zeroblob(30000000))", 11)
	for _, c := range []struct{ sql, want string }{
		{"select hex(randomblob(400000000))", "a value has more than 64 MiB, the most that a query makes"},
		{"select hex(zeroblob(60000000))", "a value has more than 64 MiB"},
		{
			"with recursive n(i) as (select 1 union all select i + 1 from n limit 100) select group_concat(hex(zeroblob(1000000))) from n",
			"a value has more than 64 MiB",
		},
		{"select " + many, "the statement takes more than 512 MiB of memory, the most that a query gets"},
	} {
		rows, err := db.Query(context.Background(), c.sql, nil)
		if err == nil {
			for rows.Next() {
			}
			err = rows.Err()
			rows.Close()
		}
		if !errors.Is(err, errNotQuery) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%.60s: got %v, want %s", c.sql, err, c.want)
		}
	}
}

// TestQueryRemarks: a statement that scans all events for each of many rows gets a remark.
func TestQueryRemarks(t *testing.T) {
	path := filepath.Join(t.TempDir(), "trace.db")
	mustSave(t, path, election())
	db, err := Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	for sql, slow := range map[string]bool{
		"select * from events":                                                                                     false,
		"select * from events where seq = 2 and run = 1":                                                           false,
		"select * from messages":                                                                                   false,
		"select * from events join members using(run, process)":                                                    false,
		"select * from messages m join events s on s.run = m.run and s.id = m.sent_id":                             false,
		"select * from events e where e.seq in (select sent_seq from messages)":                                    false,
		"select * from events b left join events a on a.run = b.run and a.id = b.cause_id":                         false,
		"select * from messages m join events s on s.run = m.run and s.seq = m.sent_seq":                           true,
		"select * from events s join messages m on s.run = m.run and m.sent_seq = s.seq":                           true,
		"select * from events a join events b on a.run = b.run and a.seq = b.cause":                                true,
		"select seq from events e where exists (select 1 from events f where f.run = e.run and f.seq = e.seq + 1)": true,
		"explain query plan select * from messages m join events s on s.run = m.run and s.seq = m.sent_seq":        false,
	} {
		said := false
		rows, err := db.Query(context.Background(), sql, func() { said = true })
		if err != nil {
			t.Fatal(err)
		}
		if said != slow {
			t.Errorf("%s: remarked %v, want %v", sql, said, slow)
		}
		rows.Close()
	}
}
