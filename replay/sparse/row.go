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
	for i/pageSize >= len(r.pages) {
		r.pages = append(r.pages, nil)
	}
	page := &r.pages[i/pageSize]
	if *page == nil {
		*page = make([]uint64, pageSize)
	}
	(*page)[i%pageSize] = x
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
