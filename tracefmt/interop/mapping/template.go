package mapping

import (
	"fmt"
	"math/big"
	"strconv"
	"strings"

	"etrace/tracefmt"
	"etrace/tracefmt/text"
)

// template is a value of a mapping, a text in which ${FIELD} is replaced by a field of the record.
type template struct {
	parts []part
	// raw is the value as JSON if the mapping has a number, true, false or null.
	raw []byte
	// object has the fields of a value that is an object.
	object []assignment
	// alternative is used if the record lacks a field of this template. It may be nil.
	alternative *template
}

// part is a text, or if slot is not -1, a field.
type part struct {
	text string
	slot int
	// base is the base of a field that is converted to a decimal number. It is 0 if the field is used unchanged.
	base int
	plus int64 // the number that is added, as in ${index:+1}
}

// marks matches the conversions after the name of a field, as in ${term:+1} and ${id:hex}.
var marks = text.Pattern(`^(.+?)(:hex)?(?::([+-]\d{1,9}))?$`)

// maxDigits is the greatest number of digits of such a number.
const maxDigits = 64

// newPart returns the part for a field and its conversions.
func newPart(s *slots, name string) part {
	at := marks().FindStringSubmatch(name)
	if at == nil {
		return part{slot: s.slotOf(name)}
	}
	p := part{slot: s.slotOf(at[1])}
	if at[3] != "" {
		p.base = 10
		p.plus, _ = strconv.ParseInt(at[3], 10, 64) // nine digits
	}
	if at[2] != "" {
		p.base = 16
	}
	return p
}

// parseTemplate parses a template. In it, $$ is a dollar sign.
func parseTemplate(s *slots, text string) (*template, error) {
	t := new(template)
	var plain strings.Builder
	for remainder := text; remainder != ""; {
		before, after, found := strings.Cut(remainder, "$")
		plain.WriteString(before)
		switch {
		case !found:
			remainder = ""
		case strings.HasPrefix(after, "$"):
			plain.WriteByte('$')
			remainder = after[1:]
		case strings.HasPrefix(after, "{"):
			name, more, closed := strings.Cut(after[1:], "}")
			if !closed || name == "" {
				return nil, fmt.Errorf("${ without a name and }, expected ${FIELD}")
			}
			t.literal(&plain)
			t.parts = append(t.parts, newPart(s, name))
			remainder = more
		default:
			return nil, fmt.Errorf("a $ alone, expected ${FIELD}, or $$ for a dollar")
		}
	}
	t.literal(&plain)
	return t, nil
}

// literal adds the collected text as a part.
func (t *template) literal(plain *strings.Builder) {
	if plain.Len() > 0 {
		t.parts = append(t.parts, part{text: plain.String(), slot: -1})
		plain.Reset()
	}
}

// text replaces the fields by their values. It uses the first alternative whose fields all exist, and returns false
// if there is no such alternative.
func (t *template) text(r *record) (string, bool) {
	for ; t != nil; t = t.alternative {
		if text, ok := t.alone(r); ok {
			return text, true
		}
	}
	return "", false
}

// alone does the same without alternatives.
func (t *template) alone(r *record) (string, bool) {
	switch {
	case t.object != nil:
		return string(t.appendObject(nil, r)), true
	case len(t.parts) == 1:
		return t.parts[0].value(r)
	}
	var b strings.Builder
	for i := range t.parts {
		text, ok := t.parts[i].value(r)
		if !ok {
			return "", false
		}
		b.WriteString(text)
	}
	return b.String(), true
}

// value returns the text of the part for a record. It returns false if the record lacks the field.
func (p *part) value(r *record) (string, bool) {
	if p.slot < 0 {
		return p.text, true
	}
	f := &r.fields[p.slot]
	if p.base == 0 || !f.has {
		return f.text, f.has
	}
	digits := f.text
	if p.base == 16 {
		digits = strings.TrimPrefix(digits, "0x")
	}
	if len(digits) > maxDigits {
		return "", false
	}
	n, ok := new(big.Int).SetString(digits, p.base)
	if !ok {
		return "", false
	}
	return n.Add(n, big.NewInt(p.plus)).String(), true
}

// json returns the template as a value of a trace, or false if the record lacks a field. If the template is only a
// field, the value is that of the field.
func (t *template) json(r *record) ([]byte, bool) {
	for ; t != nil; t = t.alternative {
		switch {
		case t.raw != nil:
			return t.raw, true
		case t.object != nil:
			return t.appendObject(nil, r), true
		case len(t.parts) == 1 && t.parts[0].slot >= 0 && t.parts[0].base == 0:
			if f := &r.fields[t.parts[0].slot]; f.has {
				return f.json(), true
			}
			continue
		}
		if text, ok := t.alone(r); ok {
			return jsonOf(text), true
		}
	}
	return nil, false
}

// appendObject appends an object with the fields that the record has values for.
func (t *template) appendObject(b []byte, r *record) []byte {
	b = append(b, '{')
	for _, a := range t.object {
		name, named := a.called(r)
		value, ok := a.value.json(r)
		if !named || !ok {
			continue
		}
		if len(b) > 1 {
			b = append(b, ',')
		}
		b = append(append(tracefmt.AppendString(b, name), ':'), value...)
	}
	return append(b, '}')
}

// lacks returns the name of the first field of the template that the record lacks.
func (t *template) lacks(r *record, s *slots) string {
	for _, p := range t.parts {
		if p.slot >= 0 && !r.fields[p.slot].has {
			return s.names[p.slot]
		}
	}
	return ""
}
