package tracefmt

// MessageTable maps the messages of a run to values of type T. Recorders number messages 1, 2, 3, ..., and such
// ids index chunks of a slice, so 1e6 entries take little more than their values. Ids far beyond the number of
// entries, as in a hostile trace, go to a map, so memory grows only with the entries. The zero table is empty.
type MessageTable[T any] struct {
	chunks []*tableChunk[T]
	far    map[MessageID]*T
	len    int
}

const chunkBits = 9

// tableChunk stores the values separately: 512 values fill a size class of the runtime exactly, and with the
// bits they would be rounded up by a seventh.
type tableChunk[T any] struct {
	has    [1 << chunkBits / 64]uint64
	values *[1 << chunkBits]T
}

// Len returns the number of entries.
func (t *MessageTable[T]) Len() int { return t.len }

// Get returns the value of id, nil if it has none.
func (t *MessageTable[T]) Get(id MessageID) *T {
	if i := uint64(id) >> chunkBits; i < uint64(len(t.chunks)) && t.chunks[i] != nil {
		if at := id & (1<<chunkBits - 1); t.chunks[i].has[at/64]>>(at%64)&1 != 0 {
			return &t.chunks[i].values[at]
		}
	}
	return t.far[id]
}

// Put sets the value of id, and returns its address.
func (t *MessageTable[T]) Put(id MessageID, value T) *T {
	if old := t.Get(id); old != nil {
		*old = value
		return old
	}
	t.len++
	i := uint64(id) >> chunkBits
	if i > uint64(t.len)>>(chunkBits-2)+1 { // more than four times the number of entries
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
		t.chunks[i] = &tableChunk[T]{values: new([1 << chunkBits]T)}
	}
	at := id & (1<<chunkBits - 1)
	t.chunks[i].has[at/64] |= 1 << (at % 64)
	t.chunks[i].values[at] = value
	return &t.chunks[i].values[at]
}
