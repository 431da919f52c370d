package cli

import (
	"database/sql"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"
)

// TestMain puts a program etrace on the path, which is this test, for the tests that need a process: of signals, of
// pipes between programs, of exit statuses.
func TestMain(m *testing.M) {
	if filepath.Base(os.Args[0]) == "etrace" {
		os.Exit(Main())
	}
	os.Exit(withProgram(m.Run))
}

func withProgram(tests func() int) int {
	folder, err := os.MkdirTemp("", "etrace-test-")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(folder)
	self, err := os.Executable()
	if err == nil {
		err = os.Symlink(self, filepath.Join(folder, "etrace"))
	}
	if err != nil {
		panic(err)
	}
	os.Setenv("PATH", folder+string(filepath.ListSeparator)+os.Getenv("PATH"))
	return tests()
}

// TestScripts runs testdata/script: the command line as its users meet it, one behaviour a file. ETRACE_UPDATE=1
// rewrites what they expect. Beside the commands of testscript there are
//
//	etrace ARG... [<FILE]           a command that succeeds, within this process
//	! etrace ARG... [<FILE]         one that does not
//	status N etrace ARG... [<FILE]  one that ends with this status
//	sql FILE STATEMENT              changes a database, or holds it in a transaction
//
// and exec etrace starts a process.
func TestScripts(t *testing.T) {
	// Graphviz is compiled once per cache folder; without a shared one, every
	// script would do it again.
	cache := t.TempDir()
	t.Setenv("XDG_CACHE_HOME", cache)
	t.Setenv("HOME", cache)
	nothingLeft(t)
	files, err := filepath.Glob(absolute(t, "testdata", "script", "*.txtar"))
	if err != nil || len(files) == 0 {
		t.Fatal("no scripts: ", err)
	}
	shared := absolute(t, "..", "..", "..", "..", "shared", "data")
	testscript.Run(t, testscript.Params{
		Files:         files,
		UpdateScripts: os.Getenv("ETRACE_UPDATE") != "",
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"etrace": func(ts *testscript.TestScript, neg bool, args []string) {
				if status := etrace(ts, args); (status != exitOK) != neg {
					ts.Fatalf("exit status %d", status)
				}
			},
			"status": func(ts *testscript.TestScript, neg bool, args []string) {
				if neg || len(args) < 2 || args[1] != "etrace" {
					ts.Fatalf("usage: status N etrace ARG...")
				}
				if status := etrace(ts, args[2:]); strconv.Itoa(status) != args[0] {
					ts.Fatalf("exit status %d", status)
				}
			},
			"sql": func(ts *testscript.TestScript, _ bool, args []string) {
				if len(args) != 2 {
					ts.Fatalf("usage: sql FILE STATEMENT")
				}
				_, err := database(ts, ts.MkAbs(args[0])).Exec(args[1])
				ts.Check(err)
			},
		},
		Setup: func(env *testscript.Env) error {
			env.Setenv("XDG_CACHE_HOME", cache)
			env.Setenv("HOME", cache)
			env.Setenv("DATA", shared)
			env.Values[databases{}] = map[string]*sql.DB{}
			return nil
		},
		Condition: func(cond string) (bool, error) {
			if cond != "data" { // third-party samples, which are no part of the repository
				return false, fmt.Errorf("unknown condition %s", cond)
			}
			_, err := os.Stat(shared)
			return err == nil, nil
		},
	})
}

// absolute returns the absolute name of a file: scripts change the working folder.
func absolute(t *testing.T, parts ...string) string {
	t.Helper()
	path, err := filepath.Abs(filepath.Join(parts...))
	if err != nil {
		t.Fatal(err)
	}
	return path
}

// turns is held by the command that works in its folder. A process has one working folder and one environment, and
// what opens the files that users name is spread over eight packages, so that commands take turns.
var turns sync.Mutex

// etrace runs a command of a script and returns its exit status.
func etrace(ts *testscript.TestScript, args []string) int {
	in := ""
	if last := len(args) - 1; last >= 0 && strings.HasPrefix(args[last], "<") {
		in, args = ts.ReadFile(args[last][1:]), args[:last]
	}
	turns.Lock()
	defer turns.Unlock()
	before, err := os.Getwd()
	ts.Check(err)
	ts.Check(os.Chdir(ts.MkAbs(".")))
	defer os.Chdir(before)
	const temporary = "TMPDIR" // the one variable of etrace that scripts change
	defer os.Setenv(temporary, os.Getenv(temporary))
	os.Setenv(temporary, ts.Getenv(temporary))
	return Run(args, strings.NewReader(in), ts.Stdout(), ts.Stderr())
}

// database returns the one connection of a script to a database.
func database(ts *testscript.TestScript, path string) *sql.DB {
	opened := ts.Value(databases{}).(map[string]*sql.DB)
	if opened[path] == nil {
		db, err := sql.Open("sqlite3", path)
		ts.Check(err)
		db.SetMaxOpenConns(1)
		ts.Defer(func() { db.Close() })
		opened[path] = db
	}
	return opened[path]
}

// databases is the key of the databases that a script has opened, by their paths.
type databases struct{}

// nothingLeft fails if the commands of the test leave goroutines or open files.
func nothingLeft(t *testing.T) {
	t.Helper()
	printed(t, "list", "kinds") // what the process has from the first command on
	goroutines, files := runtime.NumGoroutine(), openFiles()
	t.Cleanup(func() {
		for wait := time.Millisecond; runtime.NumGoroutine() > goroutines || openFiles() > files; wait *= 2 {
			if wait > time.Minute {
				stacks := make([]byte, 1<<20)
				t.Fatalf("%d goroutines and %d open files, before %d and %d\n%s", runtime.NumGoroutine(), openFiles(), goroutines, files,
					stacks[:runtime.Stack(stacks, true)])
			}
			time.Sleep(wait)
		}
	})
}

// openFiles returns how many files the process has open, 0 where the system does not say.
func openFiles() int {
	list, _ := os.ReadDir("/proc/self/fd")
	return len(list)
}
