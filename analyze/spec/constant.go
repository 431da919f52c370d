package spec

import (
	"encoding/json"
	"fmt"
	"slices"

	"etrace/tracefmt"
	"etrace/tracefmt/text"
)

// A rule that compares a field with a text that no event has is kept for a slip of the pen: never receive(type = "OKK")
// would be satisfied by every run. It is in doubt where the run has a text that is nearly the same, or where the
// text would be the name of a process.

// constant is a text with which a rule compares a field of its events.
type constant struct {
	field string
	index int // the index of the field in the payload, -1 for a column of events
	text  string
	kinds kindSet
}

// maxValues bounds the values of a field that are kept to find what was meant.
const maxValues = 64

// unseenText is a constant that no event has had so far, with the values that events had instead, for a suggestion.
type unseenText struct {
	constant
	seenValues []string
}

// noteComparison notes that the field of an event of the current pattern is compared with a text.
func (s *scope) noteComparison(n *node) {
	field, word := n.operands[0], n.operands[1].value
	// A text that spells a number equals that number, so events may have it in another form.
	if s.event == "" || word.sort != textual || word.s == "" || (*names)(nil).canonical(word) != word ||
		!s.isOwnField(field, field.name) {
		return
	}
	index := slices.IndexFunc(s.program.fields, func(p path) bool { return p.root == field.name && len(p.steps) == 0 })
	if index >= 0 || slices.Contains([]string{"type", "process", "peer"}, field.name) {
		s.program.constants = append(s.program.constants, constant{field.name, index, word.s, setOf(s.kinds)})
	}
}

// findConstants searches the fields of the current event for the constants of the rule that no event has had so far.
func (f *frame) findConstants() {
	f.unseenTexts = slices.DeleteFunc(f.unseenTexts, func(c *unseenText) bool {
		if !c.kinds.has(f.event.Kind) {
			return false
		}
		has, ok := f.textOf(&c.constant)
		switch {
		case !ok || slices.Contains(c.seenValues, has):
			return false
		case has == c.text || len(c.seenValues) == maxValues:
			return true
		}
		c.seenValues = append(c.seenValues, has)
		return false
	})
}

// textOf returns the text of the field at the current event.
func (f *frame) textOf(c *constant) (has string, ok bool) {
	switch e := f.event; {
	case c.index >= 0:
		raw := f.raw(c.index)
		ok = len(raw) > 1 && raw[0] == '"' && json.Unmarshal(raw, &has) == nil
	case c.field == "type":
		has, ok = e.Type, e.Type != ""
	case c.field == "process":
		has, ok = f.run.ProcessName(e.Process), e.Process > 0
	default:
		has, ok = f.run.ProcessName(e.Peer), e.Peer > 0
	}
	return has, ok
}

// unseenConstant names a constant of the rule that no event had, with the nearest value that one had; "" if there is no
// such constant.
func (f *frame) unseenConstant(program *program) string {
	isMember := func(name string) bool {
		return slices.ContainsFunc(f.run.Members, func(m tracefmt.Member) bool { return m.Name == name })
	}
	for _, c := range f.unseenTexts {
		// A field whose values are names of processes, such as a vote, names one.
		names := len(c.seenValues) > 0 && !slices.ContainsFunc(c.seenValues, func(has string) bool { return !isMember(has) })
		isProcess := c.field == "process" || c.field == "peer" || names
		// A value that the rule names elsewhere is not a misspelling of this constant.
		known := slices.DeleteFunc(slices.Clone(c.seenValues), func(has string) bool {
			return slices.ContainsFunc(program.constants, func(known constant) bool { return known.text == has })
		})
		if isProcess {
			known = nil
			for i := range f.run.Members {
				known = append(known, f.run.Members[i].Name)
			}
			if isMember(c.text) {
				continue
			}
		}
		near := text.Misspelt(c.text, known)
		said := fmt.Sprintf("no event that the rule looks at has %s = %q", shorten(c.field),
			text.Printable(text.Short(c.text, 41)))
		switch {
		case near != "":
			return fmt.Sprintf("%s; did you mean %q?", said, text.Printable(text.Short(near, 41)))
		case isProcess:
			return said + ": no process of the run has this name"
		}
	}
	return ""
}
