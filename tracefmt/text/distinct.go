package text

import (
	"cmp"
	"maps"
	"slices"
	"strconv"
	"unicode"
	"unicode/utf8"
)

// Distinct shortens names to at most limit columns each so that they stay distinct, such as the names of
// processes side by side: election-service-0 and election-service-1 become election-serv…-0 and
// election-serv…-1. Names that fit stay unchanged. A longer name loses its end, as by [Short], if all names
// then stay distinct. Otherwise it loses its middle, or the common beginning of similar names. If all that
// fails, the names are numbered, #1. The result for a name depends on the set of names, and not on their order.
// A name exceeds the limit only if there is no room for its number, or if it has at most three characters, which stay.
//
// columns returns the width of a character; nil means one column each.
func Distinct(names []string, limit int, columns func(rune) int) []string {
	s := shortener{names: names, limit: max(limit, 1), columns: columns}
	s.dots = s.width([]rune(ellipsis))
	longest := 0
	for _, name := range names {
		longest = max(longest, utf8.RuneCountInString(name))
	}
	for tail := 0; tail < min(s.limit, longest); tail++ {
		if short := s.each(func(name []rune) string { return s.cut(name, tail) }); len(repeatedNames(short)) == 0 {
			return short
		}
	}
	return s.number(s.makeDistinct(s.each(func(name []rune) string { return s.cut(name, 0) })))
}

// makeDistinct makes equal short names distinct: they lose their common beginning, and then as little of the
// rest as possible.
func (s *shortener) makeDistinct(short []string) []string {
	alike := make(map[string][]int)
	for _, i := range repeatedNames(short) {
		if !s.fits(s.names[i]) {
			alike[short[i]] = append(alike[short[i]], i)
		}
	}
	for _, same := range slices.Sorted(maps.Keys(alike)) {
		s.shortenGroup(short, alike[same])
	}
	return short
}

// shortenGroup makes the short names of a group distinct, which are all equal so far. group has the indices of
// the names.
func (s *shortener) shortenGroup(short []string, group []int) {
	begin := s.commonWords(group)
	for tail := range s.limit {
		for _, i := range group {
			short[i] = s.withoutBegin([]rune(s.names[i]), begin, tail)
		}
		if same := repeatedNames(short); !slices.ContainsFunc(group, func(i int) bool { return slices.Contains(same, i) }) {
			return
		}
	}
}

// shortener has the arguments of [Distinct].
type shortener struct {
	names   []string
	limit   int
	columns func(rune) int
	dots    int // the width of the ellipsis
}

const ellipsis = "…"

// width returns the number of columns of a name.
func (s *shortener) width(name []rune) int {
	if s.columns == nil {
		return len(name)
	}
	n := 0
	for _, r := range name {
		n += s.columns(r)
	}
	return n
}

// fits reports whether a name stays as it is: it is within the limit, or too short for an ellipsis.
func (s *shortener) fits(name string) bool {
	const shortest = 3
	characters := []rune(name)
	return len(characters) <= shortest || s.width(characters) <= s.limit
}

// each applies shorten to the names that do not fit.
func (s *shortener) each(shorten func(name []rune) string) []string {
	list := make([]string, len(s.names))
	for i, name := range s.names {
		list[i] = name
		if !s.fits(name) {
			list[i] = shorten([]rune(name))
		}
	}
	return list
}

// cut keeps the beginning of a name and tail characters of its end, or a few more if a word or a number begins
// there.
func (s *shortener) cut(name []rune, tail int) string {
	end := name[len(name)-min(tail, len(name)):]
	for s.width(end) > max(s.limit-s.dots, 0) { // only with wide characters
		end = end[1:]
	}
	// An end that does not fit is empty, and has no first digit.
	digit := func(back int) bool { return unicode.IsDigit(name[len(name)-back]) }
	// If the end begins within a number, it takes as many further digits as fit.
	for n := len(end); n > 0 && n < len(name) && digit(n) && digit(n+1); n++ {
		longer := name[len(name)-n-1:]
		if s.width(longer)+s.dots > s.limit {
			break
		}
		end = longer
	}
	if word := name[lastSign(name, len(name)-len(end)):]; tail > 0 && s.width(word) <= s.limit/2 {
		end = word
	}
	return string(s.head(name, s.limit-s.dots-s.width(end))) + ellipsis + string(end)
}

