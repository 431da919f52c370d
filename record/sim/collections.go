package sim

import (
	"cmp"
	"iter"
	"reflect"
	"slices"
)

// List is an immutable sequence of values: an operation that changes it returns another list. So a process may
// send a list and continue to work with it, and the value in flight stays unchanged.
type List[T any] struct{ items []T }

// ListOf returns the list of the items.
func ListOf[T any](items ...T) List[T] { return List[T]{}.Append(items...) }

// Len returns the number of items.
func (l List[T]) Len() int { return len(l.items) }

// At returns item i, counted from 0. It panics if there is no such item.
func (l List[T]) At(i int) T { return l.items[i] }

// Last returns the last item, or the zero value of an empty list.
func (l List[T]) Last() (last T) {
	if len(l.items) > 0 {
		last = l.items[len(l.items)-1]
	}
	return last
}

// Values yields the items in their order.
func (l List[T]) Values() iter.Seq[T] { return slices.Values(l.items) }

// All yields the indices, from 0, and the items in their order.
func (l List[T]) All() iter.Seq2[int, T] { return slices.All(l.items) }

// Contains reports whether an item equals x.
func (l List[T]) Contains(x T) bool {
	return slices.ContainsFunc(l.items, func(y T) bool { return equal(x, y) })
}

// Append returns the list with more items at its end.
func (l List[T]) Append(items ...T) List[T] {
	if len(items) == 0 {
		return l
	}
	return List[T]{slices.Concat(l.items, items)}
}

// Slice returns the items from index i up to, but without, index j.
func (l List[T]) Slice(i, j int) List[T] {
	if i == j {
		return List[T]{}
	}
	return List[T]{l.items[i:j:j]}
}

// First returns the first n items, or all if there are fewer.
func (l List[T]) First(n int) List[T] { return l.Slice(0, min(n, len(l.items))) }

// From returns the items from index i on.
func (l List[T]) From(i int) List[T] { return l.Slice(i, len(l.items)) }

// Without returns the list without the items that equal x.
func (l List[T]) Without(x T) List[T] {
	return List[T]{nonEmpty(slices.DeleteFunc(slices.Clone(l.items), func(y T) bool { return equal(x, y) }))}
}

// Set is an immutable set of values, in ascending order: processes and numbers by number, texts by their bytes,
// records by their first field that differs.
type Set[T comparable] struct{ items []T }

// SetOf returns the set of the items.
func SetOf[T comparable](items ...T) Set[T] { return Set[T]{}.With(items...) }

// Len returns the number of items.
func (s Set[T]) Len() int { return len(s.items) }

// At returns item i in ascending order, counted from 0. It panics if there is no such item.
func (s Set[T]) At(i int) T { return s.items[i] }

// Values yields the items in ascending order.
func (s Set[T]) Values() iter.Seq[T] { return slices.Values(s.items) }

// Has reports whether x is in the set.
func (s Set[T]) Has(x T) bool {
	_, found := slices.BinarySearchFunc(s.items, x, compareValues[T])
	return found
}

// With returns the set with more items.
func (s Set[T]) With(items ...T) Set[T] {
	for _, x := range items {
		if i, found := slices.BinarySearchFunc(s.items, x, compareValues[T]); !found {
			s.items = slices.Insert(slices.Clip(s.items), i, x)
		}
	}
	return s
}

// Without returns the set without x.
func (s Set[T]) Without(x T) Set[T] {
	i, found := slices.BinarySearchFunc(s.items, x, compareValues[T])
	if !found {
		return s
	}
	return Set[T]{nonEmpty(slices.Delete(slices.Clone(s.items), i, i+1))}
}

// Union returns the union of both sets.
func (s Set[T]) Union(added Set[T]) Set[T] { return s.With(added.items...) }

// Map is an immutable map. Its keys are processes, numbers, texts or words, in ascending order.
type Map[K cmp.Ordered, V any] struct {
	keys   []K
	values []V
}

// MapOf returns the map of the pairs. It is fast if the keys ascend.
func MapOf[K cmp.Ordered, V any](pairs iter.Seq2[K, V]) (m Map[K, V]) {
	for key, value := range pairs {
		if n := len(m.keys); n == 0 || m.keys[n-1] < key {
			m.keys, m.values = append(m.keys, key), append(m.values, value)
		} else {
			m = m.With(key, value)
		}
	}
	return m
}

// Len returns the number of keys.
func (m Map[K, V]) Len() int { return len(m.keys) }

// Has reports whether the map has a value for the key.
func (m Map[K, V]) Has(key K) bool {
	_, found := slices.BinarySearch(m.keys, key)
	return found
}

// Get returns the value of the key, the zero value if it has none.
func (m Map[K, V]) Get(key K) (value V) {
	if i, found := slices.BinarySearch(m.keys, key); found {
		value = m.values[i]
	}
	return value
}

// Count returns the number of values for which matches is true.
func (m Map[K, V]) Count(matches func(value V) bool) (n int) {
	for _, value := range m.values {
		if matches(value) {
			n++
		}
	}
	return n
}

// All yields the keys in ascending order, and their values.
func (m Map[K, V]) All() iter.Seq2[K, V] {
	return func(yield func(K, V) bool) {
		for i, key := range m.keys {
			if !yield(key, m.values[i]) {
				return
			}
		}
	}
}

// With returns the map with a value for the key.
func (m Map[K, V]) With(key K, value V) Map[K, V] {
	i, found := slices.BinarySearch(m.keys, key)
	if found {
		values := slices.Clone(m.values)
		values[i] = value
		return Map[K, V]{m.keys, values}
	}
	return Map[K, V]{slices.Insert(slices.Clip(m.keys), i, key), slices.Insert(slices.Clip(m.values), i, value)}
}

// Without returns the map without the key.
func (m Map[K, V]) Without(key K) Map[K, V] {
	i, found := slices.BinarySearch(m.keys, key)
	if !found {
		return m
	}
	return Map[K, V]{
		nonEmpty(slices.Delete(slices.Clone(m.keys), i, i+1)),
		nonEmpty(slices.Delete(slices.Clone(m.values), i, i+1)),
	}
}

// nonEmpty returns nil for an empty slice, so that empty collections are equal in memory.
func nonEmpty[T any](items []T) []T {
	if len(items) == 0 {
		return nil
	}
	return items
}

// equal reports whether two values are equal. Go cannot compare collections with ==, so these are compared by
// their contents.
func equal[T any](x, y T) bool {
	if reflect.TypeFor[T]().Comparable() {
		return any(x) == any(y)
	}
	return reflect.DeepEqual(x, y)
}

// compareValues compares two values by the order of a [Set].
func compareValues[T any](x, y T) int {
	return compareReflected(reflect.ValueOf(x), reflect.ValueOf(y))
}

// compareReflected is order for reflected values. A struct is ordered by its first field that differs.
func compareReflected(x, y reflect.Value) int {
	switch {
	case x.CanInt():
		return cmp.Compare(x.Int(), y.Int())
	case x.CanUint():
		return cmp.Compare(x.Uint(), y.Uint())
	case x.Kind() == reflect.String:
		return cmp.Compare(x.String(), y.String())
	case x.Kind() == reflect.Bool && x.Bool() != y.Bool():
		if x.Bool() {
			return 1
		}
		return -1
	case x.Kind() == reflect.Struct:
		for i := range x.NumField() {
			if c := compareReflected(x.Field(i), y.Field(i)); c != 0 {
				return c
			}
		}
	}
	return 0
}
