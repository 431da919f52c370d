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

// table maps keys to values of type T. A key that is one number, such as the
// id of a message or a term, takes little more memory than its value.
type table[T any] struct {
	dense tracefmt.MessageTable[T]
	rest  map[key]*T
	alone *T // of the key of nothing
}

func (k key) isNumber() bool { return k[0].sort == integer && k[1].sort == absent }

// size is the number of keys.
func (t *table[T]) size() int { return t.dense.Len() + len(t.rest) }

func (t *table[T]) get(k key) *T {
	if k.isNumber() {
		return t.dense.Get(tracefmt.MessageID(k[0].n))
	}
	if k == (key{}) {
		return t.alone
	}
	return t.rest[k]
}

func (t *table[T]) put(k key, v T) {
	switch {
	case k.isNumber():
		t.dense.Put(tracefmt.MessageID(k[0].n), v)
	default:
		kept := v // apart, or every value would go to the heap
		if k == (key{}) {
			t.alone = &kept
			return
		}
		if t.rest == nil {
			t.rest = map[key]*T{}
		}
		t.rest[k] = &kept
	}
}
