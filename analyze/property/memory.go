package property

import (
	"fmt"
	"hash/maphash"
	"iter"
	"maps"
	"slices"

	"etrace/analyze"
	"etrace/tracefmt"
)

// mostKept is how many things of one sort a monitor remembers that must
// remember them to the end.
const mostKept = 1 << 22

// roomFor reports whether a monitor may keep that many things, and leaves the
// property undecided if not.
func roomFor(r *analyze.Result, n int, things string) bool {
	if n > mostKept {
		r.Undecided(func() string { return tooMany(things) })
	}
	return n <= mostKept
}

func tooMany(things string) string {
	return fmt.Sprintf("the run has more than %d %s to remember", mostKept, things)
}

// hashSeed is random, so that no trace can be made in which things that differ
// have the same hash.
var hashSeed = maphash.MakeSeed()

// valueHash hashes a JSON value; numbers that are equal have one hash, also as
// texts.
func valueHash(value []byte) uint64 { return maphash.Bytes(hashSeed, tracefmt.Canonical(value)) }

// fieldHash hashes a field of a JSON object. Sums of it do not depend on the
// order of the fields.
func fieldHash(key, value []byte) uint64 {
	return mix(maphash.Bytes(hashSeed, key) ^ mix(valueHash(value)))
}

// fieldsHash hashes a JSON object without regard to the order of its fields.
func fieldsHash(object []byte) (h uint64) {
	for key, value := range tracefmt.Fields(object) {
		h += fieldHash(key, value)
	}
	return h
}

// mix is the finalizer of splitmix64: each bit of x changes half of the bits.
func mix(x uint64) uint64 {
	x += 0x9e3779b97f4a7c15
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}

// channel is a pair of processes: what goes from the one to the other.
type channel struct{ from, to tracefmt.ProcessID }

// seqSet is a set of seqs: a bit for each event of the run.
type seqSet []uint64

// add adds a seq, and reports whether it was there before.
func (s *seqSet) add(seq tracefmt.Seq) bool {
	word, bit := int(seq/64), uint64(1)<<(seq%64)
	if word >= len(*s) {
		*s = slices.Grow(*s, word+1-len(*s))[:word+1]
	}
	had := (*s)[word]&bit != 0
	(*s)[word] |= bit
	return had
}

// has reports whether a seq is in the set.
func (s seqSet) has(seq tracefmt.Seq) bool {
	word := int(seq / 64)
	return seq >= 0 && word < len(s) && s[word]&(1<<(seq%64)) != 0
}

// indexed keeps things by an index, such as that of a log, in pages of neighbours:
// in half of the memory that a map takes, and to be walked in order.
type indexed[T comparable] struct {
	pages  map[int64]*indexedPage[T] // by index / indexedPageSize
	length int
	// pool, unless nil, has the pages that several share which are often alike.
	pool *indexedPool[T]
}

const indexedPageSize = 8

type indexedPage[T comparable] struct {
	has    uint8 // a bit for each thing that is there
	shared bool  // so that it never changes any more
	things [indexedPageSize]T
}

// get returns what is at an index; nothing is at one below 0.
func (x *indexed[T]) get(index int64) (thing T, ok bool) {
	p := x.pages[index/indexedPageSize]
	if p == nil || index < 0 {
		return thing, false
	}
	return p.get(index % indexedPageSize)
}

func (p *indexedPage[T]) get(i int64) (T, bool) { return p.things[i], p.has&(1<<i) != 0 }

// set puts a thing at an index, which is not below 0.
func (x *indexed[T]) set(index int64, thing T) {
	if x.pages == nil {
		x.pages = make(map[int64]*indexedPage[T])
	}
	number, i := index/indexedPageSize, index%indexedPageSize
	p := x.pages[number].own()
	x.length += 1 - int(p.has>>i&1)
	p.has |= 1 << i
	p.things[i] = thing
	x.pages[number] = x.pool.share(number, p)
}

// own returns a page that may be changed: p, a copy of it, or a new one for nil.
func (p *indexedPage[T]) own() *indexedPage[T] {
	switch {
	case p == nil:
		return new(indexedPage[T])
	case p.shared:
		return &indexedPage[T]{has: p.has, things: p.things}
	}
	return p
}

func (x *indexed[T]) remove(index int64) {
	number, i := index/indexedPageSize, index%indexedPageSize
	p := x.pages[number]
	if p == nil || index < 0 || p.has&(1<<i) == 0 {
		return
	}
	x.length--
	if p.has == 1<<i {
		delete(x.pages, number)
		return
	}
	p = p.own()
	var none T
	p.things[i] = none
	p.has &^= 1 << i
	x.pages[number] = p
}

// between yields what is there from one index to another, both included, in
// ascending order. Nothing may be set or removed meanwhile.
func (x *indexed[T]) between(from, to int64) iter.Seq2[int64, T] {
	return func(yield func(int64, T) bool) {
		for number := range x.numbers(from/indexedPageSize, to/indexedPageSize) {
			p := x.pages[number]
			for i := range int64(indexedPageSize) {
				index := number*indexedPageSize + i
				if p == nil || index < from || index > to {
					continue
				}
				if thing, ok := p.get(i); ok && !yield(index, thing) {
					return
				}
			}
		}
	}
}

// numbers yields the pages from one to another in ascending order, and maybe
// some that are not there.
func (x *indexed[T]) numbers(from, to int64) iter.Seq[int64] {
	if to-from > int64(len(x.pages)) { // there are gaps
		return slices.Values(slices.Sorted(maps.Keys(x.pages)))
	}
	return func(yield func(int64) bool) {
		for number := from; number <= to && yield(number); number++ {
		}
	}
}

// indexedPool has full pages that were made lately, by number.
type indexedPool[T comparable] [64]*indexedPage[T]

// share returns a page with the same things as p, which is p unless the pool has
// one already.
func (pool *indexedPool[T]) share(number int64, p *indexedPage[T]) *indexedPage[T] {
	if pool == nil || p.has != 1<<indexedPageSize-1 {
		return p
	}
	slot := &pool[number%int64(len(pool))]
	if q := *slot; q != nil && q.things == p.things {
		q.shared = q.shared || q != p
		return q
	}
	*slot = p
	return p
}
