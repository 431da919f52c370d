package main

import (
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"etrace/fixtures/size"
)

// TestSignalsAreHeardFirst: signals are heard before the packages of other modules that take long to initialise, and
// before those of etrace. A Ctrl-C in the first milliseconds ends a command as a later one does.
func TestSignalsAreHeardFirst(t *testing.T) {
	size.SkipQuick(t)
	program := filepath.Join(t.TempDir(), "etrace")
	if out, err := exec.Command("go", "build", "-ldflags=-w", "-o", program, ".").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	cmd := exec.Command(program, "--version")
	cmd.Env = append(cmd.Environ(), "GODEBUG=inittrace=1")
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	before, after, found := strings.Cut(string(out), "init etrace/cmd/etrace/cli/ending/early @")
	if !found {
		t.Fatalf("no init of package early in\n%s", out)
	}
	for _, late := range []string{
		"etrace/tracefmt", "github.com/goccy/go-graphviz/internal/wasm", "github.com/mattn/go-sqlite3",
		"etrace/cmd/etrace/cli",
	} {
		if strings.Contains(before, "init "+late+" @") || !strings.Contains(after, "init "+late+" @") {
			t.Errorf("%s is initialised before signals are heard, or not at all", late)
		}
	}
}
