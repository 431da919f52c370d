package complexity

import (
	"cmp"
	"iter"
	"maps"
	"math"
	"slices"

	"etrace/tracefmt"
)

// The tables of a counter avoid hashing for each message, as long as the run is typical: its messages have
// consecutive numbers, it has few types, and few enough processes for a square table of links.

// message is a message that is not yet delivered. The zero value means absent.
type message struct {
	depth    int64 // the length of the causal chain that ends with it
	fate     tracefmt.Fate
	accounts *messageAccounts
}

// openMessages maps ids to messages that are not yet delivered. The latest messages are in a ring, at the low
// bits of their ids. Messages that stay open for long, or have ids out of order, are in a map.
type openMessages struct {
	ring        []message          // a ring buffer, whose length is a power of two
	first, next tracefmt.MessageID // the ids in the ring: first, ..., next-1
	sparse      map[tracefmt.MessageID]message
}

// maxRing is the greatest length of the ring, which takes less than half a megabyte.
const maxRing = 1 << 14

// clear removes all messages.
func (o *openMessages) clear() {
	clear(o.ring)
	o.first, o.next = 0, 0
	clear(o.sparse)
}

// slot returns the place of an id in the ring. The length of the ring is a power of two, so the low bits of the id are
// the place.
func (o *openMessages) slot(id tracefmt.MessageID) *message { return &o.ring[int(id)&(len(o.ring)-1)] }

// inRing reports whether the ring has the id.
func (o *openMessages) inRing(id tracefmt.MessageID) bool { return o.first <= id && id < o.next }

// get returns a message; false if it is not open.
func (o *openMessages) get(id tracefmt.MessageID) (m message, ok bool) {
	var absent message
	if o.inRing(id) {
		m = *o.slot(id)
		return m, m != absent
	}
	m, ok = o.sparse[id]
	return m, ok
}

// put adds or replaces a message: in the ring if its id is there or next, else in the map.
func (o *openMessages) put(id tracefmt.MessageID, m message) {
	if _, ok := o.sparse[id]; ok {
		o.sparse[id] = m
		return
	}
	if o.first == o.next { // the ring is empty
		o.first, o.next = id, id
	}
	switch {
	case o.inRing(id):
		*o.slot(id) = m
	case id == o.next && id < math.MaxInt64:
		o.makeRoom()
		o.next++
		*o.slot(id) = m
	default:
		o.putInMap(id, m)
	}
}

// putInMap puts a message into the map.
func (o *openMessages) putInMap(id tracefmt.MessageID, m message) {
	if o.sparse == nil {
		o.sparse = make(map[tracefmt.MessageID]message)
	}
	o.sparse[id] = m
}

// remove deletes a message from the ring, or from the map if its id is outside the ring.
func (o *openMessages) remove(id tracefmt.MessageID) {
	if !o.inRing(id) {
		delete(o.sparse, id)
		return
	}
	var absent message
	*o.slot(id) = absent
	for o.first < o.next && *o.slot(o.first) == absent {
		o.first++
	}
}

// makeRoom makes room for one more message at the end of the ring. If the ring has its greatest length, the first
// message moves to the map.
func (o *openMessages) makeRoom() {
	switch length := len(o.ring); {
	case int(o.next-o.first) < length: // there is room
	case length < maxRing:
		larger := openMessages{ring: make([]message, max(64, 2*length))}
		for id := o.first; id < o.next; id++ {
			*larger.slot(id) = *o.slot(id)
		}
		o.ring = larger.ring
	default:
		var absent message
		if m := o.slot(o.first); *m != absent {
			o.putInMap(o.first, *m)
			*m = absent
		}
		o.first++
	}
}

// typeCounts counts messages by type, in the order of first occurrence.
type typeCounts struct {
	list  []TypeCount
	index map[string]int // into list, nil while the list is short
}

// fewTypes is the limit below which a linear search is faster.
const fewTypes = 8

// add counts a message of a type.
func (t *typeCounts) add(typ string) {
	if t.index == nil {
		for i := range t.list {
			if t.list[i].Type == typ {
				t.list[i].Sent++
				return
			}
		}
	} else if i, ok := t.index[typ]; ok {
		t.list[i].Sent++
		return
	}
	t.list = append(t.list, TypeCount{typ, 1})
	switch {
	case t.index != nil:
		t.index[typ] = len(t.list) - 1
	// The list has become too long to search.
	case len(t.list) > fewTypes:
		t.index = make(map[string]int)
		for i := range t.list {
			t.index[t.list[i].Type] = i
		}
	}
}

// byName returns the counts by type.
func (t *typeCounts) byName() map[string]int64 {
	counts := make(map[string]int64, len(t.list))
	for _, c := range t.list {
		counts[c.Type] = c.Sent
	}
	return counts
}

// linkTable counts messages by sender and receiver.
type linkTable struct {
	n      int // the number of processes, including 0
	square []int64
	sparse map[link]int64 // if the square would be too large
}

// maxSquare is the maximum size of the square of links, whose entries are mostly zero.
const maxSquare = 1 << 14

// restart empties the table for n processes.
func (t *linkTable) restart(n int) {
	t.n = n
	if n*n > maxSquare {
		t.square, t.sparse = nil, make(map[link]int64)
		return
	}
	t.square, t.sparse = zeros(t.square, n*n), nil
}

// add counts a message.
func (t *linkTable) add(l link) {
	if t.sparse != nil {
		t.sparse[l]++
		return
	}
	t.square[int(l.sender)*t.n+int(l.receiver)]++
}

// copy returns the counts so far. A restart reuses the square, but makes a new map.
func (t *linkTable) copy() linkTable { return linkTable{t.n, slices.Clone(t.square), t.sparse} }

// links yields the links with messages, ordered by sender and receiver, with their counts.
func (t *linkTable) links() iter.Seq2[link, int64] {
	return func(yield func(link, int64) bool) {
		for i, sent := range t.square {
			if l := (link{tracefmt.ProcessID(i / t.n), tracefmt.ProcessID(i % t.n)}); sent > 0 && !yield(l, sent) {
				return
			}
		}
		for _, l := range slices.SortedFunc(maps.Keys(t.sparse), link.compare) {
			if !yield(l, t.sparse[l]) {
				return
			}
		}
	}
}

// compare orders links by sender, then receiver.
func (l link) compare(second link) int {
	return cmp.Or(cmp.Compare(l.sender, second.sender), cmp.Compare(l.receiver, second.receiver))
}
