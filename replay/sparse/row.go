package sparse

import (
	"iter"
	"math/bits"
	"slices"
)

// Row is a row of numbers that can change; all are 0 at first. A page of zeros takes no memory, and a page of
// equal numbers one word.
type Row struct {
	// pages hold pageSize numbers each. A page of length 1 that is not borrowed has the same number everywhere.
	// A borrowed page may be shorter.
	pages [][]uint64
	// borrowed marks the pages that belong to a vector; the row copies such a page before changing it.
	borrowed []bool
}

// At returns the number at i, which is not negative.
func (r *Row) At(i int) uint64 {
	switch at := i / pageSize; {
	case at >= len(r.pages) || r.pages[at] == nil:
		return 0
	case len(r.pages[at]) == 1:
		return r.pages[at][0]
	default:
		return r.pages[at][i%pageSize]
	}
}

// Set puts x at i, which is not negative.
func (r *Row) Set(i int, x uint64) {
	r.owned(i / pageSize)[i%pageSize] = x
}

// Raise replaces each number of the row by that of v if v's is greater, and sets marks to x at the places
// that it raised. It may set marks to x also where the number is 0. A page that is replaced as a whole is
// shared with the vector.
func (r *Row) Raise(v Vector, marks *Row, x uint64) {
	for i, page := range v.pages {
		r.grow(i)
		if old := r.pages[i]; page != nil && !same(old, page) {
			r.raise(i, page, marks, x)
		}
	}
}

// raise is Raise for the page i.
func (r *Row) raise(i int, page []uint64, marks *Row, x uint64) {
	old := r.pages[i]
	if old == nil {
		r.pages[i], r.borrowed[i] = page, true
		marks.fill(i, x)
		return
	}
	switch more, less := compare(old[:len(page)], page); {
	case more && less:
		raise(r.owned(i), page, marks.owned(i), x)
	case more:
		if everywhere := markGreater(old, page, marks.owned(i), x); everywhere {
			marks.fill(i, x)
		}
		r.pages[i], r.borrowed[i] = page, true
	}
}

// raise replaces each number of target by that of page if it is greater, and sets marks to x there.
func raise(target, page, marks []uint64, x uint64) {
	target, marks = target[:len(page)], marks[:len(page)]
	for j, y := range page {
		if y > target[j] {
			target[j], marks[j] = y, x
		}
	}
}

// markGreater sets marks to x where a number of page is greater than the old one. everywhere is true if every number
// of the page is greater or 0.
func markGreater(old, page, marks []uint64, x uint64) (everywhere bool) {
	old, marks = old[:len(page)], marks[:len(page)]
	everywhere = true
	for j, y := range page {
		if y > old[j] {
			marks[j] = x
		} else if y > 0 {
			everywhere = false
		}
	}
	return everywhere
}

// fill sets all numbers of the page i to x.
func (r *Row) fill(i int, x uint64) {
	r.grow(i)
	r.pages[i], r.borrowed[i] = []uint64{x}, false
}

// owned returns the page i for changing. It first copies a borrowed page, and expands a page of equal
// numbers.
func (r *Row) owned(i int) []uint64 {
	r.grow(i)
	switch page := r.pages[i]; {
	case page == nil:
		r.pages[i] = make([]uint64, pageSize)
	case r.borrowed[i]:
		r.pages[i] = make([]uint64, pageSize)
		copy(r.pages[i], page)
	case len(page) == 1:
		r.pages[i] = slices.Repeat(page, pageSize)
	}
	r.borrowed[i] = false
	return r.pages[i]
}

// grow lengthens the row so that it has the page i.
func (r *Row) grow(i int) {
	for i >= len(r.pages) {
		r.pages, r.borrowed = append(r.pages, nil), append(r.borrowed, false)
	}
}

// Beyond yields the places and numbers of the row that are greater than those of v, by ascending place. The
// row must not have been the marks of [Row.Raise].
func (r *Row) Beyond(v Vector) iter.Seq2[int, uint64] {
	return func(yield func(int, uint64) bool) {
		for i, page := range r.pages {
			var second []uint64
			if i < len(v.pages) {
				second = v.pages[i]
			}
			if !beyond(page, second, i*pageSize, yield) {
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
