package tracedb

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"etrace/tracefmt"
)

// table runs a query and returns its rows as lines, NULL as "-" and text in
// quotes, so that types show.
func table(t testing.TB, path, sql string) string {
	t.Helper()
	db, err := Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	rows, err := db.Query(context.Background(), sql, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	var b strings.Builder
	for rows.Next() {
		for i, v := range rows.Values() {
			if i > 0 {
				b.WriteByte(' ')
			}
			switch v := v.(type) {
			case nil:
				b.WriteByte('-')
			case string:
				fmt.Fprintf(&b, "'%s'", v)
			default:
				fmt.Fprint(&b, v)
			}
		}
		b.WriteByte('\n')
	}
	if err := rows.Err(); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestViews(t *testing.T) {
	path := filepath.Join(t.TempDir(), "trace.db")
	bare := tracefmt.NewMemory(tracefmt.Run{TimeUnit: tracefmt.Logical})
	bare.Finish(tracefmt.Stopped)
	mustSave(t, path, bare, election())
	if err := SaveVerdicts(
		path,
		[]Verdict{
			{
				Run: 2, Property: "agreement", Verdict: "violated", Witness: "[3,4]", Explanation: "two",
				CheckedAt: "2026-01-01T00:00:00Z", Tool: "etrace",
			},
			{Run: 1, Property: "agreement", Verdict: "vacuous"},
		},
	); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ sql, want string }{
		{`SELECT * FROM runs`, `
1 - - - - - - 0 'logical' - - 'stopped' 0 - -
2 'example' 'bully' 'election' 'simulated' '{"algorithm":"bully"}' 7 3 'delay' - 'etrace test' 'quiescent' 10 - '{"default":"all"}'
`},
		{`SELECT * FROM members`, `
2 '4' '4' 1 -
2 'p-2' 'p-2' 2 '{"rack":"a"}'
2 'é' 'é' 3 -
`},
		{`SELECT * FROM events`, `
2 1 0 '4' 'start' - - - - 1 - - 1 -
2 2 0 '4' 'send' 'ELECTION' 'p-2' 1 - 2 3 '{"from":4}' 2 -
2 3 0 '4' 'send' 'ELECTION' 'é' 2 - 3 - - 3 -
2 4 0 '4' 'send' - 'é' 3 - 4 - - 4 -
2 5 0 'p-2' 'send' 'OK' '4' 4 - 1 - '{}' 5 -
2 6 1000000000 'p-2' 'receive' 'ELECTION' '4' 1 2 3 3 - 6 2
2 7 1000000000 'é' 'lose' 'ELECTION' '4' 2 3 - - '{"reason":"receiver crashed"}' 7 3
2 8 1000000000 'é' 'lose' - '4' 3 4 - - '{"reason":"dropped"}' 8 4
2 9 2000000000 'p-2' 'receive' 'ELECTION' '4' 1 2 4 - - 9 2
2 10 2000000000 - 'partition' - - - - - - '{"groups":[[1],[2]]}' 10 -
`},
		{`SELECT * FROM messages`, `
2 1 'ELECTION' '4' 'p-2' 2 6 0 1000000000 'delivered' 2 6
2 2 'ELECTION' '4' 'é' 3 - 0 - 'receiver crashed' 3 -
2 3 - '4' 'é' 4 - 0 - 'lost' 4 -
2 4 'OK' 'p-2' '4' 5 - 0 - 'in flight' 5 -
`},
		{`SELECT * FROM verdicts ORDER BY run`, `
1 'agreement' 'vacuous' - - - -
2 'agreement' 'violated' '[3,4]' 'two' '2026-01-01T00:00:00Z' 'etrace'
`},
		// A process may be asked for as a number or as text.
		{`SELECT count(*) FROM events WHERE process = 4`, "4\n"},
		{`SELECT count(*) FROM events WHERE process = '4'`, "4\n"},
		{`SELECT count(*) FROM events WHERE peer = 4`, "5\n"},
		{`SELECT count(*) FROM members WHERE process = 4 AND name = 4`, "1\n"},
		{`SELECT count(*) FROM messages WHERE sender = 4 AND receiver <> 4`, "3\n"},
		{`SELECT payload ->> 'from' FROM events WHERE run = 2 AND seq = 2`, "4\n"},
		{
			`SELECT group_concat(name) FROM pragma_table_info('runs')`,
			"'run,name,algorithm,problem,source,scenario,seed,processes,time_unit,started_at,tool,end,events,traits,tells'\n",
		},
		{`SELECT group_concat(name) FROM pragma_table_info('members')`, "'run,process,name,position,attributes'\n"},
		{
			`SELECT group_concat(name) FROM pragma_table_info('events')`,
			"'run,seq,time,process,kind,type,peer,message,cause,lamport,term,payload,id,cause_id'\n",
		},
		{
			`SELECT group_concat(name) FROM pragma_table_info('messages')`,
			"'run,message,type,sender,receiver,sent_seq,received_seq,sent_at,received_at,fate,sent_id,received_id'\n",
		},
		{`SELECT group_concat(name) FROM pragma_table_info('verdicts')`, "'run,property,verdict,witness,explanation,checked_at,tool'\n"},
	} {
		if diff := cmp.Diff(strings.TrimPrefix(c.want, "\n"), table(t, path, c.sql)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", c.sql, diff)
		}
	}
}

// TestViewPlans compares the plans of SQLite with what makes the views linear:
// a run is found by its range of ids, messages never looks for its receives
// one by one, and a join finds events by their ids. The joins are those of
// etrace explain sql.
func TestViewPlans(t *testing.T) {
	path := filepath.Join(t.TempDir(), "trace.db")
	mustSave(t, path, election(), election())
	const run, events, event = "SEARCH r USING INTEGER PRIMARY KEY (rowid=?)",
		"SEARCH e USING INTEGER PRIMARY KEY (rowid>? AND rowid<?)", "SEARCH e USING INTEGER PRIMARY KEY (rowid=?)"
	for _, c := range []struct {
		sql  string
		want []string
	}{
		{`SELECT * FROM events WHERE run = 2`, []string{run, events}},
		{`SELECT * FROM messages WHERE run = 2`, []string{run, events}},
		{`SELECT * FROM events WHERE run = 2 AND id = 12`, []string{run, event}},
		{
			`SELECT m.message, s.lamport FROM messages m JOIN events s ON s.run = m.run AND s.id = m.sent_id WHERE m.run = 2`,
			[]string{run, events, event},
		},
		{`SELECT m.message, s.lamport, r.lamport FROM messages m
  JOIN events s ON s.run = m.run AND s.id = m.sent_id
  JOIN events r ON r.run = m.run AND r.id = m.received_id WHERE m.run = 2`, []string{run, events, event}},
		{
			`SELECT e.seq, c.process FROM events e JOIN events c ON c.run = e.run AND c.id = e.cause_id WHERE e.run = 2`,
			[]string{run, events, event},
		},
	} {
		plan := table(t, path, "EXPLAIN QUERY PLAN "+c.sql)
		for _, want := range c.want {
			if !strings.Contains(plan, want) {
				t.Errorf("%s: the plan lacks %q:\n%s", c.sql, want, plan)
			}
		}
		for _, bad := range []string{"AUTOMATIC", "SCAN e", "SCAN r", "LEFT-JOIN"} {
			if strings.Contains(plan, bad) {
				t.Errorf("%s: the plan has %q:\n%s", c.sql, bad, plan)
			}
		}
		// Each event is searched for by range at most once for each view that
		// has no id given.
		if n := strings.Count(plan, events); n > 1 {
			t.Errorf("%s: %d walks through the events:\n%s", c.sql, n, plan)
		}
	}
}
