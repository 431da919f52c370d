package tracedb

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"etrace/fixtures/size"
	"etrace/tracefmt"
)

func diffRuns(wantRun, run tracefmt.Run, wantEvents, events []*tracefmt.Event) string {
	return cmp.Diff(wantRun, run) + cmp.Diff(wantEvents, events)
}

// TestDamage flips bits and cuts the file: reading gives an error or what was
// written, and SQL at least ends.
func TestDamage(t *testing.T) {
	folder := t.TempDir()
	path := filepath.Join(folder, "good.db")
	mustSave(t, path, stating(), longRun(300))
	good, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	bad := filepath.Join(folder, "bad.db")
	try := func(name string, contents []byte) {
		t.Helper()
		if err := os.WriteFile(bad, contents, 0o666); err != nil {
			t.Fatal(err)
		}
		noErrorOrSame(t, bad, name, stating(), longRun(300))
		queryAll(bad)
	}
	random := rand.New(rand.NewPCG(1, 2))
	for range size.Pick(15, 50, 300) {
		b := append([]byte(nil), good...)
		var at []int
		for range 1 + random.IntN(3) {
			i := random.IntN(len(b))
			at = append(at, i)
			b[i] ^= 1 << random.IntN(8)
		}
		try(fmt.Sprint("bits flipped in bytes ", at), b)
	}
	for length := 0; length < len(good); length += 1 + random.IntN(len(good)/size.Pick(8, 20, 100)) {
		try(fmt.Sprintf("cut to %d bytes", length), good[:length])
	}
	for range size.Pick(5, 12, 50) { // a page from elsewhere
		b := append([]byte(nil), good...)
		first, second := random.IntN(len(b)/4096), random.IntN(len(b)/4096)
		copy(b[second*4096:(second+1)*4096], good[first*4096:])
		try(fmt.Sprintf("page %d is a copy of page %d", second+1, first+1), b)
	}
}

// queryAll runs through the views, for a limited time.
func queryAll(path string) {
	db, err := Open(path)
	if err != nil {
		return
	}
	defer db.Close()
	for _, view := range []string{"runs", "members", "events", "messages", "verdicts"} {
		rows, err := db.Query(context.Background(), "SELECT * FROM "+view+" LIMIT 100000", nil)
		if err != nil {
			continue
		}
		for rows.Next() {
		}
		rows.Close()
	}
}

