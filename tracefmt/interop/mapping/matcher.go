package mapping

import (
	"regexp/syntax"
	"slices"
	"strings"

	"etrace/tracefmt/text"
)

// Patterns of heads and messages are mostly columns: a run of some characters, a sign, another run. A matcher reads
// these byte by byte, which takes a fraction of the time of package regexp, and finds what regexp finds: it tries the
// same alternatives in the same order. It gives up after a number of steps, and regexp decides. Expressions with parts
// that a matcher does not know have none. Texts are valid UTF-8, since package interop replaces other bytes of a line.
//
// The matcher is not a library: tracefmt imports none, so that to instrument a program costs nothing. With it
// an import by a mapping takes 2.0 times the CPU of the same events as JSON Lines. With package regexp alone, after a search for a
// text that each match has, it takes 2.6 times.

// matcher matches a regular expression, faster than package regexp for the common ones.
type matcher struct {
	first    *step
	anchored bool // only at the beginning of the text
}

// step is a part of an expression. next is what follows it.
type step struct {
	kind stepKind
	text string     // the text of a literal
	set  *[256]bool // the bytes of a run
	// A run has at least minimum bytes, and at most maximum unless that is negative. A lazy run is as short as
	// possible. If sure is true, the run extends over all bytes of the set, because what follows cannot begin with
	// one of them.
	minimum, maximum int
	lazy, sure       bool
	slot             int // the place in which a capture stores the position
	next             *step
	ways             []*step // the alternatives of a choice, each with what follows
}

type stepKind uint8

const (
	matched stepKind = iota
	literal
	run
	capture
	choice
	textBegins
	textEnds
	boundary
	noBoundary
)

// maxSlots is the greatest number of positions that a matcher stores.
const maxSlots = 48

// newMatcher returns the matcher of an expression, or nil if it has an unsupported part.
func newMatcher(tree *syntax.Regexp, groups int) *matcher {
	if 2*groups+2 > maxSlots {
		return nil
	}
	b := &matcherBuilder{ok: true}
	first := b.build(tree, &step{kind: matched})
	if !b.ok {
		return nil
	}
	for _, s := range b.runs {
		s.sure = s.isSure()
	}
	return &matcher{first: first, anchored: first.kind == textBegins}
}

// matcherBuilder builds the steps of an expression.
type matcherBuilder struct {
	ok   bool // all parts are known
	runs []*step
}

// build returns the steps for a part of an expression, followed by next.
func (b *matcherBuilder) build(tree *syntax.Regexp, next *step) *step {
	switch tree.Op {
	case syntax.OpEmptyMatch:
		return next
	case syntax.OpLiteral:
		if tree.Flags&syntax.FoldCase == 0 {
			return &step{kind: literal, text: string(tree.Rune), next: next}
		}
	case syntax.OpCharClass, syntax.OpAnyChar, syntax.OpAnyCharNotNL:
		return b.run(tree, tree, 1, 1, next)
	case syntax.OpStar, syntax.OpPlus, syntax.OpQuest, syntax.OpRepeat:
		return b.repeat(tree, next)
	case syntax.OpCapture:
		end := &step{kind: capture, slot: 2*tree.Cap + 1, next: next}
		return &step{kind: capture, slot: 2 * tree.Cap, next: b.build(tree.Sub[0], end)}
	case syntax.OpConcat:
		// A step refers to the steps after it, so the last part comes first.
		for i := len(tree.Sub) - 1; i >= 0; i-- {
			next = b.build(tree.Sub[i], next)
		}
		return next
	case syntax.OpAlternate:
		s := &step{kind: choice}
		for _, sub := range tree.Sub {
			s.ways = append(s.ways, b.build(sub, next))
		}
		return s
	case syntax.OpBeginText:
		return &step{kind: textBegins, next: next}
	case syntax.OpEndText:
		return &step{kind: textEnds, next: next}
	case syntax.OpWordBoundary:
		return &step{kind: boundary, next: next}
	case syntax.OpNoWordBoundary:
		return &step{kind: noBoundary, next: next}
	}
	b.ok = false
	return next
}

