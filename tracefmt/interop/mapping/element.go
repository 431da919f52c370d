package mapping

import (
	"errors"
	"fmt"
	"iter"
	"slices"
	"strconv"
	"strings"

	"etrace/tracefmt"
	"etrace/tracefmt/interop"
)

// The keys of an element in JSON. fields, cut and found have objects: a text is a string there, another value a list with
// the value as the log has it.
const (
	keyLine, keyMore, keyText, keySource, keyTime = "line", "more", "text", "source", "time"
	keyContinues, keyUnended, keyFormless         = "continues", "unended", "formless"
	keyUncut                                      = "uncut"
	keyFields, keyCut, keyRule, keyFound          = "fields", "cut", "rule", "found"
	keyIgnored, keyMembers, keyOmission, keyGap   = "ignored", "members", "omission", "gap"
	keyFailed                                     = "failed"
)

// object appends the members of a JSON object.
type object struct{ b []byte }

func (o *object) key(name string) {
	if last := o.b[len(o.b)-1]; last != '{' {
		o.b = append(o.b, ',')
	}
	o.b = append(tracefmt.AppendString(o.b, name), ':')
}

func (o *object) number(name string, n int) {
	o.key(name)
	o.b = strconv.AppendInt(o.b, int64(n), 10)
}

// text appends a text, unless it is empty.
func (o *object) text(name, text string) {
	if text != "" {
		o.key(name)
		o.b = tracefmt.AppendString(o.b, text)
	}
}

// flag appends true, unless it is false.
func (o *object) flag(name string, value bool) {
	if value {
		o.key(name)
		o.b = append(o.b, "true"...)
	}
}

// fields appends an object of fields, or nothing for no fields.
func (o *object) fields(key string, fields []slotField, names []string) {
	if len(fields) == 0 {
		return
	}
	o.key(key)
	o.b = append(o.b, '{')
	for _, f := range fields {
		o.key(names[f.slot])
		if f.raw == nil {
			o.b = tracefmt.AppendString(o.b, f.text)
		} else {
			o.b = append(append(append(o.b, '['), f.raw...), ']')
		}
	}
	o.b = append(o.b, '}')
}

// append appends the element as an object of JSON. names are the names of slots.
func (e *element) append(b []byte, names []string) []byte {
	o := &object{append(b, '{')}
	o.number(keyLine, e.line)
	if e.more > 0 {
		o.number(keyMore, e.more)
	}
	o.text(keyText, e.Text)
	o.text(keySource, e.Source)
	o.text(keyTime, e.Time)
	o.flag(keyContinues, e.place == continues)
	o.flag(keyUnended, e.unended)
	o.flag(keyOmission, e.omission)
	if e.isUncut {
		o.flag(keyUncut, true)
		return append(o.b, '}')
	}
	o.flag(keyFormless, !e.understood)
	o.fields(keyFields, e.fields, names)
	o.fields(keyCut, e.cuts, names)
	o.flag(keyGap, e.gap)
	if e.rule >= 0 {
		o.number(keyRule, e.rule)
	}
	o.fields(keyFound, e.found, names)
	o.flag(keyIgnored, e.ignored)
	if e.failed != nil {
		o.key(keyFailed)
		o.b = appendList(o.b, e.failed, func(b []byte, n int) []byte { return strconv.AppendInt(b, int64(n), 10) })
	}
	if len(e.members) > 0 {
		o.key(keyMembers)
		o.b = appendList(o.b, e.members, func(b []byte, names []string) []byte { return appendList(b, names, tracefmt.AppendString) })
	}
	return append(o.b, '}')
}

// appendList appends a JSON list.
func appendList[T any](b []byte, items []T, appendItem func([]byte, T) []byte) []byte {
	b = append(b, '[')
	for i, item := range items {
		if i > 0 {
			b = append(b, ',')
		}
		b = appendItem(b, item)
	}
	return append(b, ']')
}

// parse reads an element. It fails for a field or a rule that the mapping does not have.
func (e *element) parse(line []byte, m *Map) error {
	*e = element{understood: true, rule: -1, fields: e.fields[:0], cuts: e.cuts[:0], found: e.found[:0]}
	e.place = begins
	s := &scanner{text: string(line)} // the texts of the element share its memory
	for key := range s.keys() {
		switch key {
		case keyLine:
			e.line = s.number()
		case keyMore:
			e.more = s.number()
		case keyText:
			e.Text = s.string()
		case keySource:
			e.Source = s.string()
		case keyTime:
			e.Time = s.string()
		case keyContinues:
			e.place = continues
			s.isTrue()
		case keyUnended:
			e.unended = s.isTrue()
		case keyOmission:
			e.omission = s.isTrue()
		case keyUncut:
			e.isUncut = s.isTrue()
		case keyFormless:
			e.understood = !s.isTrue()
		case keyFields:
			e.fields = s.fields(e.fields, m.slots)
		case keyCut:
			e.cuts = s.fields(e.cuts, m.slots)
		case keyRule:
			e.rule = s.number()
		case keyFound:
			e.found = s.fields(e.found, m.slots)
		case keyGap:
			e.gap = s.isTrue()
		case keyFailed:
			for range s.items() {
				e.failed = append(e.failed, s.number())
			}
		case keyIgnored:
			e.ignored = s.isTrue()
		case keyMembers:
			for range s.items() {
				var names []string
				for range s.items() {
					names = append(names, s.string())
				}
				e.members = append(e.members, names)
			}
		default:
			s.failed = true
		}
	}
	if s.failed || s.at != len(s.text) {
		return fmt.Errorf("byte %d: no element of the mapping", s.at)
	}
	if e.rule < -1 || e.rule >= len(m.rules) || e.failed != nil && len(e.failed) != len(m.rules) {
		return errors.New("a rule that the mapping does not have")
	}
	return nil
}

