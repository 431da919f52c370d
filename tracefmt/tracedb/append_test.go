package tracedb

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"etrace/fixtures/growth"
	"etrace/fixtures/size"
	"etrace/tracefmt"
)

// drawRecording makes any recording that the format can express, with values
// from the edges of their ranges among them.
func drawRecording(t *rapid.T) *tracefmt.Memory {
	run := tracefmt.Run{
		Name: rapid.String().Draw(t, "name"), Algorithm: rapid.StringN(0, 5, -1).Draw(t, "algorithm"),
		TimeUnit: rapid.SampledFrom([]tracefmt.TimeUnit{tracefmt.Delays, tracefmt.Nanoseconds, tracefmt.Logical}).Draw(t, "unit"),
		Members:  []tracefmt.Member{},
	}
	if rapid.Bool().Draw(t, "seeded") {
		seed := rapid.Int64().Draw(t, "seed")
		run.Seed = &seed
		run.Scenario = []byte(`{"a":"b"}`)
	}
	processes := rapid.IntRange(1, 300).Draw(t, "processes")
	for i := range processes {
		run.Members = append(run.Members, tracefmt.Member{Name: fmt.Sprintf("p%d", i), Position: processes - i})
	}
	m := tracefmt.NewMemory(run)
	process := rapid.Int32Range(0, int32(processes))
	types := rapid.OneOf(rapid.SampledFrom([]string{"", "A", "B"}), rapid.String())
	number := rapid.OneOf(rapid.Int64Range(0, 5), rapid.Int64Range(0, 1<<40), rapid.Int64(),
		rapid.SampledFrom([]int64{math.MinInt64, math.MaxInt64, 1<<62 - 1, 1 << 62, -1}))
	payload := rapid.OneOf(rapid.Just(""), rapid.Just("{}"), rapid.Map(rapid.String(), func(s string) string {
		return `{"s":` + string(tracefmt.AppendString(nil, s)) + `}`
	}))
	for i := range rapid.IntRange(0, 100).Draw(t, "events") {
		e := tracefmt.Event{
			Seq: tracefmt.Seq(i + 1), Time: tracefmt.Time(number.Draw(t, "time")),
			Kind:    rapid.SampledFrom(tracefmt.Kinds()).Draw(t, "kind"),
			Process: tracefmt.ProcessID(process.Draw(t, "process")), Peer: tracefmt.ProcessID(process.Draw(t, "peer")),
			Type: types.Draw(t, "type"), Message: tracefmt.MessageID(number.Draw(t, "message")),
			Cause: tracefmt.Seq(rapid.IntRange(0, i).Draw(t, "cause")), Lamport: number.Draw(t, "lamport"), Term: number.Draw(t, "term"),
		}
		if p := payload.Draw(t, "payload"); p != "" {
			e.Payload = []byte(p)
		}
		m.Write(&e)
	}
	m.Finish(tracefmt.Stopped)
	return m
}

// TestRoundTrip: what was written is read, run by run, from any seq.
func TestRoundTrip(t *testing.T) {
	folder := t.TempDir()
	n := 0
	size.Check(t, 6, 25, 200, func(rt *rapid.T) {
		n++
		path := filepath.Join(folder, fmt.Sprint(n))
		recordings := []*tracefmt.Memory{drawRecording(rt), drawRecording(rt), drawRecording(rt)}
		mustSave(t, path, recordings[:2]...)
		mustSave(t, path, recordings[2:]...)
		db, err := Open(path)
		if err != nil {
			rt.Fatal(err)
		}
		defer db.Close()
		for i, want := range recordings {
			r, err := db.Recording(i + 1)
			if err != nil {
				rt.Fatal(err)
			}
			for _, from := range []tracefmt.Seq{1, tracefmt.Seq(rapid.IntRange(-1, want.Len()+2).Draw(rt, "from"))} {
				_, wantEvents, _ := collect(want, from)
				run, events, err := collect(r, from)
				if err != nil {
					rt.Fatal(err)
				}
				wantRun := *want.Run()
				wantRun.Number = i + 1
				if len(wantRun.Members) == 0 {
					wantRun.Members = nil
				}
				if diff := cmp.Diff(wantRun, run) + cmp.Diff(wantEvents, events); diff != "" {
					rt.Fatalf("run %d from %d (-want +got):\n%s", i+1, from, diff)
				}
			}
		}
	})
}

