package sim

import (
	"fmt"
	"maps"
	"math/bits"
	"slices"
	"unsafe"
)

// WidthWords is the convention by which [Meter] counts bits, for people.
const WidthWords = `the type, one of T, takes ceil(log2 T) bits, and each field adds its own:

  a process          a field that names one of n processes takes ceil(log2 n) bits, even if it names none
  a truth value      1 bit
  a word             ceil(log2 W) bits if the field has W words
  a whole number     its binary digits, 1 for 0, and 1 more for a negative number
  a text             8 bits for each byte of UTF-8
  a list, set, map   the number of its items, as a whole number, and the items
  a record           its fields

An attribute that an election compares is a whole number or a text. It counts once for each process that the
message names`

// Meter measures the messages of a protocol in bits, by their declarations and not by the way in which
// they are recorded: see [WidthWords]. A Meter belongs to one run and one goroutine.
type Meter struct {
	protocol  *Protocol
	attribute string
	roster    *roster
	tag       int64 // the number of bits for the type of a message
	types     map[string]*measured
}

// measured is a type of message, with memory for the message that is measured.
type measured struct {
	spec   *messageSpec
	fields fieldStore
}

// Meter returns a meter for the messages of a run of the config.
func (c *Config) Meter() *Meter {
	pr, members := c.Protocol, c.Members
	m := &Meter{
		protocol: pr, attribute: c.Attribute, roster: newRoster(members), tag: bitsOfChoice(len(pr.messages)),
		types: map[string]*measured{},
	}
	for _, spec := range pr.messages {
		fields := spec.newStore()
		fields.clear(0)
		m.types[spec.name] = &measured{spec, fields}
	}
	return m
}

// Types returns the names of the declared message types, sorted.
func (m *Meter) Types() []string { return slices.Sorted(maps.Keys(m.types)) }

// Bits returns the number of bits of a message, by the name of its type and its recorded payload. It fails for a
// message that the protocol does not declare.
func (m *Meter) Bits(typ string, payload []byte) (int64, error) {
	t := m.types[typ]
	if t == nil {
		return 0, fmt.Errorf("the protocol has no message %q", typ)
	}
	at := t.fields.at(0)
	if err := t.spec.parseFields(m.roster, payload, at, typ); err != nil {
		return 0, err
	}
	return m.tag + t.spec.bits(m.roster, at) + t.spec.bitsOfAttribute(m.roster, m.attribute, at), nil
}

// bitsOfChoice returns the number of bits that select one of n things.
func bitsOfChoice(n int) int64 { return int64(bits.Len(uint(max(n, 1) - 1))) }

// bitsOfNumber returns the number of bits of a whole number.
func bitsOfNumber(n int64) int64 {
	if n < 0 {
		return int64(bits.Len64(-uint64(n))) + 1
	}
	return max(1, int64(bits.Len64(uint64(n))))
}

// bits implements [codec]: the sum of the fields.
func (c *recordCodec) bits(r *roster, at unsafe.Pointer) (sum int64) {
	for i := range c.fields {
		f := &c.fields[i]
		sum += f.bits(r, f.address(at))
	}
	return sum
}

func (c *itemsCodec[T]) bits(r *roster, at unsafe.Pointer) int64 {
	return bitsOfItems(r, c.item, *(*[]T)(at)) + bitsOfNumber(int64(len(*(*[]T)(at))))
}

// bitsOfItems returns the sum of the bits of the items.
func bitsOfItems[T any](r *roster, item codec, items []T) (sum int64) {
	for i := range items {
		sum += item.bits(r, unsafe.Pointer(&items[i]))
	}
	return sum
}

func (c *mapCodec[K, V]) bits(r *roster, at unsafe.Pointer) int64 {
	m := (*Map[K, V])(at)
	return bitsOfNumber(int64(len(m.keys))) + bitsOfItems(r, c.key, m.keys) + bitsOfItems(r, c.value, m.values)
}

func (intCodec[T]) bits(_ *roster, at unsafe.Pointer) int64 { return bitsOfNumber(int64(*(*T)(at))) }

func (uintCodec[T]) bits(_ *roster, at unsafe.Pointer) int64 {
	return max(1, int64(bits.Len64(uint64(*(*T)(at)))))
}

func (boolCodec) bits(*roster, unsafe.Pointer) int64 { return 1 }

func (stringCodec) bits(_ *roster, at unsafe.Pointer) int64 { return 8 * int64(len(*(*string)(at))) }

func (c *wordCodec) bits(*roster, unsafe.Pointer) int64 { return bitsOfChoice(len(c.words)) }

func (processCodec) bits(r *roster, _ unsafe.Pointer) int64 { return bitsOfChoice(len(r.members)) }
