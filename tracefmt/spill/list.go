package spill

import (
	"fmt"
	"math/bits"
	"reflect"
	"unsafe"
)

// List is a list of values that hold no pointers.
type List[T any] struct {
	store *Store
	pages []*page[T]
	shift int // a page has 1<<shift values
	len   int
	spare [][]T // the spare buffers of its pages
}

// NewList returns an empty list.
func NewList[T any](s *Store) *List[T] {
	if t := reflect.TypeFor[T](); hasPointers(t) {
		panic(fmt.Sprintf("spill: a %v holds pointers, which mean nothing in a file", t))
	}
	return &List[T]{store: s, shift: bits.Len(uint(pageBytes/unsafe.Sizeof(*new(T)))) - 1}
}

// hasPointers reports whether values of a type contain pointers.
func hasPointers(t reflect.Type) bool {
	switch t.Kind() {
	case reflect.Struct:
		for i := range t.NumField() {
			if hasPointers(t.Field(i).Type) {
				return true
			}
		}
		return false
	case reflect.Array:
		return hasPointers(t.Elem())
	}
	return t.Kind() > reflect.Complex128
}

// Len returns the number of values.
func (l *List[T]) Len() int { return l.len }

// Add adds a value at the end.
func (l *List[T]) Add(v T) {
	if l.len>>l.shift == len(l.pages) {
		next := &page[T]{store: l.store, spare: &l.spare}
		if len(l.pages) > 0 { // the first page grows, so that a short list takes little memory
			next.capacity = 1 << l.shift
		}
		l.pages = append(l.pages, next)
	}
	l.pages[len(l.pages)-1].add(v)
	l.len++
}

// At returns value i for reading. The pointer is valid while fewer than pinnedPages other pages are requested; after that
// its memory may have other values.
func (l *List[T]) At(i int) *T { return &l.pages[i>>l.shift].values()[i&(1<<l.shift-1)] }

// Edit is At for a value that the caller changes at once.
func (l *List[T]) Edit(i int) *T {
	p := l.pages[i>>l.shift]
	v := &p.values()[i&(1<<l.shift-1)]
	p.dirty = true
	return v
}