// TestManyEvents crosses many batches, so that ids follow by themselves.
func TestManyEvents(t *testing.T) {
	path := filepath.Join(t.TempDir(), "trace.db")
	n := size.Pick(1_000, 2_000, 5_000)
	long := longRun(n)
	mustSave(t, path, election(), long, election())
	mustSave(t, path, long)
	for number, want := range []*tracefmt.Memory{election(), long, election(), long} {
		expectRun(t, path, number+1, want)
	}
	runs := table(t, path, "SELECT run, base, reserved FROM run")
	if want := fmt.Sprintf("1 0 10\n2 10 %d\n3 %d 10\n4 %d %d\n", n, n+10, n+20, n); runs != want {
		t.Errorf("ranges of ids\n%s, want\n%s", runs, want)
	}
}

// TestWideValues: every column needs all its bits, with and without payloads
// beside them.
func TestWideValues(t *testing.T) {
	path := filepath.Join(t.TempDir(), "trace.db")
	var runs []*tracefmt.Memory
	for _, payloads := range []string{"none", "all", "some"} {
		m := tracefmt.NewMemory(tracefmt.Run{TimeUnit: tracefmt.Nanoseconds, Members: []tracefmt.Member{{Name: "a", Position: 1}}})
		for i := range 100 {
			edge := []int64{math.MinInt64, math.MaxInt64, 0, -1}[i%4]
			e := tracefmt.Event{
				Seq: tracefmt.Seq(i + 1), Time: tracefmt.Time(edge), Kind: tracefmt.Note,
				Message: tracefmt.MessageID(edge), Lamport: edge, Term: ^edge,
			}
			if payloads == "all" || payloads == "some" && i%3 == 0 {
				e.Payload = []byte("{}")
			}
			m.Write(&e)
		}
		m.Finish(tracefmt.Stopped)
		runs = append(runs, m)
	}
	mustSave(t, path, runs...)
	for i, want := range runs {
		expectRun(t, path, i+1, want)
	}
}

// longRun is a run of n notes.
func longRun(n int) *tracefmt.Memory {
	m := tracefmt.NewMemory(tracefmt.Run{TimeUnit: tracefmt.Delays, Members: []tracefmt.Member{{Name: "a", Position: 1}}})
	for i := range n {
		m.Write(&tracefmt.Event{
			Seq: tracefmt.Seq(i + 1), Time: tracefmt.Time(i) * tracefmt.Unit, Kind: tracefmt.Note, Process: 1,
			Type: fmt.Sprint("label ", i%7), Payload: fmt.Appendf(nil, `{"i":%d,"filler":"%040d"}`, i, i),
		})
	}
	m.Finish(tracefmt.Stopped)
	return m
}

func TestWriteRefuses(t *testing.T) {
	path := filepath.Join(t.TempDir(), "trace.db")
	a, err := OpenAppend(path)
	if err != nil {
		t.Fatal(err)
	}
	defer a.Discard()
	ok := tracefmt.Event{Seq: 1, Kind: tracefmt.Start, Process: 1}
	expect := func(err error, want string) {
		t.Helper()
		if err == nil || !strings.HasSuffix(err.Error(), want) {
			t.Errorf("error %v, want one that ends in %q", err, want)
		}
	}
	expect(a.Write(&ok), "trace.db: an event without a run, expected Begin first")
	expect(a.Finish(tracefmt.Stopped), "trace.db: no run to finish, expected Begin first")
	expect(a.Begin(&tracefmt.Run{}), `trace.db: unknown time unit "" (known: delay, ns, logical)`)
	run := *election().Run()
	if err := a.Begin(&run); err != nil {
		t.Fatal(err)
	}
	expect(a.Begin(&run), "trace.db: run 1: the run is not finished, another cannot begin")
	expect(a.Commit(), "trace.db: run 1: the run is not finished, expected Finish before Commit")
	for _, c := range []struct {
		e    tracefmt.Event
		want string
	}{
		{tracefmt.Event{Seq: 2, Kind: tracefmt.Start}, "run 1 seq 2: the event before it has seq 0, expected seq 1"},
		{tracefmt.Event{Seq: 1}, "run 1 seq 1: kind(0) is not an event kind"},
		{tracefmt.Event{Seq: 1, Kind: tracefmt.Start, Process: 4}, "run 1 seq 1: process 4, peer 0, but the run has 3 processes"},
		{tracefmt.Event{Seq: 1, Kind: tracefmt.Start, Peer: -1}, "run 1 seq 1: process 0, peer -1, but the run has 3 processes"},
		{tracefmt.Event{Seq: 1, Kind: tracefmt.Start, Cause: 1}, "run 1 seq 1: the cause is seq 1, expected an earlier event"},
		{tracefmt.Event{Seq: 1, Kind: tracefmt.Start, Payload: []byte("[]")}, "run 1 seq 1: the payload is not a JSON object in UTF-8"},
		{tracefmt.Event{Seq: 1, Kind: tracefmt.Start, Payload: []byte("{\xff}")}, "run 1 seq 1: the payload is not a JSON object in UTF-8"},
		{tracefmt.Event{Seq: 1, Kind: tracefmt.Note, Type: "\xff"}, `run 1 seq 1: the type "\xff" is not UTF-8`},
	} {
		expect(a.Write(&c.e), c.want)
	}
	// After a refusal the run goes on.
	if err := a.Write(&ok); err != nil {
		t.Fatal(err)
	}
	expect(a.Finish("gone"), `run 1: unknown end "gone" (known: quiescent, stopped, deadline, recording)`)
	if err := a.Finish(tracefmt.Stopped); err != nil {
		t.Fatal(err)
	}
	if err := a.Commit(); err != nil {
		t.Fatal(err)
	}
	if err := a.Begin(&run); !errors.Is(err, fs.ErrClosed) {
		t.Errorf("Begin after Commit: %v", err)
	}
}

