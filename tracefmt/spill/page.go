package spill

import "unsafe"

// pageBytes is about how many bytes a page has.
const pageBytes = 64 << 10

// page is a part of a list.
type page[T any] struct {
	store  *Store
	data   []T // nil if it is not in memory
	len    int
	expect int   // how many values it will have, 0 if that is not known
	at     int64 // its place in the file
	room   int   // and how many bytes it has there, 0 if it was never written
	loaded bool  // in memory, and known to the store
	dirty  bool  // not what the file has
	asked  int   // after so many loads of the store
}

// values returns what is in the page.
func (p *page[T]) values() []T {
	p.load()
	return p.data
}

// load brings the page to memory.
func (p *page[T]) load() {
	p.asked = p.store.loads
	if p.loaded {
		return
	}
	p.loaded = true
	p.data = make([]T, p.len, max(p.len, p.expect))
	p.store.read(raw(p.data), p.at)
	p.asked++
	p.store.entered(p, bytes(p.data))
}

// add adds values to the page.
func (p *page[T]) add(values ...T) {
	p.load()
	before := bytes(p.data)
	p.data = append(p.data, values...)
	p.len, p.dirty = len(p.data), true
	p.store.grown(bytes(p.data) - before)
}

func (p *page[T]) lastAsked() int { return p.asked }

func (p *page[T]) leave() int {
	free := bytes(p.data)
	if p.dirty {
		p.at, p.room = p.store.write(raw(p.data), p.at, p.room)
	}
	p.data, p.loaded, p.dirty = nil, false, false
	return free
}

// bytes is how much memory the values take, with the room behind them.
func bytes[T any](values []T) int { return cap(values) * int(unsafe.Sizeof(*new(T))) }

// raw is the memory of values that have no pointers.
func raw[T any](values []T) []byte {
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(values))), len(values)*int(unsafe.Sizeof(*new(T))))
}
