package sim

import (
	"cmp"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
	"unsafe"

	"etrace/record/sim/network"
	"etrace/tracefmt"
	"etrace/tracefmt/text"
)

// recordCodec is the codec of a struct, which is recorded as an object.
type recordCodec struct{ fields []recordField }

// recordField is a field of a struct.
type recordField struct {
	name string
	key  string // the JSON key with the comma or brace before it, and the colon
	codec
	offset uintptr
	typ    reflect.Type
}

// address returns the address of the field in the record at an address.
func (f *recordField) address(at unsafe.Pointer) unsafe.Pointer { return unsafe.Add(at, f.offset) }

// parseWritten reads a value that a user wrote: as JSON, or else as a text without quotes.
func (f *recordField) parseWritten(r *roster, written string, at unsafe.Pointer) error {
	written = strings.TrimSpace(written)
	err := f.parse(r, []byte(written), at)
	if err != nil && f.parse(r, tracefmt.AppendString(nil, written), at) == nil {
		return nil
	}
	return err
}

// equal implements [codec].
func (c *recordCodec) equal(x, y unsafe.Pointer) bool {
	for i := range c.fields {
		if f := &c.fields[i]; !f.equal(f.address(x), f.address(y)) {
			return false
		}
	}
	return true
}

// hash implements [codec].
func (c *recordCodec) hash(h uint64, at unsafe.Pointer) uint64 {
	for i := range c.fields {
		f := &c.fields[i]
		h = f.hash(h, f.address(at))
	}
	return h
}

// appendJSON implements [codec]: an object of all fields.
func (c *recordCodec) appendJSON(dst []byte, r *roster, at unsafe.Pointer) []byte {
	if len(c.fields) == 0 {
		return append(dst, "{}"...)
	}
	for i := range c.fields {
		f := &c.fields[i]
		dst = f.appendJSON(append(dst, f.key...), r, f.address(at))
	}
	return append(dst, '}')
}

// appendBinary implements [codec]: the fields one after another.
func (c *recordCodec) appendBinary(dst []byte, at unsafe.Pointer, o *origin) []byte {
	for i := range c.fields {
		f := &c.fields[i]
		dst = f.appendBinary(dst, f.address(at), o)
	}
	return dst
}

func (c *recordCodec) parse(r *roster, value []byte, at unsafe.Pointer) error {
	if len(value) == 0 || value[0] != '{' || !json.Valid(value) {
		return fmt.Errorf("%q, expected an object", value)
	}
	return c.parseFields(r, value, at, "the object")
}

// parseFields reads the fields of an object; all must be present. Keys that a trace adds to its events are
// skipped, unless a field has the name. owner names the object in errors.
func (c *recordCodec) parseFields(r *roster, object []byte, at unsafe.Pointer, owner string) error {
	missing := len(c.fields)
	seen := make([]bool, len(c.fields))
	for key, value := range tracefmt.Fields(object) {
		i := c.fieldIndex(string(key))
		switch {
		// An importer adds notes beside the fields, and a recorder adds attributes of processes. A field of the same
		// name has precedence.
		case i < 0 && (string(key) == tracefmt.CausesKey || string(key) == tracefmt.LogKey):
			continue
		case i < 0 && r.hasAttribute(string(key)):
			if err := r.checkAttribute(string(key), value); err != nil {
				return fmt.Errorf("field %s of %s: %w", key, owner, err)
			}
			continue
		case i < 0:
			return text.Unknown("field of "+owner, string(key), c.names())
		}
		f := &c.fields[i]
		if err := f.parse(r, value, f.address(at)); err != nil {
			return fmt.Errorf("field %s of %s: %w", key, owner, err)
		}
		if !seen[i] {
			seen[i] = true
			missing--
		}
	}
	if missing > 0 {
		return fmt.Errorf("%s lacks one of its fields %s", owner, strings.Join(c.names(), ", "))
	}
	return nil
}

// fieldIndex returns the index of a field, -1 for an unknown name.
func (c *recordCodec) fieldIndex(name string) int {
	return slices.IndexFunc(c.fields, func(f recordField) bool { return f.name == name })
}

// names returns the names of the fields.
func (c *recordCodec) names() []string {
	var names []string
	for i := range c.fields {
		names = append(names, c.fields[i].name)
	}
	return names
}

