package standin

import (
	"os"
	_ "unsafe" // for go:linkname
)

// Drawer is argument 0 of a process that draws.
const Drawer = "etrace-graphviz"

// knownSize is the size of the module of go-graphviz v0.2.10.
const knownSize = 1507296

//go:linkname wasmFile github.com/goccy/go-graphviz/internal/wasm.wasmFile
var wasmFile []byte

var placed bool

func init() {
	if Draws() || len(wasmFile) != knownSize {
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
