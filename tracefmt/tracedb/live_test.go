package tracedb

import (
	"bufio"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"etrace/tracefmt"
)

// TestLive reads a recording while it grows.
func TestLive(t *testing.T) {
	folder := t.TempDir()
	path := filepath.Join(folder, "trace.db")
	l, err := OpenLive(path, LiveOptions{Events: 100, Interval: time.Hour})
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	long := longRun(250)
	run := *long.Run()
	if err := l.Begin(&run); err != nil {
		t.Fatal(err)
	}
	seen := func(want int) {
		t.Helper()
		got, events, err := load(path, 1)
		if err != nil || len(events) != want || got.End != tracefmt.Open || got.Events != int64(want) {
			t.Errorf("%d events, %q, %v, want %d, %q", len(events), got.End, err, want, tracefmt.Open)
		}
	}
	seen(0)
	for e := range long.Events(1) {
		if err := l.Write(e); err != nil {
			t.Fatal(err)
		}
		if e.Seq == 99 || e.Seq == 100 || e.Seq == 199 {
			seen(int(e.Seq) / 100 * 100)
		}
	}
	seen(200)
	if err := l.flush(); err != nil {
		t.Fatal(err)
	}
	seen(250)
	// Others append while the recording is open.
	mustSave(t, path, election())
	if err := l.Finish(tracefmt.Stopped); err != nil {
		t.Fatal(err)
	}
	expectRun(t, path, 1, long)
	expectRun(t, path, 2, election())
	if err := tracefmt.Copy(l, election(), nil); err != nil {
		t.Fatal(err)
	}
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	if err := l.Close(); err != nil {
		t.Errorf("closing twice: %v", err)
	}
	if err := l.Write(&tracefmt.Event{}); !errors.Is(err, fs.ErrClosed) {
		t.Errorf("Write after Close: %v", err)
	}
	expectRun(t, path, 3, election())
	mustSave(t, path, longRun(40))
	expectRun(t, path, 4, longRun(40))
	expectFolder(t, folder, "trace.db")
}

// TestLiveInterval: time makes events visible too.
func TestLiveInterval(t *testing.T) {
	path := filepath.Join(t.TempDir(), "trace.db")
	l, err := OpenLive(path, LiveOptions{Interval: time.Nanosecond})
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	run := *longRun(0).Run()
	if err := l.Begin(&run); err != nil {
		t.Fatal(err)
	}
	for e := range longRun(3).Events(1) {
		if err := l.Write(e); err != nil {
			t.Fatal(err)
		}
		if _, events, err := load(path, 1); err != nil || len(events) != int(e.Seq) {
			t.Errorf("%d events, %v, want %d", len(events), err, e.Seq)
		}
	}
}

// TestLiveCloseWithReader: a reader does not keep the recorder from closing.
func TestLiveCloseWithReader(t *testing.T) {
	path := filepath.Join(t.TempDir(), "trace.db")
	l, err := OpenLive(path, LiveOptions{})
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	if err := tracefmt.Copy(l, longRun(100), nil); err != nil {
		t.Fatal(err)
	}
	db, err := Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	r, err := db.Recording(1)
	if err != nil {
		t.Fatal(err)
	}
	for e, err := range r.Events(1) {
		if err != nil {
			t.Fatal(err)
		}
		if e.Seq == 50 {
			if err := l.Close(); err != nil {
				t.Fatal(err)
			}
		}
	}
	db.Close()
	mustSave(t, path, election())
	expectRun(t, path, 1, longRun(100))
}

// child is the environment variable that turns this test program into a process to be killed; its value has the
// action and the path.
const child = "TRACEDB_TEST_CHILD"

func TestMain(m *testing.M) {
	if work := os.Getenv(child); work != "" {
		action, path, _ := strings.Cut(work, " ")
		if err := children[action](path); err != nil {
			fmt.Println(err)
		}
		fmt.Println("ready")
		select {}
	}
	os.Exit(m.Run())
}

var children = map[string]func(path string) error{
	// A live recording with 1000 events committed and 500 not.
	"live": func(path string) error {
		l, err := OpenLive(path, LiveOptions{Interval: time.Hour})
		if err != nil {
			return err
		}
		run := *longRun(0).Run()
		if err := l.Begin(&run); err != nil {
			return err
		}
		for e := range longRun(1500).Events(1) {
			if err := l.Write(e); err != nil {
				return err
			}
		}
		return nil
	},
	// A reader that pauses in the middle of a statement.
	"read": func(path string) error {
		c, err := connect(path, path, "ro")
		if err != nil {
			return err
		}
		return c.exec("BEGIN; SELECT * FROM run")
	},
	// An append so large that SQLite has begun to change the file.
	"append": func(path string) error {
		a, err := appendTo(path)
		if err != nil {
			return err
		}
		if err := a.conn.exec("PRAGMA cache_size = 10"); err != nil {
			return err
		}
		return tracefmt.Copy(a, longRun(20_000), nil)
	},
}

// killed runs a child until it is ready, looks at the trace, and kills it.
func killed(t *testing.T, action, path string, meanwhile func()) {
	t.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), child+"="+action+" "+path)
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	line, err := bufio.NewReader(out).ReadString('\n')
	if err == nil && line == "ready\n" {
		meanwhile()
	} else {
		t.Errorf("the child says %q, %v", line, err)
	}
	cmd.Process.Kill()
	cmd.Wait()
}

// TestLiveKilled: what a recorder committed survives it.
func TestLiveKilled(t *testing.T) {
	path := filepath.Join(t.TempDir(), "trace.db")
	seen := func() {
		t.Helper()
		run, events, err := load(path, 1)
		if err != nil || len(events) != 1000 || run.End != tracefmt.Open {
			t.Errorf("%d events, %q, %v", len(events), run.End, err)
		}
	}
	killed(t, "live", path, seen)
	seen()
	mustSave(t, path, election())
	seen()
	expectRun(t, path, 2, election())
	expectFolder(t, filepath.Dir(path), "trace.db")
}

// TestAppendKilled: the earlier runs survive an append that was killed.
func TestAppendKilled(t *testing.T) {
	path := filepath.Join(t.TempDir(), "trace.db")
	mustSave(t, path, election(), longRun(1000))
	before := hash(t, path)
	killed(t, "append", path, func() {})
	if info, err := os.Stat(path + "-journal"); err != nil || info.Size() == 0 {
		t.Fatalf("the child left no journal, %v", err)
	}
	expectRun(t, path, 1, election())
	expectRun(t, path, 2, longRun(1000))
	if _, _, err := load(path, 3); !errors.Is(err, errNoRun) {
		t.Errorf("the run that was killed: %v", err)
	}
	if hash(t, path) != before {
		t.Error("the trace has changed")
	}
	expectFolder(t, filepath.Dir(path), "trace.db")
}