// TestTampered changes single values by SQL, with the check sum of the events
// left as it was.
func TestTampered(t *testing.T) {
	for _, c := range []struct{ sql, want string }{
		{"DELETE FROM event WHERE id = 4", "run 1 seq 4: the event is missing, expected 10 events in the run"},
		{"DELETE FROM event WHERE id = 1", "run 1 seq 1: the event is missing, expected 10 events in the run"},
		{"DELETE FROM event WHERE id > 8", "run 1 seq 9: the event is missing, expected 10 events in the run"},
		{"UPDATE event SET payload = 7 WHERE id = 2", "run 1: the events do not match their check sum"},
		{"UPDATE event SET payload = x'00' WHERE id = 2", "run 1 seq 2: the payload is not text in UTF-8"},
		{"UPDATE event SET payload = CAST(x'ff' AS TEXT) WHERE id = 2", "run 1 seq 2: the payload is not text in UTF-8"},
		{"UPDATE event SET payload = NULL WHERE id = 2", "run 1: the events do not match their check sum"},
		{"UPDATE event SET who = 31 WHERE id = 3", "run 1 seq 3: kind(31) is not an event kind"},
		{"UPDATE event SET who = 30000 WHERE id = 3", "run 1"},
		{"UPDATE event SET who = -1 WHERE id = 3", "run 1 seq 3: the event has"},
		{"UPDATE event SET lamport = NULL WHERE id = 3", "run 1 seq 3: the event has a value of type <nil>, expected an integer"},
		{"UPDATE event SET lamport = 'x' WHERE id = 3", "run 1"},
		{"UPDATE event SET cause = 7 WHERE id = 7", "run 1 seq 7: the cause is seq 0, expected an earlier event"},
		{"UPDATE event SET time = time + 1 WHERE id = 7", "run 1: the events do not match their check sum"},
		{"UPDATE run SET events = 9", "run 1: the description of the run does not match its check sum"},
		{"UPDATE run SET events = -1", "run 1: the run has -1 events after id 0, which cannot be"},
		{"UPDATE run SET base = 9223372036854775807", "run 1: the run has 10 events after id 9223372036854775807, which cannot be"},
		{"UPDATE run SET processes = -5", "run 1: the run has -5 processes, which cannot be"},
		{"UPDATE run SET processes = 9223372036854775807", "run 1: the run has 9223372036854775807 processes, which cannot be"},
		{"UPDATE run SET processes = 2", "run 1: 3 of 2 processes were found"},
		{"UPDATE run SET widths = -1", "run 1: the description of the run does not match its check sum"},
		{"UPDATE run SET name = x'00'", "run 1: the description of the run has a value of type []uint8, expected text in UTF-8"},
		{"UPDATE run SET run = -3", "process 1 belongs to run 1, which does not exist"},
		{"UPDATE run SET time_unit = 'years'", `run 1: unknown time unit "years" (known: delay, ns, logical)`},
		{"UPDATE member SET process = -1 WHERE process = 1", "run 1: process -1 follows process 0, or is not as expected"},
		{"UPDATE member SET name = 'p-3' WHERE process = 2", "run 1: the description of the run does not match its check sum"},
		{"DELETE FROM member", "run 1: 0 of 3 processes were found"},
		{"UPDATE type SET type = 5 WHERE type = 2", "run 1: type 5 follows type 1, or is not as expected"},
		{"UPDATE type SET name = 'ELECTIOM' WHERE type = 1", "run 1: the events do not match their check sum"},
	} {
		path := filepath.Join(t.TempDir(), "trace.db")
		mustSave(t, path, election())
		change(t, path, c.sql)
		_, _, err := load(path, 1)
		if err == nil {
			db, _ := Open(path)
			_, err = db.Runs()
			db.Close()
		}
		if err == nil || !errors.Is(err, ErrDamaged) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: error %v, want %s", c.sql, err, c.want)
		}
		queryAll(path)
	}
}

// TestStrays: rows that belong to no run, and runs whose numbers cannot be, keep
// nothing from reading the others, nor from adding one.
func TestStrays(t *testing.T) {
	for _, c := range []struct {
		sql    string
		sound  []int // of the runs 1 and 2
		damage []string
		next   int
	}{
		{
			"INSERT INTO member VALUES(99, 1, 'x', 1, NULL)",
			[]int{1, 2},
			[]string{"run 99: process 1 belongs to run 99, which does not exist"},
			100,
		},
		{"INSERT INTO member VALUES(3, 1, 'x', 1, NULL)", []int{1, 2}, []string{"run 3: process 1 belongs to run 3, which does not exist"}, 4},
		{
			"INSERT INTO stated VALUES(3, 'traits', '[]')",
			[]int{1, 2},
			[]string{`run 3: the key "traits" belongs to run 3, which does not exist`},
			4,
		},
		{"INSERT INTO verdict VALUES(3, 'x', 'violated', NULL, NULL, NULL, NULL)", []int{1, 2}, nil, 4},
		{
			"UPDATE run SET run = -5 WHERE run = 1",
			[]int{2},
			[]string{"a run has the number -5, expected one from 1 to 2147483647", "run 1: process 1 belongs to run 1, which does not exist"},
			3,
		},
		{"UPDATE run SET reserved = 0", []int{1, 2}, nil, 3},
		{"UPDATE run SET reserved = -57", []int{1, 2}, nil, 3},
		{
			"UPDATE run SET reserved = 1.5 WHERE run = 1",
			[]int{2},
			[]string{"run 1: the description of the run has a value of type float64, expected an integer"},
			3,
		},
	} {
		path := filepath.Join(t.TempDir(), "trace.db")
		mustSave(t, path, stating(), stating())
		change(t, path, c.sql)
		db, err := Open(path)
		if err != nil {
			t.Fatal(err)
		}
		runs, damage, err := db.Survey()
		var sound []int
		for _, r := range runs {
			sound = append(sound, r.Number)
		}
		var got []string
		for _, d := range damage {
			got = append(got, strings.TrimPrefix(d.Error(), path+": "))
		}
		if diff := cmp.Diff(c.sound, sound) + cmp.Diff(c.damage, got); diff != "" || err != nil {
			t.Errorf("%s: %v (-want +got):\n%s", c.sql, err, diff)
		}
		db.Close()
		if err := save(path, election()); err != nil {
			t.Errorf("%s: appending: %v", c.sql, err)
			continue
		}
		expectRun(t, path, c.next, election())
		expectRun(t, path, 2, stating())
	}
}

