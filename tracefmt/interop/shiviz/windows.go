package shiviz

import (
	"regexp"
	"regexp/syntax"
	"slices"
	"strings"
)

// finder finds the matches of a regex in a text, a few lines at a time. Go matches fast in a short text, but
// slowly in a long text. The matches equal the matches in the whole text.
type finder struct {
	re *regexp.Regexp
	// lines bounds the line ends in a match; anyLines means no bound, and then the whole text is one window.
	lines int
	size  int // the approximate length of a window in bytes
	// word is a text that every match contains, "" if none is known.
	word string
}

const (
	// windowSize is enough for a few events.
	windowSize = 1024
	anyLines   = -1
)

// newFinder returns the finder of a regex.
func newFinder(re *regexp.Regexp) *finder {
	tree, err := syntax.Parse(re.String(), syntax.Perl)
	if err != nil {
		// Never: the regex was compiled before. The whole text is then one window.
		return &finder{re: re, lines: anyLines}
	}
	return &finder{re, lineEnds(tree), windowSize, requiredText(tree)}
}

// requiredText returns the longest text that a regex spells out and that no match lacks.
func requiredText(tree *syntax.Regexp) string {
	longest := ""
	switch {
	case tree.Op == syntax.OpLiteral && tree.Flags&syntax.FoldCase == 0:
		return string(tree.Rune)
	case tree.Op == syntax.OpConcat, tree.Op == syntax.OpCapture:
		for _, sub := range tree.Sub {
			if w := requiredText(sub); len(w) > len(longest) {
				longest = w
			}
		}
	}
	return longest
}

// lineEnds returns the maximum number of line ends in a match, or anyLines. A regex that asks for the beginning
// or the end of the text has no bound, either: it must see the whole text.
func lineEnds(tree *syntax.Regexp) int {
	switch tree.Op {
	case syntax.OpBeginText, syntax.OpEndText:
		return anyLines
	case syntax.OpLiteral:
		return strings.Count(string(tree.Rune), "\n")
	case syntax.OpAnyChar:
		return 1
	case syntax.OpCharClass:
		for i := 0; i < len(tree.Rune); i += 2 {
			if tree.Rune[i] <= '\n' && '\n' <= tree.Rune[i+1] {
				return 1
			}
		}
		return 0
	}
	total := 0
	for _, sub := range tree.Sub {
		n := lineEnds(sub)
		switch {
		case n == anyLines:
			return anyLines
		case tree.Op == syntax.OpAlternate:
			total = max(total, n)
		default:
			total += n
		}
	}
	return repetitionBound(tree, total)
}

// repetitionBound returns the bound for repetitions: lines is the bound of the repeated part. A tree that is no
// repetition has the bound lines.
func repetitionBound(tree *syntax.Regexp, lines int) int {
	switch {
	case lines == 0:
		return 0
	case tree.Op == syntax.OpStar, tree.Op == syntax.OpPlus, tree.Op == syntax.OpRepeat && tree.Max < 0:
		return anyLines
	case tree.Op == syntax.OpRepeat:
		return lines * tree.Max
	}
	return lines
}

// each calls do with each match, as FindAllStringSubmatchIndex returns them. do
// may keep none of the slices.
func (f *finder) each(text string, do func(m []int)) {
	if !strings.Contains(text, f.word) {
		return
	}
	size, before := f.size, -1 // before is the end of the previous match
	for from, last := 0, false; !last; {
		complete, length := f.window(text[from:], size)
		matches := f.re.FindAllStringSubmatchIndex(text[from:from+length], -1)
		last = from+length == len(text)
		if !last {
			complete, matches = windowStart(text[from:], matches, complete)
		}
		for _, m := range matches {
			shift(m, from)
			if m[0] == m[1] && m[0] == before {
				continue // no empty match comes right after another match
			}
			before = m[1]
			do(m)
		}
		from += complete
		size = f.size
		if complete == 0 {
			size = 4 * length // matches follow each other without a gap
		}
	}
}

// window returns the length of a window of about the given size. Every match that begins in its first whole
// bytes is in the window to its end.
func (f *finder) window(text string, size int) (complete, length int) {
	if f.lines == anyLines {
		return len(text), len(text)
	}
	complete = lineAfter(text, size)
	length = complete
	for range f.lines {
		length = lineAfter(text, length)
	}
	return complete, length
}

// lineAfter returns the offset of the next line, or of the end of the text.
func lineAfter(text string, offset int) int {
	if offset >= len(text) {
		return len(text)
	}
	i := strings.IndexByte(text[offset:], '\n')
	if i < 0 {
		return len(text)
	}
	return offset + i + 1
}

// windowStart returns the beginning of the next window: a line at or before at that no match reaches into. settled are
// the matches before it.
func windowStart(text string, matches [][]int, at int) (next int, settled [][]int) {
	n := len(matches)
	for n > 0 && (matches[n-1][1] > at || matches[n-1][0] >= at) {
		n--
		at = min(at, strings.LastIndexByte(text[:matches[n][0]], '\n')+1)
	}
	return at, matches[:n]
}

// shift moves the offsets of a match; -1 marks a group without a match.
func shift(m []int, offset int) {
	for i := range m {
		if m[i] >= 0 {
			m[i] += offset
		}
	}
}

// list has the matches of a text, in one piece of memory.
type list struct {
	offsets []int32
	width   int // the number of offsets of a match
}

// list returns all matches.
func (f *finder) list(text string) list {
	l := list{width: 2 * (f.re.NumSubexp() + 1)}
	f.each(text, func(m []int) {
		for _, offset := range m {
			l.offsets = append(l.offsets, int32(offset))
		}
	})
	return l
}

// each yields the matches.
func (l *list) each(yield func(match) bool) {
	for m := range slices.Chunk(l.offsets, l.width) {
		if !yield(m) {
			return
		}
	}
}

// match has the offsets of a match and of its groups.
type match []int32
