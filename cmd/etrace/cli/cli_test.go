package cli

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
)

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){
		"etrace": func() { os.Exit(Main()) },
	})
}

// atOnce is in the scripts in which a command works on several goroutines: its workers, a stream that it reads,
// or a signal. The goroutines that every command has are tried by TestExamplesWork.
var atOnce = regexp.MustCompile(`(?m)^exec etrace (sweep |suite |.*--hunt)|^stdin |&$`)

// scripts are those of testdata/script, or in short the ones that could race.
func scripts(t *testing.T) (files []string) {
	t.Helper()
	all, err := filepath.Glob(filepath.Join("testdata", "script", "*.txtar"))
	if err != nil || len(all) == 0 {
		t.Fatal("no scripts: ", err)
	}
	for _, file := range all {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if !testing.Short() || atOnce.Match(text) {
			files = append(files, file)
		}
	}
	return files
}

// alone leaves a test out in short: it does all on one goroutine, or what other tests do there, too, at length.
func alone(t *testing.T) {
	t.Helper()
	if testing.Short() {
		t.Skip("long, and nothing in it could race")
	}
}

// TestScripts runs testdata/script: the command line as its users meet it,
// one behaviour a file. ETRACE_UPDATE=1 rewrites what they expect.
func TestScripts(t *testing.T) {
	// Graphviz is compiled once per cache folder; without a shared one, every
	// script would do it again.
	cache := t.TempDir()
	testscript.Run(t, testscript.Params{
		Files:         scripts(t),
		UpdateScripts: os.Getenv("ETRACE_UPDATE") != "",
		Setup: func(env *testscript.Env) error {
			env.Setenv("XDG_CACHE_HOME", cache)
			env.Setenv("HOME", cache)
			shared, err := filepath.Abs(filepath.Join("..", "..", "..", "..", "shared", "data"))
			env.Setenv("DATA", shared)
			return err
		},
		Condition: func(cond string) (bool, error) {
			switch cond {
			case "data": // third-party samples, which are no part of the repository
				_, err := os.Stat(filepath.Join("..", "..", "..", "..", "shared", "data"))
				return err == nil, nil
			case "sqlite3":
				_, err := exec.LookPath("sqlite3")
				return err == nil, nil
			}
			return false, nil
		},
	})
}

// newApp returns the command without streams, for what its commands say of
// themselves.
func newApp(t *testing.T) *app {
	t.Helper()
	known, err := knownWith()
	if err != nil {
		t.Fatal(err)
	}
	return &app{Known: known}
}
