package privatetmp

import (
	"os"
	"path/filepath"
	"runtime"

	"etrace/render/graphviz/standin"
)

// variable is the environment variable that os.TempDir reads.
var variable = func() string {
	if runtime.GOOS == "windows" {
		return "TMP"
	}
	return "TMPDIR"
}()

// nowhere is a path below a file that is no directory: no user can create anything there.
var nowhere = filepath.Join(os.DevNull, "none")

// redirected is the state of the redirection.
var redirected struct {
	before string // the former value of the variable
	wasSet bool   // the variable was set
	folder string // the present value
	active bool
}

// init redirects the temporary directory to the folder of the cache, or to nowhere.
func init() {
	r := &redirected
	r.before, r.wasSet = os.LookupEnv(variable)
	r.folder, r.active = nowhere, true
	if standin.Cached() {
		r.folder = choose(candidates(), os.Getuid())
	}
	os.Setenv(variable, r.folder)
}

// Restore restores the temporary directory, and seals the files that go-graphviz has left in its cache. Call
// it once go-graphviz is initialised; later calls do nothing.
func Restore() {
	r := &redirected
	if !r.active {
		return
	}
	r.active = false
	if r.wasSet {
		os.Setenv(variable, r.before)
	} else {
		os.Unsetenv(variable)
	}
	if r.folder != nowhere {
		seal(r.folder)
	}
}