func hash(t testing.TB, path string) string {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return fmt.Sprintf("%x", sha256.Sum256(b))
}

// TestDiscard: nothing happened, whether the trace is new or not, and
// whether or not events have reached the file already.
func TestDiscard(t *testing.T) {
	for _, events := range []int{0, 10, 30_000} {
		folder := t.TempDir()
		path := filepath.Join(folder, "trace.db")
		discard := func() {
			t.Helper()
			a, err := OpenAppend(path)
			if err != nil {
				t.Fatal(err)
			}
			if err := tracefmt.Copy(a, longRun(events), nil); err != nil {
				t.Fatal(err)
			}
			for range 2 {
				if err := a.Discard(); err != nil {
					t.Error(err)
				}
			}
		}
		discard()
		expectFolder(t, folder)
		mustSave(t, path, election())
		before := hash(t, path)
		discard()
		expectFolder(t, folder, "trace.db")
		if hash(t, path) != before {
			t.Errorf("%d events: the trace has changed", events)
		}
	}
}

// TestEarlierRunsStay compares the rows of earlier runs across an append.
func TestEarlierRunsStay(t *testing.T) {
	path := filepath.Join(t.TempDir(), "trace.db")
	mustSave(t, path, election(), longRun(100))
	rows := func() (list string) {
		for _, sql := range []string{
			"SELECT * FROM run WHERE run < 3", "SELECT * FROM member WHERE run < 3",
			"SELECT * FROM type WHERE run < 3", "SELECT * FROM event WHERE id <= 110",
		} {
			list += table(t, path, sql)
		}
		return list
	}
	before := rows()
	mustSave(t, path, longRun(300))
	if diff := cmp.Diff(before, rows()); diff != "" {
		t.Errorf("(-before +after):\n%s", diff)
	}
}

// TestAtOnce lets several writers create and append at the same time.
func TestAtOnce(t *testing.T) {
	for _, existing := range []bool{false, true} {
		path := filepath.Join(t.TempDir(), "trace.db")
		if existing {
			mustSave(t, path)
		}
		const writers = 6
		numbers := make([]int, writers)
		var wg sync.WaitGroup
		for i := range writers {
			wg.Go(func() {
				a, err := OpenAppend(path)
				if err != nil {
					t.Error(err)
					return
				}
				defer a.Discard()
				run := *longRun(0).Run()
				run.Name = fmt.Sprint(i)
				err = a.Begin(&run)
				for e := range longRun(i * 100).Events(1) {
					if err == nil {
						err = a.Write(e)
					}
				}
				if err == nil {
					err = a.Finish(tracefmt.Stopped)
				}
				if err == nil {
					err = a.Commit()
				}
				if err != nil {
					t.Error(err)
				}
				numbers[i] = run.Number
			})
		}
		wg.Wait()
		for i, number := range numbers {
			want := longRun(i * 100)
			want.Run().Name = fmt.Sprint(i)
			expectRun(t, path, number, want)
		}
		expectFolder(t, filepath.Dir(path), "trace.db")
	}
}

