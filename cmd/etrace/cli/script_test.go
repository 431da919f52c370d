package cli

import (
	"database/sql"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"etrace/fixtures/size"
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
	debug.SetGCPercent(1000) // commands need little memory, and would collect it for a quarter of their time
	debug.SetMemoryLimit(512 << 20)
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
// rewrites the files that they compare by cmp; patterns of stdout and stderr are changed by hand. Beside the commands
// of testscript there are
//
//	etrace ARG... [<FILE]           a command that succeeds, within this process
//	! etrace ARG... [<FILE]         one that does not
//	status N etrace ARG... [<FILE]  one that ends with this status
//	sql FILE STATEMENT              changes a database, or holds it in a transaction
//	working                         waits until the last process in the background has begun its work
//
// and exec etrace starts a process.
func TestScripts(t *testing.T) {
	cache, err := os.UserCacheDir() // where this process has compiled Graphviz for those of the scripts
	if err != nil {
		cache = t.TempDir()
	}
	nothingLeft(t)
	files, err := filepath.Glob(absolute(t, "testdata", "script", "*.txtar"))
	if err != nil || len(files) == 0 {
		t.Fatal("no scripts: ", err)
	}
	if size.Now() == size.Quick {
		files = sample(files, 8)
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
			"working": func(ts *testscript.TestScript, _ bool, _ []string) {
				started := ts.BackgroundCmds()
				awaitWork(started[len(started)-1].Process)
			},
		},
		Setup: func(env *testscript.Env) error {
			env.Setenv("XDG_CACHE_HOME", cache)
			env.Setenv("DATA", shared)
			env.Values[databases{}] = map[string]*sql.DB{}
			return nil
		},
		Condition: func(cond string) (bool, error) {
			switch cond {
			case "data": // third-party samples, which are no part of the repository
				_, err := os.Stat(shared)
				return err == nil, nil
			case "long":
				return size.Now() == size.Long, nil
			}
			return false, fmt.Errorf("unknown condition %s", cond)
		},
	})
}

// sample returns every n-th of the files.
func sample(files []string, n int) (some []string) {
	for i := n / 2; i < len(files); i += n {
		some = append(some, files[i])
	}
	return some
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
	stdin := ""
	if last := len(args) - 1; last >= 0 && strings.HasPrefix(args[last], "<") {
		stdin, args = ts.ReadFile(args[last][1:]), args[:last]
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
	return Run(args, strings.NewReader(stdin), ts.Stdout(), ts.Stderr())
}

// awaitWork returns once a process has worked for longer than a command takes to start, or has ended.
func awaitWork(process *os.Process) {
	enough := 2*starting() + 100*time.Millisecond
	for wait := time.Millisecond; worked(process) < enough; wait = min(2*wait, 20*time.Millisecond) {
		time.Sleep(wait)
	}
}

// worked returns the CPU time of a process, a very long time if it has ended. On a system without that
// information it waits two seconds and returns that very long time, too.
func worked(process *os.Process) time.Duration {
	const tick = time.Second / 100 // see proc_pid_stat(5)
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", process.Pid))
	fields := strings.Fields(string(stat))
	switch {
	case err != nil || len(fields) < 15:
		time.Sleep(2 * time.Second)
		return time.Hour
	case fields[2] == "Z":
		return time.Hour
	}
	user, _ := strconv.Atoi(fields[13])
	system, _ := strconv.Atoi(fields[14])
	return time.Duration(user+system) * tick
}

// starting is the CPU time that a command takes which has next to nothing to do.
var starting = sync.OnceValue(func() time.Duration {
	command := exec.Command("etrace", "list", "kinds")
	if err := command.Run(); err != nil {
		panic(err)
	}
	return command.ProcessState.UserTime() + command.ProcessState.SystemTime()
})

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
	// A process keeps what reads signals from the first command on, and Graphviz from the first drawing on.
	trace := filepath.Join(t.TempDir(), "trace.db")
	printed(t, "record", "-q", "-o", trace)
	printed(t, "render", "-q", trace, "--diagram", "graph", "-o", trace+".svg")
	goroutines, files := runtime.NumGoroutine(), openFiles()
	t.Cleanup(func() {
		for wait := time.Millisecond; runtime.NumGoroutine() > goroutines || len(openFiles()) > len(files); wait *= 2 {
			if wait > 10*time.Second {
				stacks := make([]byte, 1<<20)
				t.Errorf("%d goroutines, before %d; open files %q, before %q\n%s", runtime.NumGoroutine(), goroutines, openFiles(), files,
					stacks[:runtime.Stack(stacks, true)])
				return
			}
			time.Sleep(wait)
		}
	})
}

// openFiles returns the open files of the process, or nothing if the system does not list them.
func openFiles() (names []string) {
	const folder = "/proc/self/fd"
	list, _ := os.ReadDir(folder)
	for _, file := range list {
		name, _ := os.Readlink(filepath.Join(folder, file.Name()))
		names = append(names, name)
	}
	return names
}
