package text

import (
	"cmp"
	"maps"
	"slices"
	"strconv"
	"unicode"
	"unicode/utf8"
)

// Distinct shortens names to at most that many columns each, as the names of
// the processes of a run that stand beside each other, so that they stay
// distinct: election-service-0 and election-service-1 become election-serv…-0
// and election-serv…-1. Names that fit stay as they are. A longer one loses its
// end, as by [Short], if that leaves all of them distinct, else its middle, or
// what it and those like it begin with, so that what differs stays; where nothing
// of this helps they are numbered, #1. What becomes of a name depends on the
// names, not on their order. Only numbers for which there is no room make a name
// wider.
//
// columns says how many columns a character takes; nil is for one each.
func Distinct(names []string, most int, columns func(rune) int) []string {
	s := shortener{names: names, most: max(most, 1), columns: columns}
	s.dots = s.width([]rune(ellipsis))
	longest := 0
	for _, name := range names {
		longest = max(longest, utf8.RuneCountInString(name))
	}
	for tail := 0; tail < min(s.most, longest); tail++ {
		if short := s.each(func(name []rune) string { return s.cut(name, tail) }); len(repeated(short)) == 0 {
			return short
		}
	}
	return s.number(s.apart(s.each(func(name []rune) string { return s.cut(name, 0) })))
}

// apart makes those names differ that are the same so far: they lose what they all
// begin with, and then as little of the rest as leaves them distinct.
func (s *shortener) apart(short []string) []string {
	alike := make(map[string][]int)
	for _, i := range repeated(short) {
		if !s.fits(s.names[i]) {
			alike[short[i]] = append(alike[short[i]], i)
		}
	}
	for _, same := range slices.Sorted(maps.Keys(alike)) {
		s.part(short, alike[same])
	}
	return short
}

// part is apart for names that are all the same so far.
func (s *shortener) part(short []string, group []int) {
	begin := s.commonWords(group)
	for tail := range s.most {
		for _, i := range group {
			short[i] = s.withoutBegin([]rune(s.names[i]), begin, tail)
		}
		if same := repeated(short); !slices.ContainsFunc(group, func(i int) bool { return slices.Contains(same, i) }) {
			return
		}
	}
}

type shortener struct {
	names   []string
	most    int
	columns func(rune) int
	dots    int // the width of the ellipsis
}

const ellipsis = "…"

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

func (s *shortener) fits(name string) bool { return s.width([]rune(name)) <= s.most }

// each shortens the names that do not fit.
func (s *shortener) each(shorten func(name []rune) string) []string {
	list := make([]string, len(s.names))
	for i, name := range s.names {
		if list[i] = name; !s.fits(name) {
			list[i] = shorten([]rune(name))
		}
	}
	return list
}

// cut leaves the beginning of a name, and so many characters of its end, or a
// few more where a word or a number of it begins.
func (s *shortener) cut(name []rune, tail int) string {
	end := name[len(name)-min(tail, len(name)):]
	for s.width(end) > max(s.most-s.dots, 0) { // wide characters
		end = end[1:]
	}
	// An end that fits nowhere is empty: there is no digit to begin with.
	digit := func(back int) bool { return unicode.IsDigit(name[len(name)-back]) }
	for n := len(end); n > 0 && n < len(name) && digit(n) && digit(n+1) && s.width(name[len(name)-n-1:])+s.dots <= s.most; n++ {
		end = name[len(name)-n-1:]
	}
	if word := name[lastSign(name, len(name)-len(end)):]; tail > 0 && s.width(word) <= s.most/2 {
		end = word
	}
	return string(s.head(name, s.most-s.dots-s.width(end))) + ellipsis + string(end)
}

// head is as much of the beginning as takes at most that many columns.
func (s *shortener) head(name []rune, most int) []rune {
	n := 0
	for n < len(name) && s.width(name[:n+1]) <= most {
		n++
	}
	return name[:n]
}

// lastSign is the index of the last sign between words at or before i, or i.
func lastSign(name []rune, i int) int {
	for j := min(i, len(name)-1); j > 0; j-- {
		if isSign(name[j]) {
			return j
		}
	}
	return i
}

func isSign(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !unicode.IsMark(r) }

// commonWords is how many characters those names begin with that are the same:
// whole words, if they end in the same place.
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

func commonLength(a, b []rune) int {
	n := 0
	for n < min(len(a), len(b)) && a[n] == b[n] {
		n++
	}
	return n
}

// withoutBegin leaves what follows the first characters, or its beginning and so
// many characters of its end.
func (s *shortener) withoutBegin(name []rune, begin, tail int) string {
	if s.most <= s.dots { // two ellipses have no room
		return s.cut(name, tail)
	}
	rest := name[begin:]
	if s.width(rest) <= s.most-s.dots {
		return ellipsis + string(rest)
	}
	inner := *s
	inner.most = s.most - s.dots
	return ellipsis + inner.cut(rest, tail)
}

// number replaces the names that are the same by their beginning and a number,
// which follows from the order of the alphabet.
func (s *shortener) number(short []string) []string {
	same := slices.DeleteFunc(repeated(short), func(i int) bool { return s.fits(s.names[i]) })
	taken := make(map[string]bool, len(short))
	for _, name := range short {
		taken[name] = true
	}
	slices.SortStableFunc(same, func(a, b int) int { return cmp.Compare(s.names[a], s.names[b]) })
	n := 0
	for _, i := range same { // all of them are taken
		for taken[short[i]] {
			n++
			end := ellipsis + "#" + strconv.Itoa(n)
			short[i] = string(s.head([]rune(s.names[i]), s.most-s.width([]rune(end)))) + end
		}
		taken[short[i]] = true
	}
	return short
}

// repeated are the indices of the names that are there more than once.
func repeated(names []string) []int {
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
