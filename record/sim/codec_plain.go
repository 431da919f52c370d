package sim

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"unsafe"

	"etrace/record/sim/network"
	"etrace/tracefmt"
)

// plainCodecs are the codecs of the types without parts.
var plainCodecs = map[reflect.Kind]codec{
	reflect.Bool: boolCodec{}, reflect.String: stringCodec{},
	reflect.Int: intCodec[int]{}, reflect.Int8: intCodec[int8]{}, reflect.Int16: intCodec[int16]{},
	reflect.Int32: intCodec[int32]{}, reflect.Int64: intCodec[int64]{},
	reflect.Uint: uintCodec[uint]{}, reflect.Uint8: uintCodec[uint8]{}, reflect.Uint16: uintCodec[uint16]{},
	reflect.Uint32: uintCodec[uint32]{}, reflect.Uint64: uintCodec[uint64]{},
}

// numeric is the codec of an integer type.
type numeric interface {
	codec
	number(at unsafe.Pointer) int64
	setNumber(at unsafe.Pointer, n int64)
}

// intCodec is the codec of a signed integer type.
type intCodec[T int | int8 | int16 | int32 | int64 | Counter] struct{}

func (intCodec[T]) number(at unsafe.Pointer) int64       { return int64(*(*T)(at)) }
func (intCodec[T]) setNumber(at unsafe.Pointer, n int64) { *(*T)(at) = T(n) }
func (intCodec[T]) equal(x, y unsafe.Pointer) bool       { return *(*T)(x) == *(*T)(y) }

func (intCodec[T]) hash(h uint64, at unsafe.Pointer) uint64 {
	return network.Mix(h ^ uint64(*(*T)(at)))
}

func (intCodec[T]) appendJSON(dst []byte, _ *roster, at unsafe.Pointer) []byte {
	return strconv.AppendInt(dst, int64(*(*T)(at)), 10)
}

func (intCodec[T]) appendBinary(dst []byte, at unsafe.Pointer, _ *origin) []byte {
	return binary.AppendVarint(dst, int64(*(*T)(at)))
}

func (intCodec[T]) parse(_ *roster, value []byte, at unsafe.Pointer) error {
	n, err := strconv.ParseInt(string(value), 10, 64)
	if err != nil || int64(T(n)) != n {
		return fmt.Errorf("%q, expected an integer", value)
	}
	*(*T)(at) = T(n)
	return nil
}

// uintCodec is the codec of an unsigned integer type.
type uintCodec[T uint | uint8 | uint16 | uint32 | uint64] struct{}

func (uintCodec[T]) number(at unsafe.Pointer) int64       { return int64(*(*T)(at)) }
func (uintCodec[T]) setNumber(at unsafe.Pointer, n int64) { *(*T)(at) = T(n) }
func (uintCodec[T]) equal(x, y unsafe.Pointer) bool       { return *(*T)(x) == *(*T)(y) }

func (uintCodec[T]) hash(h uint64, at unsafe.Pointer) uint64 {
	return network.Mix(h ^ uint64(*(*T)(at)))
}

func (uintCodec[T]) appendJSON(dst []byte, _ *roster, at unsafe.Pointer) []byte {
	return strconv.AppendUint(dst, uint64(*(*T)(at)), 10)
}

func (uintCodec[T]) appendBinary(dst []byte, at unsafe.Pointer, _ *origin) []byte {
	return binary.AppendUvarint(dst, uint64(*(*T)(at)))
}

func (uintCodec[T]) parse(_ *roster, value []byte, at unsafe.Pointer) error {
	n, err := strconv.ParseUint(string(value), 10, 64)
	if err != nil || uint64(T(n)) != n {
		return fmt.Errorf("%q, expected an integer from 0", value)
	}
	*(*T)(at) = T(n)
	return nil
}

type boolCodec struct{}

func (boolCodec) equal(x, y unsafe.Pointer) bool { return *(*bool)(x) == *(*bool)(y) }

func (boolCodec) hash(h uint64, at unsafe.Pointer) uint64 {
	if *(*bool)(at) {
		h++
	}
	return network.Mix(h)
}

func (boolCodec) appendJSON(dst []byte, _ *roster, at unsafe.Pointer) []byte {
	return strconv.AppendBool(dst, *(*bool)(at))
}

func (boolCodec) appendBinary(dst []byte, at unsafe.Pointer, _ *origin) []byte {
	if *(*bool)(at) {
		return append(dst, 1)
	}
	return append(dst, 0)
}

func (boolCodec) parse(_ *roster, value []byte, at unsafe.Pointer) error {
	switch string(value) {
	case "true", "false":
		*(*bool)(at) = value[0] == 't'
		return nil
	}
	return fmt.Errorf("%q, expected true or false", value)
}

type stringCodec struct{}

func (stringCodec) equal(x, y unsafe.Pointer) bool { return *(*string)(x) == *(*string)(y) }

func (stringCodec) hash(h uint64, at unsafe.Pointer) uint64 { return hashText(h, *(*string)(at)) }

// hashText adds a text to a running hash.
func hashText(h uint64, text string) uint64 {
	h = network.Mix(h ^ uint64(len(text)))
	for i := range len(text) {
		h = (h ^ uint64(text[i])) * 0x100000001b3 // FNV-1a
	}
	return network.Mix(h)
}

func (stringCodec) appendJSON(dst []byte, _ *roster, at unsafe.Pointer) []byte {
	return tracefmt.AppendString(dst, *(*string)(at))
}

func (stringCodec) appendBinary(dst []byte, at unsafe.Pointer, _ *origin) []byte {
	text := *(*string)(at)
	return append(binary.AppendUvarint(dst, uint64(len(text))), text...)
}

