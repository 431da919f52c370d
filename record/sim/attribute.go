package sim

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"unsafe"

	"etrace/tracefmt"
	"etrace/tracefmt/text"
)

// An election may compare an attribute of the processes, such as their load, before their ids. The processes
// are then numbered in that order, so a protocol still compares numbers. A message carries the attributes of
// all processes that its fields name, such as {"id":17,"load":{"17":3}}, so that its receiver knows them. They
// equal those of the members, so the protocol need not read them.

// IsFieldName reports whether a text may be the name of a field, and so of an attribute in messages.
func IsFieldName(name string) bool {
	return name != "" && !strings.ContainsFunc(name, func(r rune) bool {
		return r != '_' && r != '-' && (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && (r < '0' || r > '9')
	})
}

// HasField reports whether some message of the protocol has a field of that name.
func (pr *Protocol) HasField(name string) bool {
	return slices.ContainsFunc(pr.messages, func(m *messageSpec) bool { return m.fieldIndex(name) >= 0 })
}

// keyed is the codec of a map, whose keys may be processes.
type keyed interface {
	visitProcesses(at unsafe.Pointer, visit func(tracefmt.ProcessID))
}

// visitProcesses calls visit for each process that a value names, in the order in which it is recorded.
func visitProcesses(c codec, at unsafe.Pointer, visit func(tracefmt.ProcessID)) {
	switch c := c.(type) {
	case processCodec:
		if p := *(*tracefmt.ProcessID)(at); p > 0 {
			visit(p)
		}
	case *recordCodec:
		for i := range c.fields {
			visitProcesses(c.fields[i].codec, c.fields[i].address(at), visit)
		}
	case itemized:
		for i := range c.count(at) {
			visitProcesses(c.itemCodec(), c.itemAt(at, i), visit)
		}
	case keyed:
		c.visitProcesses(at, visit)
	}
}

// visitProcesses implements [keyed].
func (c *mapCodec[K, V]) visitProcesses(at unsafe.Pointer, visit func(tracefmt.ProcessID)) {
	m := (*Map[K, V])(at)
	for i := range m.keys {
		visitProcesses(c.key, unsafe.Pointer(&m.keys[i]), visit)
		visitProcesses(c.value, unsafe.Pointer(&m.values[i]), visit)
	}
}

// namedProcesses returns the processes that the fields of a message name, without repetitions.
func (m *messageSpec) namedProcesses(at unsafe.Pointer) (processes []tracefmt.ProcessID) {
	seen := map[tracefmt.ProcessID]bool{}
	visitProcesses(m.recordCodec, at, func(p tracefmt.ProcessID) {
		if !seen[p] {
			seen[p] = true
			processes = append(processes, p)
		}
	})
	return processes
}

// appendAttribute appends the attribute of each process that the fields of a message name. object is the JSON
// object of these fields.
func (m *messageSpec) appendAttribute(object []byte, r *roster, attribute string, at unsafe.Pointer) []byte {
	if attribute == "" {
		return object
	}
	for i, p := range m.namedProcesses(at) {
		if i == 0 {
			object = append(tracefmt.AppendString(append(object[:len(object)-1], ','), attribute), ":{"...)
		} else {
			object = append(object[:len(object)-2], ',')
		}
		object = append(append(object, r.key(p)...), ':')
		object = append(append(object, r.attribute(p, attribute)...), "}}"...)
	}
	return object
}

// byAttribute returns the values of the members' attributes, by attribute. They are read once, since each
// message of an election by an attribute needs some.
func (r *roster) byAttribute() map[string]map[tracefmt.ProcessID][]byte {
	if r.attributes != nil {
		return r.attributes
	}
	r.attributes = make(map[string]map[tracefmt.ProcessID][]byte)
	for i := range r.members {
		p := tracefmt.ProcessID(i + 1)
		for key, value := range tracefmt.Fields(r.members[i].Attributes) {
			values := r.attributes[string(key)]
			if values == nil {
				values = make(map[tracefmt.ProcessID][]byte)
				r.attributes[string(key)] = values
			}
			if values[p] == nil { // if a key occurs twice, the first value counts
				values[p] = value
			}
		}
	}
	return r.attributes
}

// attribute returns an attribute of a member, nil for none.
func (r *roster) attribute(p tracefmt.ProcessID, name string) []byte { return r.byAttribute()[name][p] }

// hasAttribute reports whether some member has an attribute of that name.
func (r *roster) hasAttribute(name string) bool { return r.byAttribute()[name] != nil }

// checkAttribute returns an error if a message carries another attribute of a process than its member has.
func (r *roster) checkAttribute(name string, object []byte) error {
	if len(object) == 0 || object[0] != '{' {
		return fmt.Errorf("%s %s, expected an object of processes", name, text.Quote(string(object)))
	}
	for key, value := range tracefmt.Fields(object) {
		p, ok := r.named(string(key))
		if !ok {
			return fmt.Errorf("%s of %s, which is no process", name, text.Quote(string(key)))
		}
		if has := r.attribute(p, name); !bytes.Equal(has, value) {
			return fmt.Errorf("the %s of process %s is %s, expected %s, as the member has it", name, key, value, has)
		}
	}
	return nil
}

// bitsOfAttribute returns the number of bits of the attributes of the processes named in fields: a whole
// number takes its binary digits, any other 8 bits for each character.
func (m *messageSpec) bitsOfAttribute(r *roster, attribute string, at unsafe.Pointer) (sum int64) {
	if attribute == "" {
		return 0
	}
	for _, p := range m.namedProcesses(at) {
		value := r.attribute(p, attribute)
		if n, ok := tracefmt.ParseInteger(value); ok {
			sum += bitsOfNumber(n)
		} else {
			sum += 8 * int64(len(value))
		}
	}
	return sum
}
