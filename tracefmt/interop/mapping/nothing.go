package mapping

import (
	"fmt"
	"slices"
	"strconv"

	"etrace/tracefmt/interop"
	"etrace/tracefmt/text"
)

// tried counts what happened to the lines before the first event. It explains why a log has no events.
type tried struct {
	lines, formless int
	processless     int           // were taken by a rule
	failed          map[place]int // by the condition that failed
	events          int
}

// place is a condition of a rule, by their numbers.
type place struct{ rule, condition int }

// maxTried is how many lines are compared with the conditions of all rules.
const maxTried = 1000

// fail counts a line without a rule.
func (t *tried) fail(m *Map, rec *record) {
	if t.events > 0 || t.lines > maxTried {
		return
	}
	if t.failed == nil {
		t.failed = make(map[place]int)
	}
	for i := range m.rules {
		at := -1
		switch {
		case rec.read == nil || !m.found.ignores:
			at = slices.IndexFunc(m.rules[i].when, func(c condition) bool { return !c.holds(rec) })
		case rec.read.failed != nil:
			at = rec.read.failed[i]
		}
		if at >= 0 {
			t.failed[place{i, at}]++
		}
	}
}

// worst returns the condition that failed, in the rule that came nearest to matching, and for how many lines it
// failed.
func (t *tried) worst() (worst place, count int) {
	for at, n := range t.failed {
		nearer := at.condition - worst.condition
		if count == 0 || nearer > 0 || nearer == 0 && (n > count || n == count && at.rule < worst.rule) {
			worst, count = at, n
		}
	}
	return worst, count
}

// nothing returns the error for files without events.
func (l *log) nothing() error {
	names, where := l.reading.Names(), "the file"
	if len(names) > 1 {
		where = "the files"
	}
	file := names[0]
	if more := len(names) - 1; more > 0 {
		file += " and " + text.Counted(more, "more file", "more files")
	}
	return &interop.Error{File: file, Err: fmt.Errorf("no event of format map in %s: %s", where, l.reason())}
}

// reason explains why no line is an event.
func (l *log) reason() string {
	t := &l.tried
	lines := text.Counted(t.lines, "line", "lines")
	if t.lines == 0 {
		return "no line at all"
	}
	if lacked := l.unused.lacked(l.rec.had); l.ready && t.processless == 0 && t.formless < t.lines && lacked != "" {
		return lacked
	}
	for _, said := range l.unused.missing(l.rec.had) {
		switch {
		case l.ready: // the user has not written it
		case t.processless > 0 && l.process != nil && slices.ContainsFunc(l.process.parts, func(p part) bool { return p.slot == said.slot }):
			return "no line names its process; " + said.text
		case t.processless == 0 && t.formless < t.lines && said.when:
			return "no rule takes a line; " + said.text
		}
	}
	switch worst, count := t.worst(); {
	case t.processless > 0:
		return fmt.Sprintf("%s are taken by rules, but name no process", text.Counted(t.processless, "line", "lines"))
	case t.formless == t.lines:
		return fmt.Sprintf("of %s none is of the form %s", lines, l.form.name)
	case count > 0:
		return fmt.Sprintf("of %s no rule takes any; nearest is the rule at %s, of which the condition %s does not hold for %d",
			lines, l.rules[worst.rule].place, l.conditionText(&l.rules[worst.rule].when[worst.condition]), count)
	}
	return "of " + lines + " none is taken by a rule"
}

// conditionText returns a condition in the notation of a mapping.
func (l *log) conditionText(c *condition) string {
	value := ""
	switch {
	case c.absent:
		value = "null"
	case c.pattern != nil:
		value = "/" + c.pattern.re.String() + "/"
	case c.same != nil:
		value = "the text of another field"
	case len(c.equal) == 1:
		value = strconv.Quote(c.equal[0])
	default:
		value = fmt.Sprintf("%q", c.equal)
	}
	return l.slots.names[c.slot] + ": " + value
}
