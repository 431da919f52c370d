package complexity

import (
	"cmp"
	"iter"
	"maps"
	"math"
	"slices"

	"etrace/tracefmt"
)

// What a counter looks up at each message it finds without a hash, as long as the
// run is like most: its messages are numbered one after the other, it has few
// types, and no more processes than would make the table of links a large one.

// message is one that was not received so far: the length of the chain of
// messages that ends with it, its fate, and its entries in the ledger, if there is one. The zero
// value is none.
type message struct {
	depth  int64
	fate   tracefmt.Fate
	letter *letter
}

// openMessages are messages by their ids. Those that were put last are in a ring,
// by the low bits of their ids; those that stay on while many come and go, and
// those with ids out of turn, are in a map.
type openMessages struct {
	ring        []message          // its length is a power of two
	first, next tracefmt.MessageID // the ids in the ring: first, ..., next-1
	rest        map[tracefmt.MessageID]message
}

// mostRing is how long the ring may be: less than half a megabyte.
const mostRing = 1 << 14

func (o *openMessages) clear() {
	clear(o.ring)
	o.first, o.next = 0, 0
	clear(o.rest)
}

func (o *openMessages) at(id tracefmt.MessageID) *message { return &o.ring[int(id)&(len(o.ring)-1)] }

func (o *openMessages) has(id tracefmt.MessageID) bool { return o.first <= id && id < o.next }

func (o *openMessages) get(id tracefmt.MessageID) (m message, ok bool) {
	var none message
	if o.has(id) {
		m = *o.at(id)
		return m, m != none
	}
	m, ok = o.rest[id]
	return m, ok
}

func (o *openMessages) put(id tracefmt.MessageID, m message) {
	if _, ok := o.rest[id]; ok {
		o.rest[id] = m
		return
	}
	if o.first == o.next { // nothing is in the ring
		o.first, o.next = id, id
	}
	switch {
	case o.has(id):
		*o.at(id) = m
	case id == o.next && id < math.MaxInt64:
		o.makeRoom()
		o.next++
		*o.at(id) = m
	default:
		o.keep(id, m)
	}
}

// keep puts a message into the map.
func (o *openMessages) keep(id tracefmt.MessageID, m message) {
	if o.rest == nil {
		o.rest = make(map[tracefmt.MessageID]message)
	}
	o.rest[id] = m
}

func (o *openMessages) remove(id tracefmt.MessageID) {
	if !o.has(id) {
		delete(o.rest, id)
		return
	}
	var none message
	*o.at(id) = none
	for o.first < o.next && *o.at(o.first) == none {
		o.first++
	}
}

// makeRoom makes room for one more at the end of the ring.
func (o *openMessages) makeRoom() {
	switch length := len(o.ring); {
	case int(o.next-o.first) < length:
	case length < mostRing:
		larger := openMessages{ring: make([]message, max(64, 2*length))}
		for id := o.first; id < o.next; id++ {
			*larger.at(id) = *o.at(id)
		}
		o.ring = larger.ring
	default:
		var none message
		if m := o.at(o.first); *m != none {
			o.keep(o.first, *m)
			*m = none
		}
		o.first++
	}
}

// typeCounts counts messages by type, in the order in which the types came.
type typeCounts struct {
	list  []TypeCount
	index map[string]int // of the list, nil while it is short
}

// fewTypes are found by comparing one after the other.
const fewTypes = 8

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
	n      int // of processes, 0 included
	square []int64
	sparse map[link]int64 // where the square would be a large one
}

// mostSquare is how many links are kept in a square, of which most may not occur.
const mostSquare = 1 << 14

func (t *linkTable) restart(n int) {
	t.n = n
	if n*n > mostSquare {
		t.square, t.sparse = nil, make(map[link]int64)
		return
	}
	t.square, t.sparse = zeros(t.square, n*n), nil
}

func (t *linkTable) add(l link) {
	if t.sparse != nil {
		t.sparse[l]++
		return
	}
	t.square[int(l.from)*t.n+int(l.to)]++
}

// all yields the links that occur, by sender and receiver, and their counts.
func (t *linkTable) all() iter.Seq2[link, int64] {
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

func (l link) compare(other link) int {
	return cmp.Or(cmp.Compare(l.from, other.from), cmp.Compare(l.to, other.to))
}
