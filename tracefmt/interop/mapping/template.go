package mapping

import (
	"fmt"
	"strings"
)

// template is a value of a mapping: text in which ${FIELD} stands for what the record
// has there.
type template struct {
	parts []part
	// raw is the value as JSON where the mapping has a number, true, false or null.
	raw []byte
}

// part is a text or, if slot is not -1, a field.
type part struct {
	text string
	slot int
}

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
			t.parts = append(t.parts, part{slot: s.of(name)})
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
		t.parts = append(t.parts, part{plain.String(), -1})
		plain.Reset()
	}
}

// text is the template with the fields of a record; false if it lacks one of them.
func (t *template) text(r *record) (string, bool) {
	switch {
	case t == nil:
		return "", false
	case len(t.parts) == 1 && t.parts[0].slot < 0:
		return t.parts[0].text, true
	case len(t.parts) == 1:
		f := &r.fields[t.parts[0].slot]
		return f.text, f.has
	}
	var b strings.Builder
	for _, p := range t.parts {
		if p.slot < 0 {
			b.WriteString(p.text)
			continue
		}
		f := &r.fields[p.slot]
		if !f.has {
			return "", false
		}
		b.WriteString(f.text)
	}
	return b.String(), true
}

// json is the template as a value of a trace; false if the record lacks a field of it.
// One that is a field alone has the field's value.
func (t *template) json(r *record) ([]byte, bool) {
	if t.raw != nil {
		return t.raw, true
	}
	if len(t.parts) == 1 && t.parts[0].slot >= 0 {
		f := &r.fields[t.parts[0].slot]
		return f.json(), f.has
	}
	text, ok := t.text(r)
	return jsonOf(text), ok
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
