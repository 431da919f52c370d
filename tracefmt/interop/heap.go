package interop

import (
	"math"
	"runtime/debug"
	"runtime/metrics"
	"sync"
)

// freeHeap and heapPerByte bound the heap of an import: 64 MiB, and 12 bytes for each byte of a text that is read as a
// whole. A document may have a record in 15 bytes, which takes 100 until the document ends. An import may take 20 bytes
// for each byte of a text; the difference is for what is made while the collector runs, which on a busy machine takes long.
// The memory in use must stay below the bound, else the collector never rests: with 10 bytes, 16 MB of short slices of Chrome
// had 240 MB in use at a bound of 224.
const freeHeap, heapPerByte = 64 << 20, 12

// heapBound lowers the memory limit of the process while an import holds a whole text, so that garbage is
// collected in time. Without it, half of the heap may be garbage. A limit that the program or the user
// (GOMEMLIMIT) has set stays.
type heapBound struct{ limit int64 }

// bounding is locked by the import that has set the limit. Go has one memory limit for the whole process, so of
// several imports at a time only the first one sets it.
var bounding sync.Mutex

// raise raises the limit for a text of that many bytes. The first call adds the memory that is in use before;
// otherwise the collector would run all the time.
func (h *heapBound) raise(bytes int) {
	if h.limit == 0 {
		if debug.SetMemoryLimit(-1) != math.MaxInt64 || !bounding.TryLock() {
			return
		}
		before := []metrics.Sample{{Name: "/memory/classes/heap/objects:bytes"}}
		metrics.Read(before)
		h.limit = int64(before[0].Value.Uint64()) + freeHeap
	}
	h.limit += heapPerByte * int64(bytes)
	debug.SetMemoryLimit(h.limit)
}

// lift removes the limit.
func (h *heapBound) lift() {
	if h.limit != 0 {
		debug.SetMemoryLimit(math.MaxInt64)
		bounding.Unlock()
	}
}
