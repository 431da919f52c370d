package sparse

import "iter"

// pageSize is the number of entries of a page. Vectors of some thousand numbers have about as many pages as a
// page has entries.
const pageSize = 64

// Vector is an immutable vector of numbers, made by a [Space]. The zero Vector is 0 everywhere.
type Vector struct {
	// pages has nil for a page of zeros.
	pages [][]uint64
}

// At returns the number at place i, which must be below the length of the space.
func (v Vector) At(i int) uint64 {
	if v.pages == nil {
		return 0
	}
	page := v.pages[i/pageSize]
	if page == nil {
		return 0
	}
	return page[i%pageSize]
}

// All yields the places and numbers that are not 0, by ascending place.
func (v Vector) All() iter.Seq2[int, uint64] { return v.Beyond(Vector{}) }

// Beyond yields the places and numbers of v that are greater than those of w, by ascending place. It skips
// shared pages.
func (v Vector) Beyond(w Vector) iter.Seq2[int, uint64] {
	return func(yield func(int, uint64) bool) {
		for i, page := range v.pages {
			if !beyond(page, w.page(i), i*pageSize, yield) {
				return
			}
		}
	}
}

// beyond yields the numbers of a page that are greater than those of second, each with its place; from is the
// place of the first. It returns false if yield did.
func beyond(page, second []uint64, from int, yield func(int, uint64) bool) bool {
	if same(page, second) {
		return true
	}
	if second == nil {
		second = zeros[:]
	}
	for i, x := range page[:min(len(page), len(second))] { // a row has whole pages
		if x > second[i] && !yield(from+i, x) {
			return false
		}
	}
	return true
}

var zeros [pageSize]uint64

// page returns the page i; nil for zeros.
func (v Vector) page(i int) []uint64 {
	if v.pages == nil {
		return nil
	}
	return v.pages[i]
}

// same reports whether two pages are the same memory.
func same(a, b []uint64) bool { return len(a) == len(b) && (len(a) == 0 || &a[0] == &b[0]) }

// Words returns the memory of the vectors, in words of 8 bytes. Shared pages count once.
func Words(vectors iter.Seq[Vector]) int {
	words := 0
	seen := make(map[*uint64]bool)
	roots := make(map[*[]uint64]bool)
	for v := range vectors {
		if len(v.pages) == 0 || roots[&v.pages[0]] {
			continue
		}
		roots[&v.pages[0]] = true
		words += rootWords * len(v.pages)
		for _, page := range v.pages {
			if len(page) > 0 && !seen[&page[0]] {
				seen[&page[0]] = true
				words += len(page)
			}
		}
	}
	return words
}
