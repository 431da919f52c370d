package spec

import "etrace/tracefmt"

// key groups the events of a rule: up to two values; further values are folded into the second. Equal keys are
// equal in Go.
type key [2]value

// fold returns one value for a pair of values, the same for equal pairs.
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

// table maps keys to values of type T. A key of one number, such as a message id or a term, takes little more
// memory than its value. So does a key of two numbers if one is small, such as a process and a message.
type table[T any] struct {
	dense         [3]tracefmt.MessageTable[T]
	sparse        map[key]*T
	emptyKeyValue *T // the value of the empty key
	size          int
}

// The tables of keys that are numbers.
const (
	ofNumber = iota
	ofSmallFirst
	ofSmallSecond
)

// dense returns the place of a key of numbers in the dense tables. Small numbers may name a process;
// their limit is the same for all keys of a run. ok is false for a key that is not of numbers, or whose numbers are
// too large.
func (n *names) dense(k *key) (list int, id tracefmt.MessageID, ok bool) {
	a, b := k[0].n, k[1].n
	// The product of a small number and one below maxDense is unique for the pair, so it can be an id.
	switch {
	case k[0].sort != integer:
		return 0, 0, false
	case k[1].sort == absent:
		return ofNumber, tracefmt.MessageID(a), true
	case k[1].sort != integer:
		return 0, 0, false
	}
	n.plainNames()
	switch {
	case 0 <= a && a < n.small && 0 <= b && b < maxDense:
		return ofSmallFirst, tracefmt.MessageID(b*n.small + a), true
	case 0 <= b && b < n.small && 0 <= a && a < maxDense:
		return ofSmallSecond, tracefmt.MessageID(a*n.small + b), true
	}
	return 0, 0, false
}

// maxDense bounds the numbers beside small ones, and maxSmall the small ones, so that their product fits 64
// bits.
const (
	maxDense = 1 << 40
	maxSmall = 1 << 20
)

// get returns the value of a key, nil for a new key.
func (t *table[T]) get(n *names, k *key) *T {
	if list, id, ok := n.dense(k); ok {
		return t.dense[list].Get(id)
	}
	if *k == (key{}) {
		return t.emptyKeyValue
	}
	return t.sparse[*k]
}

// put adds a new key.
func (t *table[T]) put(n *names, k *key, v T) *T {
	t.size++
	if list, id, ok := n.dense(k); ok {
		return t.dense[list].Put(id, v)
	}
	kept := v // a copy: the address of v would move every value to the heap
	switch {
	case *k == (key{}):
		t.emptyKeyValue = &kept
	case t.sparse == nil:
		t.sparse = map[key]*T{*k: &kept}
	default:
		t.sparse[*k] = &kept
	}
	return &kept
}