// TestBusy: a writer that does not get the file in time returns an error.
func TestBusy(t *testing.T) {
	path := filepath.Join(t.TempDir(), "trace.db")
	mustSave(t, path, election())
	a, err := appendTo(path)
	if err != nil {
		t.Fatal(err)
	}
	defer a.Discard()
	c, err := connect(path, path, "rw")
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	c.exec("PRAGMA busy_timeout = 10")
	err = c.exec("BEGIN IMMEDIATE")
	if !errors.Is(err, errBusy) || !strings.HasSuffix(err.Error(), "trace.db: another process is writing to it") {
		t.Errorf("error %v", err)
	}
	expectRun(t, path, 1, election()) // readers do not wait
}

// TestAppearsMeanwhile: what took the name meanwhile stays as it is.
func TestAppearsMeanwhile(t *testing.T) {
	folder := t.TempDir()
	path := filepath.Join(folder, "trace.db")
	a, err := OpenAppend(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := tracefmt.Copy(a, stating(), nil); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte("a letter"), 0o666); err != nil {
		t.Fatal(err)
	}
	if err := a.Commit(); !errors.Is(err, ErrNotTrace) {
		t.Errorf("error %v", err)
	}
	if b, _ := os.ReadFile(path); string(b) != "a letter" {
		t.Errorf("the file is now %q", b)
	}
	expectFolder(t, folder, "trace.db", "trace.db.run-1") // what was recorded is kept
}

// TestFull fills the disk, as far as SQLite knows.
func TestFull(t *testing.T) {
	folder := t.TempDir()
	path := filepath.Join(folder, "trace.db")
	fill := func() {
		t.Helper()
		a, err := OpenAppend(path)
		if err != nil {
			t.Fatal(err)
		}
		defer a.Discard()
		if err := a.conn.exec("PRAGMA max_page_count = 40"); err != nil {
			t.Fatal(err)
		}
		err = tracefmt.Copy(a, longRun(10_000), nil)
		if !errors.Is(err, syscall.ENOSPC) || !strings.HasSuffix(err.Error(), "trace.db: no space left to write") {
			t.Errorf("error %v", err)
		}
		if again := a.Commit(); again == nil {
			t.Errorf("Commit succeeds after %v", err)
		}
	}
	fill()
	expectFolder(t, folder)
	mustSave(t, path, election())
	before := hash(t, path)
	fill()
	expectFolder(t, folder, "trace.db")
	if hash(t, path) != before {
		t.Error("the trace has changed")
	}
	expectRun(t, path, 1, election())
}

// TestNoFolder: nothing can be created where there is no folder.
func TestNoFolder(t *testing.T) {
	path := filepath.Join(t.TempDir(), "none", "trace.db")
	if _, err := OpenAppend(path); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("error %v", err)
	}
}

// TestModes: a trace has the permissions of any new file.
func TestModes(t *testing.T) {
	folder := t.TempDir()
	path, second := filepath.Join(folder, "trace.db"), filepath.Join(folder, "other")
	mustSave(t, path, election())
	if err := os.WriteFile(second, nil, 0o666); err != nil {
		t.Fatal(err)
	}
	got, _ := os.Stat(path)
	want, _ := os.Stat(second)
	if got.Mode() != want.Mode() {
		t.Errorf("mode %v, want %v", got.Mode(), want.Mode())
	}
}

// TestOddNames: names that mean something in URIs or to SQLite are names.
func TestOddNames(t *testing.T) {
	t.Chdir(t.TempDir())
	for _, name := range []string{":memory:", "a b?mode=memory", "50%25.db", "x#y.db", "file:z.db", "ü.db"} {
		mustSave(t, name, election())
		mustSave(t, name, election())
		expectRun(t, name, 2, election())
	}
}

// Many short runs take time in proportion to their number, in a new trace and appended to
// another one.
func TestManyRuns(t *testing.T) {
	write := func(path string, n int) {
		a, err := OpenAppend(path)
		if err != nil {
			t.Fatal(err)
		}
		defer a.Discard()
		for range n {
			run := tracefmt.Run{TimeUnit: tracefmt.Logical, Members: []tracefmt.Member{{Name: "a", Position: 1}}}
			if err := a.Begin(&run); err != nil {
				t.Fatal(err)
			}
			if err := a.Write(&tracefmt.Event{Seq: 1, Kind: tracefmt.Start, Process: 1, Lamport: 1}); err != nil {
				t.Fatal(err)
			}
			if err := a.Finish(tracefmt.Stopped); err != nil {
				t.Fatal(err)
			}
		}
		if err := a.Commit(); err != nil {
			t.Fatal(err)
		}
	}
	growth.Linear(t, 4_000, func(n int) func() {
		return func() {
			path := filepath.Join(t.TempDir(), "many.db")
			write(path, n) // in a new file
			write(path, n) // appended
		}
	})
}
