package spec

import "etrace/tracefmt"

// key is what a rule distinguishes events by: up to two values, and a number for
// all further ones. Equal keys are equal in Go.
type key [2]value

// fold makes one value of two, the same one for the same two.
func (f *frame) fold(a, b value) value {
	pair := key{a, b}
	id, ok := f.folded[pair]
	if !ok {
		if f.folded == nil {
			f.folded = map[key]int64{}
		}
		id = int64(len(f.folded) + 1)
		f.folded[pair] = id
	}
	return value{sort: compound, n: id}
}

// table maps keys to values of type T. A key of one number, such as the id of a message or a
// term, takes little more memory than its value; so does one of two numbers of which one is
// small, such as a process and a message.
type table[T any] struct {
	dense [3]tracefmt.MessageTable[T]
	rest  map[key]*T
	alone *T // of the key of nothing
	size  int
}

// The tables of keys that are numbers.
const (
	ofNumber = iota
	ofSmallFirst
	ofSmallSecond
)

// dense returns the place of a key among those of numbers. Small numbers are those that may name a
// process; how many there are is the same for all keys of a run.
func (n *names) dense(k *key) (list int, id tracefmt.MessageID, ok bool) {
	a, b := k[0].n, k[1].n
	switch {
	case k[0].sort != integer:
		return 0, 0, false
	case k[1].sort == absent:
		return ofNumber, tracefmt.MessageID(a), true
	case k[1].sort != integer:
		return 0, 0, false
	}
	n.plainly()
	switch {
	case 0 <= a && a < n.small && 0 <= b && b < mostDense:
		return ofSmallFirst, tracefmt.MessageID(b*n.small + a), true
	case 0 <= b && b < n.small && 0 <= a && a < mostDense:
		return ofSmallSecond, tracefmt.MessageID(a*n.small + b), true
	}
	return 0, 0, false
}

// mostDense bounds the numbers beside small ones, and mostSmall how many of these there are, so
// that their product is a number.
const (
	mostDense = 1 << 40
	mostSmall = 1 << 20
)

// get returns the value of a key, nil for none.
func (t *table[T]) get(n *names, k *key) *T {
	if list, id, ok := n.dense(k); ok {
		return t.dense[list].Get(id)
	}
	if *k == (key{}) {
		return t.alone
	}
	return t.rest[*k]
}

// put adds a key that the table does not have.
func (t *table[T]) put(n *names, k *key, v T) *T {
	t.size++
	if list, id, ok := n.dense(k); ok {
		return t.dense[list].Put(id, v)
	}
	kept := v // apart, or every value would go to the heap
	switch {
	case *k == (key{}):
		t.alone = &kept
	case t.rest == nil:
		t.rest = map[key]*T{*k: &kept}
	default:
		t.rest[*k] = &kept
	}
	return &kept
}
