package tracefmt

// MessageTable maps the messages of a run to values of type T. Recorders number messages 1, 2, 3, ..., and such
// ids index chunks of a slice, so 1e6 entries take little more than their values. Ids far beyond the number of
// entries, as in a hostile trace, go to a map, so memory grows only with the entries. The zero table is empty.
type MessageTable[T any] struct {
	chunks []*tableChunk[T]
	far    map[MessageID]*T
	len    int
}

// A chunk has the entries of 512 consecutive ids. The upper bits of an id are the index of its chunk, the lower bits
// its slot in the chunk.
const (
	chunkBits  = 9
	chunkSlots = 1 << chunkBits
)

// tableChunk stores the values apart from the bits in has: 512 values fill a size class of the Go runtime exactly,
// and with the bits the runtime would allocate a seventh more.
type tableChunk[T any] struct {
	has    [chunkSlots / 64]uint64 // a bit for each slot: it is in use
	values *[chunkSlots]T
}

// Len returns the number of entries.
func (t *MessageTable[T]) Len() int { return t.len }

// Get returns the value of id, nil if it has none.
func (t *MessageTable[T]) Get(id MessageID) *T {
	i, slot := chunkOf(id)
	if i < uint64(len(t.chunks)) && t.chunks[i] != nil && t.chunks[i].has[slot/64]>>(slot%64)&1 != 0 {
		return &t.chunks[i].values[slot]
	}
	return t.far[id]
}

// chunkOf returns the index of the chunk of an id, and its slot there.
func chunkOf(id MessageID) (index, slot uint64) {
	return uint64(id) >> chunkBits, uint64(id) % chunkSlots
}

// Put sets the value of id, and returns its address.
func (t *MessageTable[T]) Put(id MessageID, value T) *T {
	if old := t.Get(id); old != nil {
		*old = value
		return old
	}
	t.len++
	i, slot := chunkOf(id)
	if i > 4*uint64(t.len)/chunkSlots+1 { // the id is more than four times the number of entries
		if t.far == nil {
			t.far = make(map[MessageID]*T)
		}
		far := value // a separate variable, so that other values stay off the heap
		t.far[id] = &far
		return &far
	}
	for uint64(len(t.chunks)) <= i {
		t.chunks = append(t.chunks, nil)
	}
	if t.chunks[i] == nil {
		t.chunks[i] = &tableChunk[T]{values: new([chunkSlots]T)}
	}
	t.chunks[i].has[slot/64] |= 1 << (slot % 64)
	t.chunks[i].values[slot] = value
	return &t.chunks[i].values[slot]
}
