package sparse

import "slices"

// rootWords is the number of words of a vector for each of its pages, shared or not.
const rootWords = 3

// Space makes vectors of one length. A vector may be handed to any space of the
// same length.
type Space struct {
	length int
	made   int
}

// NewSpace returns a space of vectors of the given length.
func NewSpace(length int) Space { return Space{length: length} }

// Made returns how many words of 8 bytes the space has made in all, whether they
// are still in use or not.
func (s *Space) Made() int { return s.made }

// With returns v with the number x at i.
func (s *Space) With(v Vector, i int, x uint64) Vector {
	pages := s.root()
	copy(pages, v.pages)
	s.put(pages, i, x)
	return Vector{pages}
}

// Join returns the vector that has the greater number of v and w everywhere; it is
// one of them if that has it.
func (s *Space) Join(v, w Vector) Vector {
	switch {
	case len(w.pages) == 0:
		return v
	case len(v.pages) == 0:
		return w
	}
	pages := s.join(v, w)
	switch {
	case slices.EqualFunc(pages, v.pages, same):
		return v
	case slices.EqualFunc(pages, w.pages, same):
		return w
	}
	return Vector{pages}
}

// JoinWith returns the join of v and w with the number x at i: a vector less to
// make than by [Space.Join] and [Space.With].
func (s *Space) JoinWith(v, w Vector, i int, x uint64) Vector {
	if len(v.pages) == 0 || len(w.pages) == 0 {
		return s.With(s.Join(v, w), i, x)
	}
	pages := s.join(v, w)
	at := i / pageSize
	if page := pages[at]; len(page) > 0 && !same(page, v.pages[at]) && !same(page, w.pages[at]) {
		page[i%pageSize] = x // it was made for this vector
	} else {
		s.put(pages, i, x)
	}
	return Vector{pages}
}

func (s *Space) root() [][]uint64 {
	n := (s.length + pageSize - 1) / pageSize
	s.made += rootWords * n
	return make([][]uint64, n)
}

// put puts x at i, in a page of its own.
func (s *Space) put(pages [][]uint64, i int, x uint64) {
	page := &pages[i/pageSize]
	values := s.page(i / pageSize)
	copy(values, *page)
	*page = values
	values[i%pageSize] = x
}

func (s *Space) page(i int) []uint64 {
	n := min(pageSize, s.length-i*pageSize)
	s.made += n
	return make([]uint64, n)
}

// join returns the pages of the join of two vectors which both have some.
func (s *Space) join(v, w Vector) [][]uint64 {
	pages := s.root()
	for i, a := range v.pages {
		pages[i] = s.joinPages(i, a, w.pages[i])
	}
	return pages
}

// joinPages returns one of the two pages if it has all the greater numbers.
func (s *Space) joinPages(i int, a, b []uint64) []uint64 {
	switch {
	case b == nil || same(a, b):
		return a
	case a == nil:
		return b
	}
	switch more, less := compare(a, b); {
	case !more:
		return a
	case !less:
		return b
	}
	page := s.page(i)
	b = b[:len(a)]
	for j, x := range a {
		page[j] = max(x, b[j])
	}
	return page
}

// compare reports whether some number of b is greater than that of a, and whether
// some is less.
func compare(a, b []uint64) (more, less bool) {
	b = b[:len(a)]
	for j, x := range a {
		switch y := b[j]; {
		case y > x:
			more = true
		case y < x:
			less = true
		}
		if more && less {
			break
		}
	}
	return more, less
}