func (stringCodec) parse(_ *roster, value []byte, at unsafe.Pointer) error {
	if len(value) == 0 || value[0] != '"' || json.Unmarshal(value, (*string)(at)) != nil {
		return fmt.Errorf("%q, expected a text", value)
	}
	return nil
}

// wordCodec is the codec of an integer type that is recorded as words, see [Words].
type wordCodec struct {
	numeric
	words []string
}

func (c *wordCodec) appendJSON(dst []byte, _ *roster, at unsafe.Pointer) []byte {
	if word := c.words[c.number(at)]; word != "" {
		return tracefmt.AppendString(dst, word)
	}
	return append(dst, "null"...)
}

// parse implements [codec]: it sets the number of the word. It fails for a word that the type does not have.
func (c *wordCodec) parse(_ *roster, value []byte, at unsafe.Pointer) error {
	var word string
	i := -1
	if json.Unmarshal(value, &word) == nil {
		i = slices.Index(c.words, word)
	}
	if i < 0 {
		return fmt.Errorf("%q, expected one of %s", textOrValue(word, value), c.listed())
	}
	c.setNumber(at, int64(i))
	return nil
}

// listed returns the words for an error.
func (c *wordCodec) listed() string {
	names := slices.Clone(c.words)
	if i := slices.Index(names, ""); i >= 0 {
		names[i] = "null"
	}
	return strings.Join(names, ", ")
}

// textOrValue returns the text for an error or, if that is empty, the JSON value.
func textOrValue(text string, value []byte) string {
	if text != "" {
		return text
	}
	return string(value)
}

// processCodec is the codec of a process, which is recorded by its name; 0 is null.
type processCodec struct{ intCodec[int32] }

func (processCodec) appendJSON(dst []byte, r *roster, at unsafe.Pointer) []byte {
	return append(dst, r.values[*(*tracefmt.ProcessID)(at)]...)
}

func (processCodec) parse(r *roster, value []byte, at unsafe.Pointer) error {
	p, ok := r.process(value)
	if !ok {
		return fmt.Errorf("%q, expected a process", value)
	}
	*(*tracefmt.ProcessID)(at) = p
	return nil
}

// roster has the processes of a run by number and by name.
type roster struct {
	members []tracefmt.Member
	values  [][]byte // JSON values by ProcessID
	keys    [][]byte // keys of JSON objects by ProcessID, nil before the first use
	// byValue, byName and byNumber find a process by its JSON value or its name. They are nil before the first use.
	byValue, byName map[string]tracefmt.ProcessID
	byNumber        []tracefmt.ProcessID // for names that are small numbers; 0 for no process
	// attributes are the values of the members' attributes, nil before the first use.
	attributes map[string]map[tracefmt.ProcessID][]byte
}

// newRoster returns the roster of the members.
func newRoster(members []tracefmt.Member) *roster {
	r := &roster{members: members, values: make([][]byte, len(members)+1)}
	run := &tracefmt.Run{Members: members}
	for i := range r.values {
		r.values[i] = run.AppendProcess(nil, tracefmt.ProcessID(i))
	}
	return r
}

// has reports whether the roster fits other members: they have the same names and attributes.
func (r *roster) has(members []tracefmt.Member) bool {
	return r != nil && slices.EqualFunc(r.members, members, func(m, o tracefmt.Member) bool {
		return m.Name == o.Name && bytes.Equal(m.Attributes, o.Attributes)
	})
}

// key returns the name of a process as the key of an object.
func (r *roster) key(p tracefmt.ProcessID) []byte {
	if r.keys == nil {
		r.keys = make([][]byte, len(r.values))
		for i, m := range r.members {
			r.keys[i+1] = tracefmt.AppendString(nil, m.Name)
		}
	}
	return r.keys[p]
}

// named returns the process with the name.
func (r *roster) named(name string) (tracefmt.ProcessID, bool) {
	if r.byName == nil {
		r.byName = map[string]tracefmt.ProcessID{}
		for i, m := range r.members {
			r.byName[m.Name] = tracefmt.ProcessID(i + 1)
		}
	}
	p, ok := r.byName[name]
	return p, ok
}

// process returns the process that a JSON value names: null for none, a string, or a number if the name is one.
func (r *roster) process(value []byte) (tracefmt.ProcessID, bool) {
	if r.byValue == nil {
		r.index()
	}
	if n := smallNumber(value); n >= 0 && n < len(r.byNumber) && r.byNumber[n] != 0 {
		return r.byNumber[n], true
	}
	if p, ok := r.byValue[string(value)]; ok {
		return p, true
	}
	var name string // a number may be in quotes, and a text be escaped otherwise
	if len(value) == 0 || value[0] != '"' || json.Unmarshal(value, &name) != nil {
		return 0, false
	}
	return r.named(name)
}

// index prepares the tables for process. A payload with as many processes as the run has is common, so each
// look-up must be fast.
func (r *roster) index() {
	r.byValue = map[string]tracefmt.ProcessID{}
	r.byNumber = make([]tracefmt.ProcessID, 4*len(r.values))
	for i, v := range r.values {
		r.byValue[string(v)] = tracefmt.ProcessID(i)
		if n := smallNumber(v); n >= 0 && n < len(r.byNumber) {
			r.byNumber[n] = tracefmt.ProcessID(i)
		}
	}
}

// smallNumber returns a JSON number of up to six digits, -1 for any other value.
func smallNumber(value []byte) (n int) {
	if len(value) == 0 || len(value) > 6 || value[0] == '0' && len(value) > 1 {
		return -1
	}
	for _, c := range value {
		if c < '0' || c > '9' {
			return -1
		}
		n = n*10 + int(c-'0')
	}
	return n
}
