package spill

import "unsafe"

// pageBytes is the approximate size of a page in bytes.
const pageBytes = 64 << 10

// page is a part of a list.
type page[T any] struct {
	store  *Store
	data   []T // nil if it is not in memory
	len    int
	expect int   // the expected number of values, 0 if unknown
	at     int64 // its place in the file
	room   int   // its size in the file, 0 if it was never written
	loaded bool  // in memory, and known to the store
	dirty  bool  // differs from the file
	asked  int   // the number of loads of the store at the last request
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
	p.asked = p.store.loads
	if p.loaded {
		return
	}
	p.loaded = true
	p.data = p.buffer()
	p.store.read(raw(p.data), p.at)
	p.asked++
	p.store.entered(p, bytes(p.data))
}

// buffer returns memory for the values of the page: a spare buffer with room for the expected number, or a new one.
func (p *page[T]) buffer() []T {
	room := max(p.len, p.expect)
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
	before := bytes(p.data)
	p.data = append(p.data, values...)
	p.len, p.dirty = len(p.data), true
	p.store.grown(bytes(p.data) - before)
}

// lastAsked implements [frame].
func (p *page[T]) lastAsked() int { return p.asked }

// leave implements [frame]: it writes the page to the file if it has changed.
func (p *page[T]) leave() int {
	free := bytes(p.data)
	if p.dirty {
		p.at, p.room = p.store.write(raw(p.data), p.at, p.room)
	}
	if p.spare != nil && len(*p.spare) < maxSpare {
		*p.spare = append(*p.spare, p.data)
	}
	p.data, p.loaded, p.dirty = nil, false, false
	return free
}

// bytes returns the size of the values in memory, including spare capacity.
func bytes[T any](values []T) int { return cap(values) * int(unsafe.Sizeof(*new(T))) }

// raw returns the memory of values without pointers.
func raw[T any](values []T) []byte {
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(values))), len(values)*int(unsafe.Sizeof(*new(T))))
}
