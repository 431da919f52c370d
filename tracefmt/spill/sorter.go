package spill

import (
	"iter"
	"slices"
)

// Sorter sorts more values than fit in memory: it sorts runs of values in memory, and merges these.
type Sorter[T any] struct {
	compare func(a, b T) int
	sorted  *List[T] // runs of the same length, except the last
	next    []T      // the present run
	limit   int      // the length of a run
}

// NewSorter returns an empty sorter. No two values may be equal.
func NewSorter[T any](s *Store, compare func(a, b T) int) *Sorter[T] {
	return &Sorter[T]{compare: compare, sorted: NewList[T](s), limit: 1 << 16}
}

// Add adds a value.
func (s *Sorter[T]) Add(v T) {
	s.next = append(s.next, v)
	if len(s.next) == s.limit {
		s.storeRun()
	}
}

// storeRun sorts the present run and appends it to the sorted runs.
func (s *Sorter[T]) storeRun() {
	slices.SortFunc(s.next, s.compare)
	for _, v := range s.next {
		s.sorted.Add(v)
	}
	s.next = s.next[:0]
}

// All yields all values in order. No value may be added afterwards.
func (s *Sorter[T]) All() iter.Seq[T] {
	s.storeRun()
	var heads []head[T]
	for at := 0; at < s.sorted.Len(); at += s.limit {
		heads = append(heads, head[T]{*s.sorted.At(at), at, min(at+s.limit, s.sorted.Len())})
	}
	smallest := func(a, b head[T]) int { return s.compare(b.value, a.value) } // the smallest comes last
	slices.SortFunc(heads, smallest)
	return func(yield func(T) bool) {
		for len(heads) > 0 {
			last := len(heads) - 1
			first := heads[last]
			if !yield(first.value) {
				return
			}
			heads = heads[:last]
			first.at++
			if first.at < first.end {
				first.value = *s.sorted.At(first.at)
				i, _ := slices.BinarySearchFunc(heads, first, smallest)
				heads = slices.Insert(heads, i, first)
			}
		}
	}
}

// head is the remainder of a run.
type head[T any] struct {
	value   T
	at, end int
}
