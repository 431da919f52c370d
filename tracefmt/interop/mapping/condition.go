package mapping

import (
	"fmt"
	"regexp"
	"regexp/syntax"
	"slices"
	"strings"

	"etrace/tracefmt/text"
)

// condition is a condition on a field of a record.
type condition struct {
	slot int
	// pattern must match, unless it is nil. Its named groups become fields.
	pattern *pattern
	// If equal or same is not empty, the field must equal one of these texts or the result of this template.
	equal []string
	same  *template
	// absent requires that the record lacks the field.
	absent bool
}

// holds reports whether the condition is true, and stores the groups of its pattern in the record.
func (c *condition) holds(r *record) bool {
	f := &r.fields[c.slot]
	switch {
	case c.absent:
		return !f.has
	case !f.has:
		return false
	case c.pattern != nil:
		return c.pattern.capture(f.text, r)
	case c.same != nil:
		expected, ok := c.same.text(r)
		return ok && expected == f.text
	}
	return slices.Contains(c.equal, f.text)
}

// hold reports whether all conditions are true.
func hold(conditions []condition, r *record) bool {
	for i := range conditions {
		if !conditions[i].holds(r) {
			return false
		}
	}
	return true
}

// pattern is a regular expression whose named groups are fields.
type pattern struct {
	re      *regexp.Regexp
	matcher *matcher // nil for an expression without one
	// needs is a text that each match contains. It is "" if none is known.
	needs string
	// groups has the slot of each group, or -1 for a group without a name.
	groups []int
}

// newPattern compiles a regular expression.
func newPattern(s *slots, source string) (*pattern, error) {
	tree, err := syntax.Parse(source, syntax.Perl)
	if err != nil {
		return nil, fmt.Errorf("no regular expression: %s", text.PatternMistake(err))
	}
	re, err := regexp.Compile(source)
	if err != nil {
		return nil, fmt.Errorf("no regular expression: %s", text.PatternMistake(err))
	}
	p := &pattern{re: re, matcher: newMatcher(tree, re.NumSubexp()), needs: required(tree), groups: make([]int, re.NumSubexp()+1)}
	seen := map[string]bool{}
	for i, name := range re.SubexpNames() {
		p.groups[i] = -1
		if name == "" {
			continue
		}
		if seen[name] {
			return nil, fmt.Errorf("the group %s is there twice, expected once", text.Quote(name))
		}
		seen[name] = true
		p.groups[i] = s.slotOf(name)
	}
	return p, nil
}

// capture matches a text and stores the named groups in the record.
func (p *pattern) capture(s string, r *record) bool {
	if p.needs != "" && !strings.Contains(s, p.needs) {
		return false
	}
	a := attempt{text: s}
	at := p.find(&a)
	if at == nil {
		return false
	}
	for i, slot := range p.groups {
		if slot >= 0 && at[2*i] >= 0 {
			r.set(slot, s[at[2*i]:at[2*i+1]])
		}
	}
	return true
}

// find returns the positions of a match and of its groups, or nil.
func (p *pattern) find(a *attempt) []int {
	if p.matcher != nil {
		switch found, decided := p.matcher.match(a); {
		case found:
			return a.slots[:2*len(p.groups)]
		case decided:
			return nil
		}
	}
	return p.re.FindStringSubmatchIndex(a.text)
}

// required returns the longest text that each match of the expression contains, as far as the syntax easily shows.
func required(tree *syntax.Regexp) string {
	switch tree.Op {
	case syntax.OpLiteral:
		if tree.Flags&syntax.FoldCase == 0 {
			return string(tree.Rune)
		}
	case syntax.OpCapture, syntax.OpPlus:
		return required(tree.Sub[0])
	case syntax.OpRepeat:
		if tree.Min > 0 {
			return required(tree.Sub[0])
		}
	case syntax.OpConcat:
		longest := ""
		for _, sub := range tree.Sub {
			if s := required(sub); len(s) > len(longest) {
				longest = s
			}
		}
		return longest
	}
	return ""
}

// asPattern returns the expression of a text between slashes. The form /.../i ignores case.
func asPattern(text string) (source string, ok bool) {
	inner, opened := strings.CutPrefix(text, "/")
	source, ok = strings.CutSuffix(inner, "/i")
	if opened && ok && source != "" {
		return "(?i)" + source, true
	}
	source, ok = strings.CutSuffix(inner, "/")
	return source, opened && ok && source != ""
}