// repeat returns the steps for a repetition.
func (b *matcherBuilder) repeat(tree *syntax.Regexp, next *step) *step {
	minimum, maximum := 0, -1
	switch tree.Op {
	case syntax.OpPlus:
		minimum = 1
	case syntax.OpQuest:
		maximum = 1
	case syntax.OpRepeat:
		minimum, maximum = tree.Min, tree.Max
	}
	sub := tree.Sub[0]
	switch {
	case sub.Op == syntax.OpCharClass || sub.Op == syntax.OpAnyChar || sub.Op == syntax.OpAnyCharNotNL ||
		sub.Op == syntax.OpLiteral && len(sub.Rune) == 1 && sub.Flags&syntax.FoldCase == 0:
		return b.run(tree, sub, minimum, maximum, next)
	case tree.Op == syntax.OpRepeat:
		return b.build(tree.Simplify(), next)
	case canBeEmpty(sub): // a loop without an end
		b.ok = false
		return next
	}
	s := &step{kind: choice}
	more := next
	if tree.Op != syntax.OpQuest {
		more = s
	}
	s.ways = []*step{b.build(sub, more), next}
	if tree.Flags&syntax.NonGreedy != 0 {
		s.ways[0], s.ways[1] = s.ways[1], s.ways[0]
	}
	if tree.Op == syntax.OpPlus {
		return b.build(sub, s)
	}
	return s
}

// canBeEmpty reports whether an expression matches an empty text.
func canBeEmpty(tree *syntax.Regexp) bool {
	switch tree.Op {
	case syntax.OpLiteral:
		return len(tree.Rune) == 0
	case syntax.OpStar, syntax.OpQuest, syntax.OpEmptyMatch,
		syntax.OpBeginLine, syntax.OpEndLine, syntax.OpBeginText, syntax.OpEndText, syntax.OpNoWordBoundary:
		return true
	case syntax.OpRepeat:
		return tree.Min == 0 || canBeEmpty(tree.Sub[0])
	case syntax.OpPlus, syntax.OpCapture:
		return canBeEmpty(tree.Sub[0])
	case syntax.OpAlternate:
		return slices.ContainsFunc(tree.Sub, canBeEmpty)
	case syntax.OpConcat:
		return !slices.ContainsFunc(tree.Sub, func(sub *syntax.Regexp) bool { return !canBeEmpty(sub) })
	}
	return false
}

// run returns the step for a run of characters. Either all or no characters beyond ASCII must be in the set, so that
// a set of bytes is enough.
func (b *matcherBuilder) run(tree, chars *syntax.Regexp, minimum, maximum int, next *step) *step {
	s := &step{
		kind: run, set: new([256]bool), minimum: minimum, maximum: maximum, lazy: tree.Flags&syntax.NonGreedy != 0, next: next,
	}
	b.runs = append(b.runs, s)
	ranges := chars.Rune
	switch chars.Op {
	case syntax.OpAnyChar:
		ranges = []rune{0, maxRune}
	case syntax.OpAnyCharNotNL:
		ranges = []rune{0, '\n' - 1, '\n' + 1, maxRune}
	case syntax.OpLiteral:
		ranges = []rune{chars.Rune[0], chars.Rune[0]}
	}
	high := false
	for i := 0; i < len(ranges); i += 2 {
		low, end := ranges[i], ranges[i+1]
		for c := low; c <= min(end, 0x7f); c++ {
			s.set[c] = true
		}
		if end > 0x7f {
			high = true
			b.ok = b.ok && low <= 0x80 && end == maxRune
		}
	}
	if high {
		for c := 0x80; c < 0x100; c++ {
			s.set[c] = true
		}
		b.ok = b.ok && minimum <= 1 && maximum < 0 // bytes are no characters
	}
	return s
}

const maxRune = 0x10ffff

// isSure reports whether what follows the run cannot begin with a byte of the set.
func (s *step) isSure() bool {
	after := new([256]bool)
	if s.lazy || s.maximum >= 0 && s.maximum != s.minimum || s.next.begins(after, make(map[*step]bool), false) {
		return false
	}
	for c := range after {
		if after[c] && s.set[c] {
			return false
		}
	}
	return true
}