// clone returns a copy that stays when the element is used again.
func (e *element) clone() *element {
	if e == nil {
		return nil
	}
	c := *e
	c.fields, c.cuts, c.found = slices.Clone(e.fields), slices.Clone(e.cuts), slices.Clone(e.found)
	return &c
}

// scanner reads JSON as [element.append] writes it, without blanks. It takes a third of the time of package json.
type scanner struct {
	text   string
	at     int
	failed bool
}

// take reads a sign, and reports whether it is there.
func (s *scanner) take(sign byte) bool {
	if s.at < len(s.text) && s.text[s.at] == sign {
		s.at++
		return true
	}
	return false
}

// expect reads a sign. It fails for another one.
func (s *scanner) expect(sign byte) { s.failed = !s.take(sign) || s.failed }

// keys yields the keys of an object. The caller reads the value of each.
func (s *scanner) keys() iter.Seq[string] {
	return func(yield func(string) bool) {
		s.expect('{')
		for first := true; !s.failed && !s.take('}'); first = false {
			if !first {
				s.expect(',')
			}
			key := s.string()
			if s.expect(':'); s.failed || !yield(key) {
				return
			}
		}
	}
}

// items yields for each item of a list. The caller reads the item.
func (s *scanner) items() iter.Seq[int] {
	return func(yield func(int) bool) {
		s.expect('[')
		for i := 0; !s.failed && !s.take(']'); i++ {
			if i > 0 {
				s.expect(',')
			}
			if s.failed || !yield(i) {
				return
			}
		}
	}
}

// number reads a whole number.
func (s *scanner) number() int {
	begin := s.at
	for s.at < len(s.text) && (s.text[s.at] == '-' || '0' <= s.text[s.at] && s.text[s.at] <= '9') {
		s.at++
	}
	n, err := strconv.Atoi(s.text[begin:s.at])
	s.failed = s.failed || err != nil
	return n
}

// isTrue reads true.
func (s *scanner) isTrue() bool {
	if strings.HasPrefix(s.text[s.at:], "true") {
		s.at += len("true")
		return true
	}
	s.failed = true
	return false
}

// string reads a text.
func (s *scanner) string() string {
	begin := s.at
	if s.expect('"'); s.failed {
		return ""
	}
	escaped := false
	for {
		end := strings.IndexByte(s.text[s.at:], '"')
		if end < 0 {
			s.failed = true
			return ""
		}
		backslashes := 0
		for i := s.at + end - 1; i > begin && s.text[i] == '\\'; i-- {
			backslashes++
		}
		escaped = escaped || strings.IndexByte(s.text[s.at:s.at+end], '\\') >= 0
		if s.at += end + 1; backslashes%2 == 0 {
			break
		}
	}
	if !escaped {
		return s.text[begin+1 : s.at-1]
	}
	return unescaped(s.text[begin+1 : s.at-1])
}

// unescaped replaces the escapes of [tracefmt.AppendString].
func unescaped(text string) string {
	var b strings.Builder
	b.Grow(len(text))
	for {
		at := strings.IndexByte(text, '\\')
		if at < 0 || at+1 == len(text) {
			b.WriteString(text)
			return b.String()
		}
		b.WriteString(text[:at])
		c := text[at+1]
		text = text[at+2:]
		switch c {
		case 'n':
			b.WriteByte('\n')
		case 'r':
			b.WriteByte('\r')
		case 't':
			b.WriteByte('\t')
		case 'u':
			n, _ := strconv.ParseUint(text[:min(4, len(text))], 16, 16) // the checksum fits
			b.WriteRune(rune(n))
			text = text[min(4, len(text)):]
		default:
			b.WriteByte(c)
		}
	}
}

// fields reads an object of fields, which it appends.
func (s *scanner) fields(fields []slotField, slots *slots) []slotField {
	for key := range s.keys() {
		slot, ok := slots.index[key]
		s.failed = s.failed || !ok
		f := field{has: true}
		if s.take('[') {
			raw := s.value()
			f.raw, f.text = raw, interop.TextOf(raw)
			s.expect(']')
		} else {
			f.text = s.string()
		}
		fields = append(fields, slotField{slot, f})
	}
	return fields
}

// value reads a value of the log, as it is.
func (s *scanner) value() []byte {
	begin, depth := s.at, 0
	for ; s.at < len(s.text); s.at++ {
		switch s.text[s.at] {
		case '"':
			s.string()
			s.at--
		case '[', '{':
			depth++
		case ']', '}':
			if depth == 0 {
				return []byte(s.text[begin:s.at])
			}
			depth--
		}
	}
	s.failed = true
	return nil
}