// term returns the field of type [Term], nil if the struct has none.
func (c *recordCodec) term() *recordField {
	for i := range c.fields {
		if c.fields[i].typ == reflect.TypeFor[Term]() {
			return &c.fields[i]
		}
	}
	return nil
}

// itemsCodec is the codec of a list or a set, which are recorded as an array. Both are a slice in memory.
type itemsCodec[T any] struct {
	item codec
	// sorted is true for a set: the items are in order, and distinct.
	sorted bool
}

func (List[T]) compile(c *compiler) (codec, error) { return compileItems[T](c, false) }

func (Set[T]) compile(c *compiler) (codec, error) { return compileItems[T](c, true) }

// itemized is implemented by the codecs of lists and sets.
type itemized interface {
	count(at unsafe.Pointer) int
	itemAt(at unsafe.Pointer, i int) unsafe.Pointer
	itemCodec() codec
}

func (c *itemsCodec[T]) count(at unsafe.Pointer) int { return len(*(*[]T)(at)) }
func (c *itemsCodec[T]) itemCodec() codec            { return c.item }
func (c *itemsCodec[T]) itemAt(at unsafe.Pointer, i int) unsafe.Pointer {
	return unsafe.Pointer(&(*(*[]T)(at))[i])
}

// compileItems returns the codec of a list or, if sorted, of a set.
func compileItems[T any](c *compiler, sorted bool) (codec, error) {
	item, err := c.codecFor(reflect.TypeFor[T]())
	return &itemsCodec[T]{item, sorted}, err
}

func (c *itemsCodec[T]) equal(x, y unsafe.Pointer) bool {
	return equalItems(c.item, *(*[]T)(x), *(*[]T)(y))
}

// equalItems reports whether two slices have equal items.
func equalItems[T any](item codec, x, y []T) bool {
	if len(x) != len(y) {
		return false
	}
	for i := range x {
		if !item.equal(unsafe.Pointer(&x[i]), unsafe.Pointer(&y[i])) {
			return false
		}
	}
	return true
}

func (c *itemsCodec[T]) hash(h uint64, at unsafe.Pointer) uint64 {
	return hashItems(h, c.item, *(*[]T)(at))
}

// hashItems adds the items to a running hash.
func hashItems[T any](h uint64, item codec, items []T) uint64 {
	h = network.Mix(h ^ uint64(len(items)))
	for i := range items {
		h = item.hash(h, unsafe.Pointer(&items[i]))
	}
	return h
}

// appendJSON implements [codec]: an array of the items.
func (c *itemsCodec[T]) appendJSON(dst []byte, r *roster, at unsafe.Pointer) []byte {
	dst = append(dst, '[')
	items := *(*[]T)(at)
	for i := range items {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = c.item.appendJSON(dst, r, unsafe.Pointer(&items[i]))
	}
	return append(dst, ']')
}

func (c *itemsCodec[T]) appendBinary(dst []byte, at unsafe.Pointer, o *origin) []byte {
	return appendItems(dst, c.item, *(*[]T)(at), o)
}

// appendItems appends the number of items and their binary forms.
func appendItems[T any](dst []byte, item codec, items []T, o *origin) []byte {
	dst = binary.AppendUvarint(dst, uint64(len(items)))
	for i := range items {
		dst = item.appendBinary(dst, unsafe.Pointer(&items[i]), o)
	}
	return dst
}

// parse implements [codec]. A set may be in any order in JSON.
func (c *itemsCodec[T]) parse(r *roster, value []byte, at unsafe.Pointer) error {
	count := tracefmt.ItemCount(value)
	if count < 0 {
		return fmt.Errorf("%q, expected a list", value)
	}
	items := make([]T, count)
	n := 0
	for v := range tracefmt.Items(value) {
		if err := c.item.parse(r, v, unsafe.Pointer(&items[n])); err != nil {
			return fmt.Errorf("%w, in a list", err)
		}
		n++
		if string(v) == "null" { // no process: a variable may have this value, but no item of a list
			return fmt.Errorf("%q, expected a process, in a list", v)
		}
	}
	if c.sorted {
		slices.SortFunc(items, compareValues[T])
		items = slices.CompactFunc(items, equal[T])
	}
	*(*[]T)(at) = nonEmpty(items)
	return nil
}

