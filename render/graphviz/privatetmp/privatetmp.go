// Package privatetmp lets a program that links go-graphviz start in every
// surroundings.
//
// go-graphviz compiles its WebAssembly in a package init and keeps the result
// in the folder go-graphviz of the temporary directory, a place which all
// users of a machine share. When that folder belongs to somebody else, or
// when a file in it is damaged, the init panics: no command of the program
// runs, not even one that draws nothing.
//
// The init of this package runs first and points the temporary directory at a
// folder that belongs to the user alone, in which every file has been checked.
// [Restore], called by the one package that imports go-graphviz, puts
// the directory back. Where no such folder can be had, the directory points
// nowhere: go-graphviz then compiles in memory, which costs half a second but
// never fails.
//
// # Why it runs first
//
// Go initialises packages in the order of their import paths, each as soon as
// everything it imports is initialised. This package's path sorts before
// github.com, and it imports only what go-graphviz or its WebAssembly runtime
// imports, too; so it is ready no later and is taken before. Keep both.
package privatetmp

import (
	"os"
	"path/filepath"
	"runtime"
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
	r.folder, r.active = choose(candidates(), os.Getuid()), true
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
