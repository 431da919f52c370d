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
	index int // of an item, from 0; -1 for a field
}

func (s step) String() string {
	if s.index < 0 {
		return "." + s.name
	}
	return "[" + strconv.Itoa(s.index) + "]"
}

// within returns what the steps lead to in a JSON value, nil for nothing.
func within(raw []byte, steps []step) []byte {
	for _, s := range steps {
		raw = s.in(raw)
		if raw == nil {
			return nil
		}
	}
	return raw
}

func (s step) in(raw []byte) []byte {
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

// path is a field of the payload, or what is within it.
type path struct {
	root  string
	steps []step
}

// String is the path as a rule writes it.
func (p path) String() string {
	var b strings.Builder
	b.WriteString(p.root)
	for _, s := range p.steps {
		b.WriteString(s.String())
	}
	return b.String()
}

// written is the name of a field as it can be in a rule.
func written(name string) string {
	if plainName.MatchString(name) && !slices.Contains(keywords, name) {
		return name
	}
	return strconv.Quote(shorten(name))
}

var plainName = regexp.MustCompile(`^[a-zA-Z_][\w.\[\]-]*$`)

func (p path) equal(q path) bool { return p.root == q.root && slices.Equal(p.steps, q.steps) }

// place is a key of the payload, and where in its value a field is.
type place struct {
	key   string
	steps []step
}

// places lists where a path may lead: log[1].term is within the field log, or
// within one whose name is log[1], as that of an entry of a replicated log is.
func (p path) places() []place {
	var all []place
	for i := range len(p.steps) + 1 {
		all = append(all, place{path{p.root, p.steps[:i]}.String(), p.steps[i:]})
	}
	return all
}

// payloadField is a path with what the event at hand has there.
type payloadField struct {
	name   string
	places []place
	raw    []byte // nil for nothing
	// value is what raw says, once it was asked for, else that of an earlier event.
	value value
	read  bool
	// seenAt is the first event that had it, 0 for none so far.
	seenAt tracefmt.Seq
	// term: it is the term, which is looked for in three places.
	term bool
}

// fieldOf is a path in a run, where the term has the name that it has in the problem.
func fieldOf(p path, run *tracefmt.Run) payloadField {
	term := len(p.steps) == 0 && p.root == termField
	if term {
		p.root = tracefmt.TermVariable(run.Problem)
	}
	return payloadField{name: p.String(), places: p.places(), term: term}
}

// seenBy reports whether an event up to this one had it.
func (p *payloadField) seenBy(at tracefmt.Seq) bool { return 0 < p.seenAt && p.seenAt <= at }

// take gives the field its value, if a field of the payload has it, and reports whether it did.
func (p *payloadField) take(key, value []byte, at tracefmt.Seq) bool {
	if p.raw != nil {
		return false
	}
	for _, place := range p.places {
		if string(key) != place.key {
			continue
		}
		p.raw, p.read = within(value, place.steps), false
		if p.raw != nil {
			p.seenAt = cmp.Or(p.seenAt, at)
			return true
		}
	}
	return false
}

// inside compiles what is within the value of a function: var(p, "vote").term.
func inside(c code, n *node) code {
	steps := n.path
	if len(steps) == 0 || c.eval == nil { // within a condition or a set is nothing
		return c
	}
	return code{eval: func(f *frame) value {
		v := c.eval(f)
		if v.sort != compound {
			return value{}
		}
		f.inner = append(f.inner[:0], v.s...)
		raw := within(f.inner, steps)
		if raw == nil {
			return value{}
		}
		return f.parse(raw)
	}}
}
