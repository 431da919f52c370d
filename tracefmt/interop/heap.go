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

// heapBound makes the garbage collector run more often when the heap approaches a bound: at Go's own pace, half of
// the heap may be garbage. A limit that the program or the user (GOMEMLIMIT) has set is kept.
type heapBound struct{ limit int64 }

// bounding is held by the import that has set the bound. Go has one memory limit for the whole process, so among
// simultaneous imports the first one sets it.
var bounding sync.Mutex

// raise allows for a text of that many bytes. The memory in use before is added to the first bound; else the
// collector would never rest.
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

// lift removes the limit, and allows another import to set one.
func (h *heapBound) lift() {
	if h.limit != 0 {
		debug.SetMemoryLimit(math.MaxInt64)
		bounding.Unlock()
	}
}
