package mapping

import (
	"bytes"
	"encoding/json"
	"slices"
	"strconv"

	"etrace/tracefmt"
	"etrace/tracefmt/text"
)

// record is a line, or a few that belong together, cut into fields. The fields that
// the mapping does not name are not kept.
type record struct {
	line   int
	text   string
	source string  // what the envelope names, "" for nothing
	fields []field // by slot
	// had are the fields that this or an earlier line had.
	had []bool
}

// field is a value of a record.
type field struct {
	text string
	// raw is the value as JSON has it, nil for text.
	raw []byte
	has bool
	// recalled is true if the value is from an earlier line of the process.
	recalled bool
}

// slots gives the fields that a mapping names their places in a record.
type slots struct {
	names []string
	index map[string]int
}

func newSlots() *slots { return &slots{index: make(map[string]int)} }

// slotOf returns the slot of a name; it adds a new slot if necessary.
func (s *slots) slotOf(name string) int {
	i, ok := s.index[name]
	if !ok {
		i = len(s.names)
		s.index[name] = i
		s.names = append(s.names, name)
	}
	return i
}

// named is the name of a slot, with its other keys: act (or dir or event).
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

// clear makes a record of the line, without fields.
func (r *record) clear(line int, text string) {
	r.line, r.text, r.source = line, text, ""
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
	r.fields[slot] = field{text: textOf(raw), raw: raw, has: true}
	r.had[slot] = true
}

// textOf is the text of a JSON value: that of a string, else the value as written.
func textOf(raw []byte) string {
	if len(raw) < 2 || raw[0] != '"' {
		return string(raw)
	}
	if inner := raw[1 : len(raw)-1]; bytes.IndexByte(inner, '\\') < 0 {
		return string(inner)
	}
	var text string
	if json.Unmarshal(raw, &text) != nil {
		return string(raw)
	}
	return text
}

// json is the field as a value of a trace: what JSON has stays as it is, digits
// included; a text that is a whole number in plain form is that number.
func (f *field) json() []byte {
	if f.raw != nil {
		return f.raw
	}
	return jsonOf(f.text)
}

func jsonOf(text string) []byte {
	if _, isNumber := tracefmt.NumberOf(text); isNumber {
		return []byte(text)
	}
	return tracefmt.AppendString(make([]byte, 0, len(text)+2), text)
}

// lineNumber is the field ${line}.
func lineNumber(n int) string { return strconv.Itoa(n) }
