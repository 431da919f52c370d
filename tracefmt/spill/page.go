package spill

import "unsafe"

// pageBytes is the approximate size of a page in bytes.
const pageBytes = 64 << 10

// page is a part of a list.
type page[T any] struct {
	store       *Store
	data        []T // nil if it is not in memory
	len         int
	capacity    int   // the expected number of values, 0 if unknown
	offset      int64 // the place of the page in the file
	fileSize    int   // its size in the file, 0 if it was never written
	loaded      bool  // true if the page is in memory, and known to the store
	dirty       bool  // differs from the file
	lastRequest int   // the number of loads of the store at the last request
	// spare are buffers of pages that left memory, for the next pages; nil to use each buffer once.
	spare *[][]T
}

// maxSpare bounds the spare buffers of a list. A page enters before another leaves, so that more are rarely there.
const maxSpare = 4

// values returns the values in the page.
func (p *page[T]) values() []T {
	p.load()
	return p.data
}

// load reads the page into memory.
func (p *page[T]) load() {
	p.lastRequest = p.store.loads
	if p.loaded {
		return
	}
	p.loaded = true
	p.data = p.buffer()
	p.store.read(memoryOf(p.data), p.offset)
	p.lastRequest++ // addLoaded counts this load
	p.store.addLoaded(p, sizeOf(p.data))
}

// buffer returns memory for the values of the page: a spare buffer with room for the expected number, or a new one.
func (p *page[T]) buffer() []T {
	room := max(p.len, p.capacity)
	if p.spare != nil {
		if last := len(*p.spare) - 1; last >= 0 && cap((*p.spare)[last]) >= room {
			spare := (*p.spare)[last]
			*p.spare = (*p.spare)[:last]
			return spare[:p.len]
		}
	}
	return make([]T, p.len, room)
}

// add adds values to the page.
func (p *page[T]) add(values ...T) {
	p.load()
	before := sizeOf(p.data)
	p.data = append(p.data, values...)
	p.len, p.dirty = len(p.data), true
	p.store.addUsed(sizeOf(p.data) - before)
}

// lastRequested implements [frame].
func (p *page[T]) lastRequested() int { return p.lastRequest }

// evict implements [frame]: it writes the page to the file if it has changed.
func (p *page[T]) evict() int {
	free := sizeOf(p.data)
	if p.dirty {
		p.offset, p.fileSize = p.store.write(memoryOf(p.data), p.offset, p.fileSize)
	}
	if p.spare != nil && len(*p.spare) < maxSpare {
		*p.spare = append(*p.spare, p.data)
	}
	p.data, p.loaded, p.dirty = nil, false, false
	return free
}

// sizeOf returns the size of the values in memory, including spare capacity.
func sizeOf[T any](values []T) int { return cap(values) * int(unsafe.Sizeof(*new(T))) }

// memoryOf returns the memory of values without pointers.
func memoryOf[T any](values []T) []byte {
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(values))), len(values)*int(unsafe.Sizeof(*new(T))))
}
