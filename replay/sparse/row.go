package sparse

import (
	"iter"
	"math/bits"
)

// Row is a row of numbers that change, 0 at first. A page of zeros takes nothing.
type Row struct {
	pages [][]uint64
}

// At returns the number at i, which is not negative.
func (r *Row) At(i int) uint64 {
	if i/pageSize >= len(r.pages) || r.pages[i/pageSize] == nil {
		return 0
	}
	return r.pages[i/pageSize][i%pageSize]
}

// Set puts x at i, which is not negative.
func (r *Row) Set(i int, x uint64) {
	r.page(i / pageSize)[i%pageSize] = x
}

// page returns a page that may be changed.
func (r *Row) page(i int) []uint64 {
	for i >= len(r.pages) {
		r.pages = append(r.pages, nil)
	}
	if r.pages[i] == nil {
		r.pages[i] = make([]uint64, pageSize)
	}
	return r.pages[i]
}

// Raise raises the numbers of the row that are less than those of v to these, and
// puts x where it does so into another row.
func (r *Row) Raise(v Vector, marks *Row, x uint64) {
	for i, page := range v.pages {
		if page != nil {
			raise(r.page(i), page, marks.page(i), x)
		}
	}
}

func raise(to, page, marks []uint64, x uint64) {
	to, marks = to[:len(page)], marks[:len(page)]
	for j, y := range page {
		if y > to[j] {
			to[j], marks[j] = y, x
		}
	}
}

// Beyond yields the numbers that are greater than those of v, in ascending order of
// their places.
func (r *Row) Beyond(v Vector) iter.Seq2[int, uint64] {
	return func(yield func(int, uint64) bool) {
		for i, page := range r.pages {
			var other []uint64
			if i < len(v.pages) {
				other = v.pages[i]
			}
			if !beyond(page, other, i*pageSize, yield) {
				return
			}
		}
	}
}

// Set is a set of numbers, a bit for each. The nil set is empty.
type Set []uint64

// NewSet returns an empty set of numbers below n.
func NewSet(n int) Set { return make(Set, (n+63)/64) }

// Add adds i to the set.
func (s Set) Add(i int) { s[i/64] |= 1 << (i % 64) }

// Remove removes i from the set.
func (s Set) Remove(i int) { s[i/64] &^= 1 << (i % 64) }

// Has reports whether i is in the set.
func (s Set) Has(i int) bool { return s != nil && s[i/64]&(1<<(i%64)) != 0 }

// All yields the numbers in the set in ascending order.
func (s Set) All() iter.Seq[int] { return s.Without(nil) }

// Without yields the numbers that are in the set and not in t, in ascending order.
func (s Set) Without(t Set) iter.Seq[int] {
	return func(yield func(int) bool) {
		for i, word := range s {
			if t != nil {
				word &^= t[i]
			}
			for ; word != 0; word &= word - 1 {
				if !yield(i*64 + bits.TrailingZeros64(word)) {
					return
				}
			}
		}
	}
}