// head returns the longest beginning that takes at most limit columns.
func (s *shortener) head(name []rune, limit int) []rune {
	n := 0
	for n < len(name) && s.width(name[:n+1]) <= limit {
		n++
	}
	return name[:n]
}

// lastSign returns the index of the last separator between words at or before i, otherwise i.
func lastSign(name []rune, i int) int {
	for j := min(i, len(name)-1); j > 0; j-- {
		if isSign(name[j]) {
			return j
		}
	}
	return i
}

func isSign(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !unicode.IsMark(r) }

// commonWords returns the length of the common beginning of the names, in whole words if possible.
func (s *shortener) commonWords(group []int) int {
	first := []rune(s.names[group[0]])
	common := len(first) - 1
	for _, i := range group[1:] {
		name := []rune(s.names[i])
		common = min(commonLength(first[:common], name), len(name)-1)
	}
	for words := common; words > 0; words-- {
		if isSign(first[words-1]) {
			return words
		}
	}
	return common
}

// commonLength returns the number of characters with which both texts begin.
func commonLength(a, b []rune) int {
	n := 0
	for n < min(len(a), len(b)) && a[n] == b[n] {
		n++
	}
	return n
}

// withoutBegin shortens a name: it drops the first begin characters, and keeps tail characters of the end and
// the beginning of what is between.
func (s *shortener) withoutBegin(name []rune, begin, tail int) string {
	if s.limit <= s.dots { // two ellipses do not fit
		return s.cut(name, tail)
	}
	remaining := name[begin:]
	if s.width(remaining) <= s.limit-s.dots {
		return ellipsis + string(remaining)
	}
	inner := *s
	inner.limit = s.limit - s.dots
	return ellipsis + inner.cut(remaining, tail)
}

// number replaces equal short names by a beginning and a number, in alphabetical order of the names.
func (s *shortener) number(short []string) []string {
	same := slices.DeleteFunc(repeatedNames(short), func(i int) bool { return s.fits(s.names[i]) })
	taken := make(map[string]bool, len(short))
	for _, name := range short {
		taken[name] = true
	}
	slices.SortStableFunc(same, func(a, b int) int { return cmp.Compare(s.names[a], s.names[b]) })
	n := 0
	// n rises until "…#n" is a free name.
	for _, i := range same {
		for taken[short[i]] {
			n++
			end := ellipsis + "#" + strconv.Itoa(n)
			short[i] = string(s.head([]rune(s.names[i]), s.limit-s.width([]rune(end)))) + end
		}
		taken[short[i]] = true
	}
	return short
}

// repeatedNames returns the indices of names that occur more than once.
func repeatedNames(names []string) []int {
	count := make(map[string]int, len(names))
	for _, name := range names {
		count[name]++
	}
	var same []int
	for i, name := range names {
		if count[name] > 1 {
			same = append(same, i)
		}
	}
	return same
}

// CommonEnds returns the beginning and the end that all names have, up to a sign such as "-" or ".": of
// raft-1.example and raft-2.example these are "raft-" and ".example". Each name has something between them. Fewer
// than two names have none.
func CommonEnds(names []string) (begin, end string) {
	if len(names) < 2 {
		return "", ""
	}
	first, length := []rune(names[0]), len(names[0])
	backward := func(name []rune) []rune {
		name = slices.Clone(name)
		slices.Reverse(name)
		return name
	}
	head, tail := len(first), len(first)
	for _, name := range names {
		runes := []rune(name)
		head, tail = min(head, commonLength(first, runes)), min(tail, commonLength(backward(first), backward(runes)))
		length = min(length, len(runes))
	}
	for head > 0 && !isSign(first[head-1]) {
		head--
	}
	for tail > 0 && (!isSign(first[len(first)-tail]) || head+tail >= length) {
		tail--
	}
	if head+tail >= length {
		head = 0
	}
	return string(first[:head]), string(first[len(first)-tail:])
}
