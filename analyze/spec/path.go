package spec

import (
	"cmp"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"etrace/tracefmt"
)

// step leads into a value: to a field of an object, or to an item of a list.
type step struct {
	name  string
	index int // the place of an item, from 0; -1 for a field
}

// String returns the step as a rule writes it: .name or [index].
func (s step) String() string {
	if s.index < 0 {
		return "." + s.name
	}
	return "[" + strconv.Itoa(s.index) + "]"
}

// valueAt returns the part of a JSON value at the end of the steps, nil if nothing is there.
func valueAt(raw []byte, steps []step) []byte {
	for _, s := range steps {
		raw = s.follow(raw)
		if raw == nil {
			return nil
		}
	}
	return raw
}

// follow returns the item or field of a JSON value, nil if it has none.
func (s step) follow(raw []byte) []byte {
	if s.index >= 0 {
		i := 0
		for item := range tracefmt.Items(raw) {
			if i == s.index {
				return item
			}
			i++
		}
		return nil
	}
	for key, value := range tracefmt.Fields(raw) {
		if string(key) == s.name {
			return value
		}
	}
	return nil
}

// path is a field of the payload, or a value within it.
type path struct {
	root  string
	steps []step
}

// String returns the path as a rule writes it.
func (p path) String() string {
	var b strings.Builder
	b.WriteString(p.root)
	for _, s := range p.steps {
		b.WriteString(s.String())
	}
	return b.String()
}

// quotedName returns the name of a field, quoted if a rule needs that.
func quotedName(name string) string {
	if plainName.MatchString(name) && !slices.Contains(keywords, name) {
		return name
	}
	return strconv.Quote(shorten(name))
}

var plainName = regexp.MustCompile(`^[a-zA-Z_][\w.\[\]-]*$`)

// equal reports whether both paths have the same root and steps.
func (p path) equal(q path) bool { return p.root == q.root && slices.Equal(p.steps, q.steps) }

// place is a key of the payload, and the steps from its value to a field.
type place struct {
	key   string
	steps []step
}

// places returns the places that a path may lead to: log[1].term is within the field log, or within a field with
// the name log[1], as entries of a replicated log have.
func (p path) places() []place {
	var list []place
	for i := range len(p.steps) + 1 {
		list = append(list, place{path{p.root, p.steps[:i]}.String(), p.steps[i:]})
	}
	return list
}

// payloadField is a path with its value in the current event.
type payloadField struct {
	name   string
	places []place
	raw    []byte // nil if the event lacks it
	// value is the value of raw, once it was read, else that of an earlier event.
	value value
	read  bool
	// seenAt is the first event that had it, 0 if no event had it so far.
	seenAt tracefmt.Seq
	// term is set for the term, which is read from three places.
	term bool
}

// fieldOf returns a path in a run; the term gets the name that it has in the problem.
func fieldOf(p path, run *tracefmt.Run) payloadField {
	term := len(p.steps) == 0 && p.root == termField
	if term {
		p.root = tracefmt.TermVariable(run.Problem)
	}
	return payloadField{name: p.String(), places: p.places(), term: term}
}

// seenBy reports whether the event at or an earlier one had the field.
func (p *payloadField) seenBy(at tracefmt.Seq) bool { return 0 < p.seenAt && p.seenAt <= at }

// take stores the value if the key leads to the field, and reports whether it did.
func (p *payloadField) take(key, value []byte, at tracefmt.Seq) bool {
	if p.raw != nil {
		return false
	}
	for _, place := range p.places {
		if string(key) != place.key {
			continue
		}
		p.raw, p.read = valueAt(value, place.steps), false
		if p.raw != nil {
			p.seenAt = cmp.Or(p.seenAt, at)
			return true
		}
	}
	return false
}

// pathInto compiles a path into the value of a function: var(p, "vote").term.
func pathInto(c code, n *node) code {
	steps := n.path
	if len(steps) == 0 || c.eval == nil { // conditions and sets have no parts
		return c
	}
	return code{eval: func(f *frame) value {
		v := c.eval(f)
		if v.sort != compound {
			return value{}
		}
		f.inner = append(f.inner[:0], v.s...)
		raw := valueAt(f.inner, steps)
		if raw == nil {
			return value{}
		}
		return f.parse(raw)
	}}
}
