package privatetmp

import (
	"runtime"
	"runtime/debug"
)

// The init of go-graphviz allocates 4.4 MB, just enough to begin the first
// garbage collection of the program, which takes longer than most commands and
// finds nothing. usualPercent is what Go begins with: it collects at 4 MB then,
// and at 16 MB with firstPercent.
const (
	usualPercent = 100
	firstPercent = 400
)

// watched is collected by the first collection.
type watched struct{ _ [2]*watched }

// postponeCollection puts the first garbage collection off to 16 MB; from then
// on they come as usual. Where the user has said when they come (GOGC), or the
// program has since, they do.
func postponeCollection() {
	if before := debug.SetGCPercent(firstPercent); before != usualPercent {
		debug.SetGCPercent(before)
		return
	}
	runtime.SetFinalizer(new(watched), func(*watched) {
		if before := debug.SetGCPercent(usualPercent); before != firstPercent {
			debug.SetGCPercent(before)
		}
	})
}
