package sparse

import "slices"

// rootWords is the number of words of a vector for each of its pages, shared or not.
const rootWords = 3

// Space makes vectors of one length, and counts the memory that it allocates. Spaces of the same length may
// exchange vectors.
type Space struct {
	length int
	made   int
}

// NewSpace returns a space of vectors of the given length.
func NewSpace(length int) Space { return Space{length: length} }

// Made returns the number of words of 8 bytes that the space has allocated so far, whether they are still in
// use or not.
func (s *Space) Made() int { return s.made }

// With returns a copy of v with the number x at i.
func (s *Space) With(v Vector, i int, x uint64) Vector {
	pages := s.root()
	copy(pages, v.pages)
	s.put(pages, i, x)
	return Vector{pages}
}

// Join returns the vector of the greater of the two numbers at each place. It returns v or w itself if that
// is the result.
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

// JoinWith returns the join of v and w with the number x at i. It allocates less than [Space.Join] and
// [Space.With].
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

// root allocates the list of pages of a vector.
func (s *Space) root() [][]uint64 {
	n := (s.length + pageSize - 1) / pageSize
	s.made += rootWords * n
	return make([][]uint64, n)
}

// put copies the page of i, and sets the number at i to x.
func (s *Space) put(pages [][]uint64, i int, x uint64) {
	page := &pages[i/pageSize]
	values := s.page(i / pageSize)
	copy(values, *page)
	*page = values
	values[i%pageSize] = x
}

// page allocates the page i; the last one may be shorter.
func (s *Space) page(i int) []uint64 {
	n := min(pageSize, s.length-i*pageSize)
	s.made += n
	return make([]uint64, n)
}

// join returns the pages of the join of two vectors that both have pages.
func (s *Space) join(v, w Vector) [][]uint64 {
	pages := s.root()
	for i, a := range v.pages {
		pages[i] = s.joinPages(i, a, w.pages[i])
	}
	return pages
}

// joinPages returns the page of the greater numbers of a and b: a or b itself if it has them all, else a new
// page.
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

// compare reports whether some number of b is greater than that of a, and whether some number is less.
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
