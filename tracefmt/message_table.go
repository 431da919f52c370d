package tracefmt

// MessageTable maps the messages of a run to values of type T. Recorders
// number messages 1, 2, 3, ...: such ids index chunks of a slice, 1e6 of them
// in little more than their values. Ids far ahead of the number of entries,
// which a hostile trace may hold, go to a map, so that memory grows with the
// entries only. The zero table is empty.
type MessageTable[T any] struct {
	chunks []*tableChunk[T]
	rest   map[MessageID]*T
	len    int
}

const chunkBits = 9

// tableChunk keeps the values apart: 512 of them are a size that the runtime
// has, and with the bits beside them it would round them up by a seventh.
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
	return t.rest[id]
}

// Put sets the value of id, and returns where it is.
func (t *MessageTable[T]) Put(id MessageID, value T) *T {
	if old := t.Get(id); old != nil {
		*old = value
		return old
	}
	t.len++
	i := uint64(id) >> chunkBits
	if i > uint64(t.len)>>(chunkBits-2)+1 { // ahead of four times the entries
		if t.rest == nil {
			t.rest = make(map[MessageID]*T)
		}
		far := value // apart, or every value would go to the heap
		t.rest[id] = &far
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
