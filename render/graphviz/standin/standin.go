package standin

import (
	"os"
	_ "unsafe" // for go:linkname
)

// Drawer is argument 0 of a process that draws. No command has such a name, as etrace-graphviz might be one.
const Drawer = "etrace (draws)"

// NoCache is argument 1 of a process that draws without a cache of the compiled module.
const NoCache = "without a cache"

// knownSize is the size of the module of go-graphviz v0.2.10.
const knownSize = 1507296

//go:linkname wasmFile github.com/goccy/go-graphviz/internal/wasm.wasmFile
var wasmFile []byte

var placed bool

func init() {
	if off || Draws() || len(wasmFile) != knownSize {
		return
	}
	if module, err := hollow(wasmFile); err == nil {
		wasmFile, placed = module, true
	}
}

// Draws reports whether this process was started to draw.
func Draws() bool { return len(os.Args) > 0 && os.Args[0] == Drawer }

// Cached reports whether this process compiles Graphviz and may keep what it compiles.
func Cached() bool { return !placed && (!Draws() || len(os.Args) < 2 || os.Args[1] != NoCache) }

// Placed reports whether Graphviz is replaced in this process.
func Placed() bool { return placed }
