package standin

import (
	"os"
	_ "unsafe" // for go:linkname
)

// Drawer is argument 0 of a process that draws. No command has such a name, as etrace-graphviz might be one.
const Drawer = "etrace (draws)"

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

// Placed reports whether Graphviz is replaced in this process.
func Placed() bool { return placed }
