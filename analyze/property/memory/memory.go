// Package memory has the tables of monitors: they are small, and bounded.
package memory

import (
	"fmt"
	"hash/maphash"
	"iter"
	"maps"
	"slices"

	"etrace/analyze"
	"etrace/tracefmt"
)

// MostKept bounds the things of one sort that a monitor stores until the end.
const MostKept = 1 << 22

// RoomFor reports whether a monitor may store n things, and leaves the property undecided if not.
func RoomFor(r *analyze.Result, n int, things string) bool {
	if n > MostKept {
		r.Undecided(func() string { return TooMany(things) })
	}
	return n <= MostKept
}

// TooMany explains why a property is undecided that would store more than MostKept things.
func TooMany(things string) string {
	return fmt.Sprintf("the run has more than %d %s to remember", MostKept, things)
}

// HashSeed is random, so that no trace can be constructed in which different things have equal hashes.
var HashSeed = maphash.MakeSeed()

// ValueHash hashes a JSON value; equal numbers have equal hashes, also as texts.
func ValueHash(value []byte) uint64 { return maphash.Bytes(HashSeed, tracefmt.Canonical(value)) }

// FieldHash hashes a field of a JSON object. The sum of such hashes does not depend on the order of the fields.
func FieldHash(key, value []byte) uint64 {
	return Mix(maphash.Bytes(HashSeed, key) ^ Mix(ValueHash(value)))
}

// FieldsHash hashes a JSON object independently of the order of its fields.
func FieldsHash(object []byte) (h uint64) {
	for key, value := range tracefmt.Fields(object) {
		h += FieldHash(key, value)
	}
	return h
}

// Mix is the finalizer of splitmix64: each bit of x changes half of the bits.
func Mix(x uint64) uint64 {
	x += 0x9e3779b97f4a7c15
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}

// Channel is a pair of processes, for messages from the first to the second.
type Channel struct{ From, Receiver tracefmt.ProcessID }

// SeqSet is a set of seqs, with a bit for each event of the run.
type SeqSet []uint64

// Add adds a seq, and reports whether it was in the set before.
func (s *SeqSet) Add(seq tracefmt.Seq) bool {
	word, bit := int(seq/64), uint64(1)<<(seq%64)
	if word >= len(*s) {
		*s = slices.Grow(*s, word+1-len(*s))[:word+1]
	}
	had := (*s)[word]&bit != 0
	(*s)[word] |= bit
	return had
}

// Has reports whether a seq is in the set.
func (s SeqSet) Has(seq tracefmt.Seq) bool {
	word := int(seq / 64)
	return seq >= 0 && word < len(s) && s[word]&(1<<(seq%64)) != 0
}

// Indexed stores things by an index, such as that of a log, in pages of neighbours. It takes half of the memory
// of a map, and can be traversed in order.
type Indexed[T comparable] struct {
	pages  map[int64]*indexedPage[T] // by index / indexedPageSize
	Length int
	// Pool, unless nil, has full pages that several logs share, since they are often equal.
	Pool *IndexedPool[T]
}

const indexedPageSize = 8

// indexedPage has the things of neighbouring indexes.
type indexedPage[T comparable] struct {
	has    uint8 // a bit for each stored thing
	shared bool  // the page is shared, so it never changes
	things [indexedPageSize]T
}

// Get returns the thing at an index; indexes below 0 are empty.
func (x *Indexed[T]) Get(index int64) (thing T, ok bool) {
	p := x.pages[index/indexedPageSize]
	if p == nil || index < 0 {
		return thing, false
	}
	return p.get(index % indexedPageSize)
}

// get returns the thing at a place of the page.
func (p *indexedPage[T]) get(i int64) (T, bool) { return p.things[i], p.has&(1<<i) != 0 }

// Set stores a thing at an index, which is not below 0.
func (x *Indexed[T]) Set(index int64, thing T) {
	if x.pages == nil {
		x.pages = make(map[int64]*indexedPage[T])
	}
	number, i := index/indexedPageSize, index%indexedPageSize
	p := x.pages[number].writable()
	x.Length += 1 - int(p.has>>i&1)
	p.has |= 1 << i
	p.things[i] = thing
	x.pages[number] = x.Pool.share(number, p)
}

// writable returns a page that may be changed: p, a copy of it, or a new one for nil.
func (p *indexedPage[T]) writable() *indexedPage[T] {
	switch {
	case p == nil:
		return new(indexedPage[T])
	case p.shared:
		return &indexedPage[T]{has: p.has, things: p.things}
	}
	return p
}

// Remove removes the thing at an index.
func (x *Indexed[T]) Remove(index int64) {
	number, i := index/indexedPageSize, index%indexedPageSize
	p := x.pages[number]
	if p == nil || index < 0 || p.has&(1<<i) == 0 {
		return
	}
	x.Length--
	if p.has == 1<<i {
		delete(x.pages, number)
		return
	}
	p = p.writable()
	var zero T
	p.things[i] = zero
	p.has &^= 1 << i
	x.pages[number] = p
}

// Between yields the things from one index to another, both included, in ascending order. The caller must not
// change the store meanwhile.
func (x *Indexed[T]) Between(from, end int64) iter.Seq2[int64, T] {
	return func(yield func(int64, T) bool) {
		for number := range x.numbers(from/indexedPageSize, end/indexedPageSize) {
			p := x.pages[number]
			for i := range int64(indexedPageSize) {
				index := number*indexedPageSize + i
				if p == nil || index < from || index > end {
					continue
				}
				if thing, ok := p.get(i); ok && !yield(index, thing) {
					return
				}
			}
		}
	}
}

// numbers yields the pages from one to another in ascending order, and possibly some that do not exist.
func (x *Indexed[T]) numbers(from, end int64) iter.Seq[int64] {
	if end-from > int64(len(x.pages)) { // sparse: sorting the pages is cheaper
		return slices.Values(slices.Sorted(maps.Keys(x.pages)))
	}
	return func(yield func(int64) bool) {
		for number := from; number <= end && yield(number); number++ {
		}
	}
}

// IndexedPool has the full pages that were stored last, by number.
type IndexedPool[T comparable] [64]*indexedPage[T]

// share returns a page with the same things as p: the one in the pool, or p itself.
func (pool *IndexedPool[T]) share(number int64, p *indexedPage[T]) *indexedPage[T] {
	if pool == nil || p.has != 1<<indexedPageSize-1 {
		return p
	}
	slot := &pool[number%int64(len(pool))]
	// The log that stored q may have removed a thing from it since.
	if q := *slot; q != nil && q.has == p.has && q.things == p.things {
		q.shared = q.shared || q != p
		return q
	}
	*slot = p
	return p
}
