package sim

import (
	"cmp"
	"reflect"
)

// Common changes of variables. Each assigns as [Var.Set] does. Most return the new value, so that a condition can use
// it directly:
//
//	if sim.Insert(p, votes, from).Len() >= p.Majority() {

// Take returns the value of the variable at p, and resets it to the zero value.
func (v Var[T]) Take(p *Process) T {
	x := v.Get(p)
	v.Clear(p)
	return x
}

// Clear gives the variable its zero value at p.
func (v Var[T]) Clear(p *Process) {
	var zero T
	v.Set(p, zero)
}

// Add adds n to a number.
func Add[T ~int | ~int64](p *Process, v Var[T], n T) T { return assign(p, v, v.Get(p)+n) }

// Raise sets the variable to x if it is less.
func Raise[T cmp.Ordered](p *Process, v Var[T], x T) T { return assign(p, v, max(v.Get(p), x)) }

// Insert puts items into a set.
func Insert[T comparable](p *Process, v Var[Set[T]], items ...T) Set[T] {
	return assign(p, v, v.Get(p).With(items...))
}

// Append puts items at the end of a list.
func Append[T any](p *Process, v Var[List[T]], items ...T) List[T] {
	return assign(p, v, v.Get(p).Append(items...))
}

// Put gives a key of a map its value.
func Put[K cmp.Ordered, V any](p *Process, v Var[Map[K, V]], key K, value V) Map[K, V] {
	return assign(p, v, v.Get(p).With(key, value))
}

// assign sets the variable and returns the value.
func assign[T any](p *Process, v Var[T], x T) T {
	v.Set(p, x)
	return x
}

// Less reports whether x comes before y in the order of a [Set]: records, such
// as a timestamp with its process, by their first field that differs.
func Less[T comparable](x, y T) bool {
	return compareReflected(reflect.ValueOf(x), reflect.ValueOf(y)) < 0
}

// Majority returns the smallest number of processes that is more than half of all.
func (p *Process) Majority() int { return int(p.Last())/2 + 1 }
