package spill

import (
	"iter"
	"slices"
)

// Sorter brings values into an order, more of them than memory holds: it sorts stretches of
// them in memory, and merges these.
type Sorter[T any] struct {
	compare func(one, other T) int
	sorted  *List[T] // stretches of the same length, but for the last
	next    []T      // the stretch at hand
	most    int      // values of a stretch
}

// NewSorter returns a sorter without values, to which no two are equal.
func NewSorter[T any](s *Store, compare func(one, other T) int) *Sorter[T] {
	return &Sorter[T]{compare: compare, sorted: NewList[T](s), most: 1 << 16}
}

// Add adds a value.
func (s *Sorter[T]) Add(v T) {
	if s.next = append(s.next, v); len(s.next) == s.most {
		s.store()
	}
}

func (s *Sorter[T]) store() {
	slices.SortFunc(s.next, s.compare)
	for _, v := range s.next {
		s.sorted.Add(v)
	}
	s.next = s.next[:0]
}

// All yields all values in order. Nothing is added from then on.
func (s *Sorter[T]) All() iter.Seq[T] {
	s.store()
	var heads []head[T]
	for at := 0; at < s.sorted.Len(); at += s.most {
		heads = append(heads, head[T]{*s.sorted.At(at), at, min(at+s.most, s.sorted.Len())})
	}
	least := func(one, other head[T]) int { return s.compare(other.value, one.value) } // comes last
	slices.SortFunc(heads, least)
	return func(yield func(T) bool) {
		for len(heads) > 0 {
			last := len(heads) - 1
			first := heads[last]
			if !yield(first.value) {
				return
			}
			heads = heads[:last]
			if first.at++; first.at < first.end {
				first.value = *s.sorted.At(first.at)
				i, _ := slices.BinarySearchFunc(heads, first, least)
				heads = slices.Insert(heads, i, first)
			}
		}
	}
}

// head is what is left of a stretch.
type head[T any] struct {
	value   T
	at, end int
}
