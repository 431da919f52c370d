package tracedb

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"etrace/tracefmt"
)

// stating is the election, as a run that states what kind of run it is.
func stating() *tracefmt.Memory {
	m := boundsStating()
	m.Run().Basic, m.Run().Token = []string{"WORK", "MONEY"}, []string{"TOKEN"}
	return m
}

// boundsStating is what a run could state before it named types of messages.
func boundsStating() *tracefmt.Memory {
	m := formerStating()
	m.Run().Bounds = append(m.Run().Bounds, tracefmt.Bound{
		Messages: "2*edges", Kind: tracefmt.ExactCase, Without: []string{"elected"}, Given: map[string]int64{"edges": 3, "width": 2},
	})
	return m
}

// formerStating is what a run could state before bounds had kinds.
func formerStating() *tracefmt.Memory {
	m := election()
	m.Run().Traits = []string{tracefmt.GreatestWins, "my-own"}
	m.Run().Bounds = []tracefmt.Bound{{Messages: "n*n", If: "n < 9", Counts: tracefmt.CountsSent, Source: "é"}, {Messages: "2*n"}}
	return m
}

func TestStated(t *testing.T) {
	path := filepath.Join(t.TempDir(), "t.db")
	mustSave(t, path, election(), stating())
	expectRun(t, path, 1, election())
	expectRun(t, path, 2, stating())
	if diff := cmp.Diff("1 -\n2 '[\"greatest-wins\",\"my-own\"]'\n", table(t, path, "SELECT run, traits FROM runs")); diff != "" {
		t.Errorf("traits (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff("2 'greatest-wins'\n2 'my-own'\n", table(t, path, "SELECT run, value FROM runs, json_each(traits)")); diff != "" {
		t.Errorf("traits one by one (-want +got):\n%s", diff)
	}
	for _, sql := range []string{
		"UPDATE stated SET value = '[\"greatest-wins\"]' WHERE key = 'traits'",
		"UPDATE stated SET value = '[' WHERE key = 'traits'",
		"UPDATE stated SET key = 'trait' WHERE key = 'traits'",
		"UPDATE stated SET run = 1",
		"UPDATE stated SET run = 3",
		"DELETE FROM stated WHERE key = 'bounds'",
		"UPDATE stated SET value = replace(value, 'exact', 'worst') WHERE key = 'bounds'",
		"UPDATE stated SET value = replace(value, '\"elected\"', '\"candidate\"') WHERE key = 'bounds'",
		"UPDATE stated SET value = replace(value, '\"width\":2', '\"width\":3') WHERE key = 'bounds'",
		"UPDATE stated SET value = replace(value, 'n < 9', 'n < 8')",
		"UPDATE stated SET value = replace(value, 'MONEY', 'HONEY') WHERE key = 'basic'",
		"UPDATE stated SET key = 'best' WHERE key = 'token'",
		"UPDATE stated SET value = x'00'",
	} {
		bad := copyOf(t, path)
		change(t, bad, sql)
		if _, _, err := load(bad, 2); !errors.Is(err, ErrDamaged) {
			t.Errorf("%s: got %v, expected damage", sql, err)
		}
	}
}

// telling returns the election with a declaration of completeness.
func telling() *tracefmt.Memory {
	m := election()
	m.Run().Source = "recorded"
	m.Run().Completeness = &tracefmt.Completeness{
		Levels: tracefmt.Levels{
			Default: tracefmt.All,
			Kinds:   map[string]tracefmt.Level{"timers": tracefmt.None, "state.elected": tracefmt.Some},
		},
		Processes: map[string]tracefmt.Levels{"p-2": {Default: tracefmt.Some}},
		Gaps:      []tracefmt.Gap{{Process: "4", From: 2, To: 4, Dropped: 17}},
	}
	return m
}

func TestTells(t *testing.T) {
	path := filepath.Join(t.TempDir(), "t.db")
	mustSave(t, path, telling(), election())
	expectRun(t, path, 1, telling())
	want := `1 '{"default":"all","kinds":{"state.elected":"some","timers":"none"},"processes":{"p-2":{"default":"some"}},` +
		`"gaps":[{"process":"4","from":2,"to":4,"dropped":17}]}'` +
		"\n2 '{\"default\":\"all\"}'\n"
	if diff := cmp.Diff(want, table(t, path, "SELECT run, tells FROM runs")); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	for _, edit := range []string{
		`replace(value, '"all"', '"some"')`, `replace(value, '17', '18')`, `replace(value, 'p-2', 'é')`,
		`replace(value, 'timers', 'states')`, `'{"default":"much"}'`,
	} {
		bad := copyOf(t, path)
		change(t, bad, "UPDATE stated SET value = "+edit+" WHERE key = 'tells'")
		if _, _, err := load(bad, 1); !errors.Is(err, ErrDamaged) {
			t.Errorf("%s: got %v, expected damage", edit, err)
		}
	}
}

// TestRepaired: that a run was repaired, and where, is a part of it that no edit takes away.
func TestRepaired(t *testing.T) {
	path := filepath.Join(t.TempDir(), "t.db")
	m := telling()
	m.Run().Repaired = map[string]int64{"false-end": 1, "lamport-clocks": 7}
	mustSave(t, path, m)
	expectRun(t, path, 1, m)
	for _, edit := range []string{
		"UPDATE stated SET value = replace(value, '7', '8') WHERE key = 'repaired'",
		"DELETE FROM stated WHERE key = 'repaired'",
	} {
		bad := copyOf(t, path)
		change(t, bad, edit)
		if _, _, err := load(bad, 1); !errors.Is(err, ErrDamaged) {
			t.Errorf("%s: got %v, expected damage", edit, err)
		}
	}
}

// TestMessagesNotSent: for a message without a recorded send, the view has the other columns.
func TestMessagesNotSent(t *testing.T) {
	m := tracefmt.NewMemory(
		tracefmt.Run{TimeUnit: tracefmt.Nanoseconds, Members: []tracefmt.Member{{Name: "a", Position: 1}, {Name: "b", Position: 2}}},
	)
	for i, e := range []tracefmt.Event{
		{Kind: tracefmt.Receive, Process: 2, Peer: 1, Type: "HI", Message: 1, Time: 5},
		{Kind: tracefmt.Lose, Process: 1, Peer: 2, Type: "NO", Message: 2},
	} {
		e.Seq = tracefmt.Seq(i + 1)
		if err := m.Write(&e); err != nil {
			t.Fatal(err)
		}
	}
	if err := m.Finish(tracefmt.Stopped); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "t.db")
	mustSave(t, path, m)
	want := "1 'HI' 'a' 'b' - 1 'delivered'\n2 'NO' 'b' 'a' - - 'lost'\n"
	if got := table(t, path, "SELECT message, type, sender, receiver, sent_seq, received_seq, fate FROM messages"); got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

// TestFormerLayout reads files that were made before runs stated anything, and
// before views had ids, queries them, appends to them, and saves verdicts in
// them.
func TestFormerLayout(t *testing.T) {
	t.Run("v1", func(t *testing.T) { testFormerLayout(t, "testdata/v1.db", election(), "-") })
	t.Run("v1-stated", func(t *testing.T) {
		testFormerLayout(t, "testdata/v1-stated.db", formerStating(), `'["greatest-wins","my-own"]'`)
	})
	t.Run("v1-ids", func(t *testing.T) {
		testFormerLayout(t, "testdata/v1-ids.db", formerStating(), `'["greatest-wins","my-own"]'`)
	})
}

func testFormerLayout(t *testing.T, former string, first *tracefmt.Memory, traits string) {
	const join = "SELECT m.sent_id, s.seq FROM messages m JOIN events s ON s.run = m.run AND s.id = " +
		"m.sent_id WHERE m.message = 2 AND m.run = 1"
	before := "1 " + traits + "\n2 -\n"
	if got := table(t, former, "SELECT run, traits FROM runs"); got != before {
		t.Errorf("got %q, want %q", got, before)
	}
	if got := table(t, former, join); got != "3 3\n" {
		t.Errorf("the present views of a former file: got %q", got)
	}
	for name, write := range map[string]func(path string) error{
		"append": func(path string) error { return save(path, stating()) },
		"live": func(path string) error {
			l, err := OpenLive(path, LiveOptions{})
			if err != nil {
				return err
			}
			if err := tracefmt.Copy(l, stating(), nil); err != nil {
				return err
			}
			return l.Close()
		},
	} {
		path := copyOf(t, former)
		db, err := Open(path) // it stays open while the file changes
		if err != nil {
			t.Fatal(err)
		}
		defer db.Close()
		if err := write(path); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		expectRun(t, path, 1, first)
		expectRun(t, path, 2, longRun(20))
		expectRun(t, path, 3, stating())
		if got, want := table(t, path, "SELECT run, traits FROM runs"), before+"3 '[\"greatest-wins\",\"my-own\"]'\n"; got != want {
			t.Errorf("%s: got %q, want %q", name, got, want)
		}
		if got := table(t, path, join); got != "3 3\n" {
			t.Errorf("%s: the join gives %q", name, got)
		}
		if got := table(t, path, "SELECT * FROM verdicts"); got != "1 'agreement' 'violated' '[2]' - - -\n" {
			t.Errorf("%s: verdicts %s", name, got)
		}
		runs, err := db.Runs()
		if err != nil || len(runs) != 3 || len(runs[2].Traits) != 2 {
			t.Errorf("%s: who had the file open reads %d runs, %v", name, len(runs), err)
		}
		change(t, path, "UPDATE verdict SET verdict = 'satisfied'") // which has a sum by now
		if err := SaveVerdicts(path, []Verdict{{Run: 1, Property: "fifo", Verdict: "satisfied"}}); !errors.Is(err, ErrDamaged) {
			t.Errorf("%s: an altered verdict: %v", name, err)
		}
	}
	path := copyOf(t, former)
	if err := SaveVerdicts(path, []Verdict{{Run: 2, Property: "fifo", Verdict: "satisfied"}}); err != nil {
		t.Fatal(err)
	}
	expectRun(t, path, 1, first)
}

// TestFormerLayoutUntouched: what is given up changes nothing, and a table of
// the user's own is not taken.
func TestFormerLayoutUntouched(t *testing.T) {
	path := copyOf(t, "testdata/v1.db")
	before, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	a, err := OpenAppend(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := a.Discard(); err != nil {
		t.Fatal(err)
	}
	if after, err := os.ReadFile(path); err != nil || string(after) != string(before) {
		t.Errorf("the file has changed, though nothing was committed (%v)", err)
	}
	change(t, path, "CREATE TABLE stated(a)")
	expectRun(t, path, 1, election())
	if err := save(path, stating()); !errors.Is(err, ErrNotTrace) {
		t.Errorf("got %v, expected an error that names the table", err)
	}
}

// copyOf returns the path of a copy that may be changed.
func copyOf(t *testing.T, path string) string {
	t.Helper()
	contents, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	copied := filepath.Join(t.TempDir(), "t.db")
	if err := os.WriteFile(copied, contents, 0o666); err != nil {
		t.Fatal(err)
	}
	return copied
}
