package mapping

import (
	"fmt"
	"math/big"
	"strings"

	"etrace/tracefmt"
)

// template is a value of a mapping: text in which ${FIELD} stands for what the record
// has there.
type template struct {
	parts []part
	// raw is the value as JSON where the mapping has a number, true, false or null.
	raw []byte
	// object are the fields of a value that is an object.
	object []assignment
	// other is what counts where the record lacks a field of this one; nil for nothing.
	other *template
}

// part is a text or, if slot is not -1, a field.
type part struct {
	text string
	slot int
	// hex: the field is a number in base 16, which is written in decimal.
	hex bool
}

// hexMark after the name of a field says that.
const hexMark = ":hex"

// maxHex bounds the digits of such a number.
const maxHex = 64

// parseTemplate reads a template; $$ is a dollar.
func parseTemplate(s *slots, text string) (*template, error) {
	t := new(template)
	var plain strings.Builder
	for rest := text; rest != ""; {
		before, after, found := strings.Cut(rest, "$")
		plain.WriteString(before)
		switch {
		case !found:
			rest = ""
		case strings.HasPrefix(after, "$"):
			plain.WriteByte('$')
			rest = after[1:]
		case strings.HasPrefix(after, "{"):
			name, more, closed := strings.Cut(after[1:], "}")
			if !closed || name == "" {
				return nil, fmt.Errorf("${ without a name and }, expected ${FIELD}")
			}
			t.literal(&plain)
			field, hex := strings.CutSuffix(name, hexMark)
			t.parts = append(t.parts, part{slot: s.of(field), hex: hex})
			rest = more
		default:
			return nil, fmt.Errorf("a $ alone, expected ${FIELD}, or $$ for a dollar")
		}
	}
	t.literal(&plain)
	return t, nil
}

func (t *template) literal(plain *strings.Builder) {
	if plain.Len() > 0 {
		t.parts = append(t.parts, part{text: plain.String(), slot: -1})
		plain.Reset()
	}
}

// text is the template with the fields of a record, or the first of its alternatives of
// which the record lacks no field; false if it lacks one of each.
func (t *template) text(r *record) (string, bool) {
	for ; t != nil; t = t.other {
		if text, ok := t.alone(r); ok {
			return text, true
		}
	}
	return "", false
}

// alone is the template without alternatives.
func (t *template) alone(r *record) (string, bool) {
	switch {
	case t.object != nil:
		return string(t.appendObject(nil, r)), true
	case len(t.parts) == 1:
		return t.parts[0].of(r)
	}
	var b strings.Builder
	for i := range t.parts {
		text, ok := t.parts[i].of(r)
		if !ok {
			return "", false
		}
		b.WriteString(text)
	}
	return b.String(), true
}

// of is what the part is in a record; false if that lacks its field.
func (p *part) of(r *record) (string, bool) {
	if p.slot < 0 {
		return p.text, true
	}
	f := &r.fields[p.slot]
	if !p.hex || !f.has {
		return f.text, f.has
	}
	digits := strings.TrimPrefix(f.text, "0x")
	if len(digits) > maxHex {
		return "", false
	}
	n, ok := new(big.Int).SetString(digits, 16)
	if !ok {
		return "", false
	}
	return n.String(), true
}

// json is the template as a value of a trace; false if the record lacks a field of it.
// One that is a field alone has the field's value.
func (t *template) json(r *record) ([]byte, bool) {
	for ; t != nil; t = t.other {
		switch {
		case t.raw != nil:
			return t.raw, true
		case t.object != nil:
			return t.appendObject(nil, r), true
		case len(t.parts) == 1 && t.parts[0].slot >= 0 && !t.parts[0].hex:
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

// appendObject appends the object with those fields of which the record lacks nothing.
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

// lacks names the first field of the template that the record has not.
func (t *template) lacks(r *record, s *slots) string {
	for _, p := range t.parts {
		if p.slot >= 0 && !r.fields[p.slot].has {
			return s.names[p.slot]
		}
	}
	return ""
}
