package sim

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
	"unsafe"

	"etrace/tracefmt"
)

// Term is a variable or a field that holds the term, or epoch, of an algorithm. The column term of the trace
// has the term of the process for its events, and for a message the term in it.
type Term int64

// Words is implemented by the integer types whose values are words, such as the states of an automaton. The
// zero value is the first word. The empty word is recorded as null: no value yet.
type Words interface {
	// Words returns the words in the order of their numbers.
	Words() []string
}

// codec encodes and compares the values of a Go type of variables and fields. It is compiled once, when the
// protocol declares a variable or field of the type. So recording, hashing and comparing a value allocates
// nothing. A value is given by its address, which must be that of a value of the type.
type codec interface {
	// appendJSON appends the value as in the trace.
	appendJSON(dst []byte, r *roster, at unsafe.Pointer) []byte
	// parse reads what appendJSON writes, in any notation. The error names what was found and what was
	// expected.
	parse(r *roster, value []byte, at unsafe.Pointer) error
	// appendBinary appends a form that only equal values share. With an origin, values that differ from it by
	// the same shift share it, too.
	appendBinary(dst []byte, at unsafe.Pointer, o *origin) []byte
	// hash adds the value to a running hash, without counters.
	hash(h uint64, at unsafe.Pointer) uint64
	equal(x, y unsafe.Pointer) bool
	// bits returns the number of bits of the value, by [WidthWords].
	bits(r *roster, at unsafe.Pointer) int64
}

// collection is implemented by List, Set and Map. They compile their own codecs, since reflection cannot
// instantiate a generic codec with the type of their items.
type collection interface {
	compile(c *compiler) (codec, error)
}

// compiler makes codecs. within are the types that enclose the present one, to detect a type that contains
// itself.
type compiler struct{ within []reflect.Type }

// codecOf returns the codec of a type. If the type cannot be recorded, which is a mistake of the program, it
// panics with the declared thing and the reason.
func codecOf[T any](thing string) codec {
	made, err := (&compiler{}).codecFor(reflect.TypeFor[T]())
	if err != nil {
		panic(fmt.Sprintf("sim: %s: %v", thing, err))
	}
	return made
}

// recordOf is codecOf for a struct.
func recordOf[T any](thing string) *recordCodec {
	made, ok := codecOf[T](thing).(*recordCodec)
	if !ok {
		panic(fmt.Sprintf("sim: %s: %v, expected a struct", thing, reflect.TypeFor[T]()))
	}
	return made
}

// codecFor returns the codec of a type. It fails for a type that cannot be recorded, or that contains itself.
func (c *compiler) codecFor(t reflect.Type) (codec, error) {
	if slices.Contains(c.within, t) {
		return nil, fmt.Errorf("%v holds itself", t)
	}
	c.within = append(c.within, t)
	defer func() { c.within = c.within[:len(c.within)-1] }()
	switch zero := reflect.Zero(t).Interface().(type) {
	case collection:
		return zero.compile(c)
	case tracefmt.ProcessID:
		return processCodec{}, nil
	case Counter:
		return counterCodec{}, nil
	case Words:
		return c.wordCodecFor(t, zero.Words())
	}
	if t.Kind() == reflect.Struct {
		return c.recordCodecFor(t)
	}
	if plain, ok := plainCodecs[t.Kind()]; ok {
		return plain, nil
	}
	return nil, fmt.Errorf("%v is no type that can be recorded: bool, integers, string, tracefmt.ProcessID, sim.Term, "+
		"sim.Counter, words, sim.List, sim.Set, sim.Map, and structs of these are", t)
}

// wordCodecFor returns the codec of an integer type whose values are words.
func (c *compiler) wordCodecFor(t reflect.Type, words []string) (codec, error) {
	numbers, ok := plainCodecs[t.Kind()].(numeric)
	switch {
	case !ok:
		return nil, fmt.Errorf("%v has words, but is no integer", t)
	case len(words) == 0 || len(slices.Compact(slices.Sorted(slices.Values(words)))) < len(words):
		return nil, fmt.Errorf("%v has the words %q, expected one or more, each once", t, words)
	}
	return &wordCodec{numbers, words}, nil
}

// recordCodecFor returns the codec of a struct. It fails if two fields have the same name.
func (c *compiler) recordCodecFor(t reflect.Type) (codec, error) {
	r := &recordCodec{}
	for i := range t.NumField() {
		f := t.Field(i)
		name := fieldName(&f)
		field, err := c.codecFor(f.Type)
		switch {
		case err != nil:
			return nil, fmt.Errorf("%v.%s: %w", t, f.Name, err)
		case f.Anonymous || r.fieldIndex(name) >= 0:
			return nil, fmt.Errorf("%v.%s: expected a name that no other field has", t, f.Name)
		}
		key := `,"` + name + `":`
		if i == 0 {
			key = "{" + key[1:]
		}
		r.fields = append(r.fields, recordField{name, key, field, f.Offset, f.Type})
	}
	return r, nil
}

// fieldName returns the name in the tag sim. Without a tag it is the name of the field with its first word or
// initialism in lower case: id for ID, lastIndex for LastIndex.
func fieldName(f *reflect.StructField) string {
	if name := f.Tag.Get("sim"); name != "" {
		return name
	}
	letters := []rune(f.Name)
	for i := range letters {
		if i > 0 && i+1 < len(letters) && unicode.IsLower(letters[i+1]) || !unicode.IsUpper(letters[i]) {
			break
		}
		letters[i] = unicode.ToLower(letters[i])
	}
	return string(letters)
}

// checkName panics for a name that would need escapes as a key of a payload.
func checkName(thing, name string) {
	if name == "" || strings.ContainsFunc(name, func(r rune) bool { return r < ' ' || r == '"' || r == '\\' || r == utf8.RuneError }) {
		panic(fmt.Sprintf("sim: %s: expected a name without quotes, backslashes and control characters", thing))
	}
}

// appendKey appends a key that needs no escapes, with a comma before it unless it is the first.
func appendKey(dst []byte, name string) []byte {
	if dst[len(dst)-1] != '{' {
		dst = append(dst, ',')
	}
	dst = append(dst, '"')
	dst = append(dst, name...)
	return append(dst, '"', ':')
}
