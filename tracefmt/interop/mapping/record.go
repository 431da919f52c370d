package mapping

import (
	"slices"
	"strconv"

	"etrace/tracefmt"
	"etrace/tracefmt/interop"
	"etrace/tracefmt/text"
)

// record is one or more lines, cut into fields. It has only the fields that the mapping names.
type record struct {
	line int
	text string
	// source is the source that the envelope names, or "".
	source string
	fields []field // by slot
	// had is true for each field that this or an earlier line had.
	had []bool
	// read is what a part found in the record, nil for nothing.
	read *element
}

// newRecord returns a record without fields.
func (m *Map) newRecord() *record {
	return &record{fields: make([]field, len(m.slots.names)), had: make([]bool, len(m.slots.names))}
}

// field is the value of a field.
type field struct {
	text string
	// raw is the value in JSON. It is nil for text.
	raw []byte
	has bool
	// recalled is true if the value is from an earlier line of the process.
	recalled bool
}

// slots numbers the fields that a mapping names.
type slots struct {
	names []string
	index map[string]int
}

func newSlots() *slots { return &slots{index: make(map[string]int)} }

// slotOf returns the slot of a name. It adds a slot for a new name.
func (s *slots) slotOf(name string) int {
	i, ok := s.index[name]
	if !ok {
		i = len(s.names)
		s.index[name] = i
		s.names = append(s.names, name)
	}
	return i
}

// named returns the name of a slot with its other keys, such as act (or dir or event).
func (s *slots) named(slot int) string {
	var collected []string
	for key, i := range s.index {
		if i == slot && key != s.names[slot] {
			collected = append(collected, key)
		}
	}
	if collected == nil {
		return s.names[slot]
	}
	slices.Sort(collected)
	return s.names[slot] + " (or " + text.Or(collected) + ")"
}

// clear sets the record to a line without fields.
func (r *record) clear(line int, text string) {
	r.line, r.text, r.source, r.read = line, text, "", nil
	for i := range r.fields {
		r.fields[i] = field{}
	}
}

// set sets a field to text.
func (r *record) set(slot int, text string) {
	r.fields[slot] = field{text: text, has: true}
	r.had[slot] = true
}

// setJSON sets a field to a JSON value. Text is unquoted.
func (r *record) setJSON(slot int, raw []byte) {
	r.fields[slot] = field{text: interop.TextOf(raw), raw: raw, has: true}
	r.had[slot] = true
}

// json returns the field as a value of a trace. A JSON value keeps its digits, and a text that is a whole number
// becomes a number.
func (f *field) json() []byte {
	if f.raw != nil {
		return f.raw
	}
	return jsonOf(f.text)
}

// jsonOf returns a text as JSON: a number if it is one, or a string.
func jsonOf(text string) []byte {
	if _, isNumber := tracefmt.NumberOf(text); isNumber {
		return []byte(text)
	}
	return tracefmt.AppendString(make([]byte, 0, len(text)+2), text)
}

// lineNumber returns the value of the field ${line}.
func lineNumber(n int) string { return strconv.Itoa(n) }
