package cli

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
)

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){
		"etrace": func() { os.Exit(Main()) },
	})
}

// TestScripts runs testdata/script: the command line as its users meet it,
// one behaviour a file. ETRACE_UPDATE=1 rewrites what they expect.
func TestScripts(t *testing.T) {
	// Graphviz is compiled once per cache folder; without a shared one, every
	// script would do it again.
	cache := t.TempDir()
	testscript.Run(t, testscript.Params{
		Dir:           filepath.Join("testdata", "script"),
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