// begins adds the bytes with which a match of the step can begin. It returns true if further conditions decide
// whether a shorter run before the step would also match.
func (s *step) begins(set *[256]bool, seen map[*step]bool, asserted bool) (unsure bool) {
	if seen[s] {
		return false
	}
	seen[s] = true
	switch s.kind {
	// At the end of the expression nothing can fail any more, so the longest run is the right one. Behind an assertion
	// it can: a shorter run may end where the assertion holds.
	case matched:
		return asserted
	case literal:
		set[s.text[0]] = true
	case run:
		for c := range s.set {
			set[c] = set[c] || s.set[c]
		}
		if s.minimum == 0 {
			return s.next.begins(set, seen, asserted)
		}
	case choice:
		for _, way := range s.ways {
			unsure = way.begins(set, seen, asserted) || unsure
		}
	case textEnds:
	case textBegins:
		return true
	case boundary, noBoundary:
		return s.next.begins(set, seen, true)
	default:
		return s.next.begins(set, seen, asserted)
	}
	return unsure
}

// attempt is the match of one text.
type attempt struct {
	text  string
	slots [maxSlots]int
	left  int // steps until it gives up
}

// match matches a text. If it takes too many steps, decided is false.
func (m *matcher) match(a *attempt) (found, decided bool) {
	a.left = 256 + 16*len(a.text)
	for i := 0; i <= len(a.text); i++ {
		if i > 0 && m.anchored {
			return false, true
		}
		if i < len(a.text) && a.text[i]&0xc0 == 0x80 {
			continue
		}
		for slot := range a.slots {
			a.slots[slot] = -1
		}
		a.slots[0] = i
		if a.try(m.first, i) {
			return true, true
		}
		if a.left <= 0 {
			return false, false
		}
	}
	return false, true
}

// try matches the steps at a position.
func (a *attempt) try(s *step, i int) bool {
	for {
		if a.left--; a.left <= 0 {
			return false
		}
		switch s.kind {
		case matched:
			a.slots[1] = i
			return true
		case literal:
			if !strings.HasPrefix(a.text[i:], s.text) {
				return false
			}
			i += len(s.text)
		case run:
			end := a.runEnd(s, i)
			switch {
			case end-i < s.minimum:
				return false
			case !s.sure && end-i > s.minimum:
				return a.tryLengths(s, i, end)
			}
			i = end
		case capture:
			a.slots[s.slot] = i
		case choice:
			// The groups of a way that fails must not stay in those of the next.
			for _, way := range s.ways {
				kept := a.slots
				if a.try(way, i) {
					return true
				}
				a.slots = kept
			}
			return false
		case textBegins:
			if i > 0 {
				return false
			}
		case textEnds:
			if i < len(a.text) {
				return false
			}
		case boundary, noBoundary:
			if a.atBoundary(i) != (s.kind == boundary) {
				return false
			}
		}
		s = s.next
	}
}

// runEnd returns the end of the longest run at a position.
func (a *attempt) runEnd(s *step, i int) int {
	limit := len(a.text)
	if s.maximum >= 0 {
		limit = min(limit, i+s.maximum)
	}
	for i < limit && s.set[a.text[i]] {
		i++
	}
	return i
}

// tryLengths tries the possible lengths of a run, the preferred one first.
func (a *attempt) tryLengths(s *step, i, end int) bool {
	shortest := i + s.minimum
	for length := range end - shortest + 1 {
		at := end - length
		if s.lazy {
			at = shortest + length
		}
		if at < len(a.text) && a.text[at]&0xc0 == 0x80 {
			continue // within a character
		}
		if a.try(s.next, at) {
			return true
		}
		if a.left--; a.left <= 0 {
			return false
		}
	}
	return false
}

// atBoundary reports whether a word begins or ends at the position.
func (a *attempt) atBoundary(i int) bool {
	return (i > 0 && text.IsWordByte(a.text[i-1])) != (i < len(a.text) && text.IsWordByte(a.text[i]))
}