// mapCodec is the codec of a map, which is recorded as an object.
type mapCodec[K cmp.Ordered, V any] struct {
	key, value codec
	// process is true if the keys are processes.
	process bool
}

// compile implements [collection]. It fails if a key is a counter, since a shift would change the order of the
// keys.
func (Map[K, V]) compile(c *compiler) (codec, error) {
	key, err := c.codecFor(reflect.TypeFor[K]())
	if err != nil {
		return nil, err
	}
	if _, counts := key.(counterCodec); counts {
		return nil, fmt.Errorf("a counter is the key of a map; expected it in the value")
	}
	value, err := c.codecFor(reflect.TypeFor[V]())
	_, process := key.(processCodec)
	return &mapCodec[K, V]{key, value, process}, err
}

func (c *mapCodec[K, V]) valueCodec() codec { return c.value }

func (c *mapCodec[K, V]) equal(x, y unsafe.Pointer) bool {
	m, o := (*Map[K, V])(x), (*Map[K, V])(y)
	return equalItems(c.key, m.keys, o.keys) && equalItems(c.value, m.values, o.values)
}

func (c *mapCodec[K, V]) hash(h uint64, at unsafe.Pointer) uint64 {
	m := (*Map[K, V])(at)
	return hashItems(hashItems(h, c.key, m.keys), c.value, m.values)
}

func (c *mapCodec[K, V]) appendBinary(dst []byte, at unsafe.Pointer, o *origin) []byte {
	m := (*Map[K, V])(at)
	return appendItems(appendItems(dst, c.key, m.keys, o), c.value, m.values, o)
}

// appendJSON implements [codec]: an object of the values by key.
func (c *mapCodec[K, V]) appendJSON(dst []byte, r *roster, at unsafe.Pointer) []byte {
	m := (*Map[K, V])(at)
	dst = append(dst, '{')
	for i := range m.keys {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = append(c.appendKey(dst, r, unsafe.Pointer(&m.keys[i])), ':')
		dst = c.value.appendJSON(dst, r, unsafe.Pointer(&m.values[i]))
	}
	return append(dst, '}')
}

// appendKey appends a key as a JSON string, whatever its type.
func (c *mapCodec[K, V]) appendKey(dst []byte, r *roster, at unsafe.Pointer) []byte {
	if c.process {
		return append(dst, r.key(*(*tracefmt.ProcessID)(at))...)
	}
	start := len(dst)
	dst = c.key.appendJSON(dst, r, at)
	if dst[start] == '"' {
		return dst
	}
	return append(slices.Insert(dst, start, '"'), '"')
}

// parse implements [codec].
func (c *mapCodec[K, V]) parse(r *roster, value []byte, at unsafe.Pointer) error {
	var raw map[string]json.RawMessage
	if len(value) == 0 || value[0] != '{' || json.Unmarshal(value, &raw) != nil {
		kind := ""
		if c.process {
			kind = " of processes"
		}
		return fmt.Errorf("%q, expected an object%s", value, kind)
	}
	var m Map[K, V]
	for _, name := range slices.Sorted(maps.Keys(raw)) {
		var key K
		var item V
		if err := c.parseKey(r, name, unsafe.Pointer(&key)); err != nil {
			return err
		}
		if err := c.value.parse(r, raw[name], unsafe.Pointer(&item)); err != nil {
			return err
		}
		m = m.With(key, item)
	}
	*(*Map[K, V])(at) = m
	return nil
}

// parseKey reads the key of an object as a key of the map: a process, a number, a word or a text.
func (c *mapCodec[K, V]) parseKey(r *roster, name string, at unsafe.Pointer) error {
	if c.process {
		p, ok := r.named(name)
		if !ok {
			return fmt.Errorf("%q, expected a process", name)
		}
		*(*tracefmt.ProcessID)(at) = p
		return nil
	}
	_, isNumber := c.key.(numeric)
	_, isWord := c.key.(*wordCodec) // a word is a text in JSON, though its codec is numeric
	if isNumber && !isWord {
		return c.key.parse(r, []byte(name), at)
	}
	return c.key.parse(r, tracefmt.AppendString(nil, name), at)
}
