package privatetmp

import (
	"os"
	"path/filepath"
	"runtime"

	"etrace/render/graphviz/standin"
)

// variable is the environment variable that os.TempDir looks at.
var variable = func() string {
	if runtime.GOOS == "windows" {
		return "TMP"
	}
	return "TMPDIR"
}()

// nowhere lies beneath something that is no directory: nothing can be created
// there, by any user.
var nowhere = filepath.Join(os.DevNull, "none")

var redirected struct {
	before string // the variable's value
	wasSet bool
	folder string // where it points now
	active bool
}

func init() {
	r := &redirected
	r.before, r.wasSet = os.LookupEnv(variable)
	r.folder, r.active = nowhere, true
	if standin.Cached() {
		r.folder = choose(candidates(), os.Getuid())
	}
	os.Setenv(variable, r.folder)
}

// Restore puts the temporary directory back to where it was and seals what
// go-graphviz has left in its cache. Call it once go-graphviz is initialised;
// later calls do nothing.
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