// TestNoRoom: a run that reserves all ids leads to an error when another is added.
func TestNoRoom(t *testing.T) {
	path := filepath.Join(t.TempDir(), "trace.db")
	mustSave(t, path, election(), election())
	change(t, path, "UPDATE run SET reserved = 9223372036854775807")
	want := path + ": run 2 ends at event id 9223372036854775807, no room is left for another run"
	if err := save(path, election()); err == nil || err.Error() != want {
		t.Errorf("error %v, want %s", err, want)
	}
}

// TestQueryTypes: a query that shows other than what was recorded is followed by
// a damage, also where reading the run finds nothing.
func TestQueryTypes(t *testing.T) {
	for _, c := range []struct{ sql, query, want string }{
		{
			"UPDATE event SET time = x'00' WHERE id = 3", "SELECT max(time) FROM events",
			"run 1 seq 3: the event has a value of another type, expected integers",
		},
		{"UPDATE event SET lamport = 3.25 WHERE id = 3", "SELECT lamport FROM events", "run 1"},
		{"UPDATE kind SET name = 'receive' WHERE kind = 5", "SELECT kind FROM events", `events of kind send are named "receive"`},
		{"INSERT INTO kind VALUES(31, 'later')", "SELECT kind FROM events", ""},
	} {
		path := filepath.Join(t.TempDir(), "trace.db")
		mustSave(t, path, election())
		change(t, path, c.sql)
		db, err := Open(path)
		if err != nil {
			t.Fatal(err)
		}
		rows, err := db.Query(context.Background(), c.query, nil)
		if err != nil {
			t.Fatal(err)
		}
		for rows.Next() {
		}
		rows.Close()
		damage := errors.Join(rows.Damage(context.Background())...)
		if (damage == nil) != (c.want == "") || damage != nil && !strings.Contains(damage.Error(), path+": "+c.want) {
			t.Errorf("%s: damage %v, want %s", c.sql, damage, c.want)
		}
		db.Close()
	}
}

// FuzzOpen opens any bytes as a trace. The files are long, so minimizing them
// takes the time: go test -fuzz FuzzOpen -fuzzminimizetime 1x.
func FuzzOpen(f *testing.F) {
	path := filepath.Join(f.TempDir(), "good.db")
	mustSave(f, path, election())
	good, err := os.ReadFile(path)
	if err != nil {
		f.Fatal(err)
	}
	f.Add([]byte("SQLite format 3\x00"))
	f.Add(good)
	f.Fuzz(func(t *testing.T, contents []byte) {
		path := filepath.Join(t.TempDir(), "trace.db")
		if err := os.WriteFile(path, contents, 0o666); err != nil {
			t.Fatal(err)
		}
		db, err := Open(path)
		if err != nil {
			return
		}
		defer db.Close()
		runs, err := db.Runs()
		if err != nil {
			return
		}
		for _, run := range runs {
			if r, err := db.Recording(run.Number); err == nil {
				for range r.Events(1) {
				}
			}
		}
	})
}
