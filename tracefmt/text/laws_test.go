package text_test

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"

	"etrace/tracefmt/text"
)

// Any text, and texts that are like each other, as names are.
var (
	anyText = rapid.OneOf(rapid.String(), rapid.Map(rapid.SliceOf(rapid.Byte()), func(b []byte) string { return string(b) }),
		rapid.StringOf(rapid.SampledFrom([]rune("ab01-._ é漢…\u0301\n\t|#"))))
	anyTexts = rapid.SliceOfN(anyText, 0, 40)
	anyLimit = rapid.IntRange(-2, 12)
)

// TestLawDistinctAny: whatever the names and the widths of their characters, names that differ stay different, and none
// is wider than it may be, except for a number, and for names of at most three characters.
func TestLawDistinctAny(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		names := rapid.SliceOfNDistinct(anyText, 0, 40, func(s string) string { return strings.ToValidUTF8(s, "\uFFFD") }).Draw(t, "names")
		widths := rapid.SliceOfN(rapid.IntRange(0, 3), 5, 5).Draw(t, "widths")
		columns := func(r rune) int {
			if r == '…' {
				return 1
			}
			return widths[int(r)%len(widths)]
		}
		limit := anyLimit.Draw(t, "most")
		short := text.Distinct(names, limit, columns)
		if len(short) != len(names) {
			t.Fatalf("%d names became %d", len(names), len(short))
		}
		for i, s := range short {
			if at := slices.Index(short, s); at != i {
				t.Errorf("%q and %q are both %q", names[at], names[i], s)
			}
			if s == names[i] && utf8.RuneCountInString(s) <= 3 {
				continue
			}
			width := 0
			for _, r := range s {
				width += columns(r)
			}
			if _, end, cut := strings.Cut(s, "…"); width > max(limit, 1) && !(cut && (strings.Contains(end, "#") || end == "" || end == "…")) {
				t.Errorf("%q became %q, of %d columns, expected at most %d", names[i], s, width, limit)
			}
		}
	})
}

// TestLawTexts: each function turns any text into one harmless text within its limit.
func TestLawTexts(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s, limit := anyText.Draw(t, "s"), anyLimit.Draw(t, "most")
		if p := text.Printable(s); text.Printable(p) != p || strings.ContainsAny(p, "\n\r\t\x1b") {
			t.Errorf("Printable(%q) = %q", s, p)
		}
		if short := text.Short(s, limit); utf8.RuneCountInString(short) > max(limit, 1) {
			t.Errorf("Short(%q, %d) = %q", s, limit, short)
		}
		if word, err := strconv.Unquote(text.Quote(s)); err != nil || utf8.RuneCountInString(word) > 65 {
			t.Errorf("Quote(%q) is %q, %v", s, word, err)
		}
		if first := text.FirstSentence(s); strings.ContainsAny(first, "\n\t") || strings.Contains(first, ". ") {
			t.Errorf("FirstSentence(%q) = %q", s, first)
		}
		for line := range strings.SplitSeq(text.Indent(s, "> "), "\n") {
			if !strings.HasPrefix(line, "> ") {
				t.Errorf("Indent(%q) has the line %q", s, line)
			}
		}
		if _, err := regexp.Compile(s); err != nil && text.PatternMistake(err) == "" {
			t.Errorf("PatternMistake of %q is empty", s)
		}
	})
}

// TestLawLists: a shortened list has the allowed number of elements, and the number of the omitted ones.
func TestLawLists(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		list, limit := anyTexts.Draw(t, "list"), anyLimit.Draw(t, "most")
		before := slices.Clone(list)
		few := text.Few(list, limit)
		if complete := len(list) <= max(limit, 0); complete != slices.Equal(few, list) ||
			!complete && few[len(few)-1] != strconv.Itoa(len(list)-max(limit, 0))+" more" {
			t.Errorf("Few(%q, %d) = %q", list, limit, few)
		}
		for _, said := range []string{text.And(list), text.Or(list), text.Some(list, len(list))} {
			for _, element := range list {
				if !strings.Contains(said, element) {
					t.Errorf("%q lacks %q", said, element)
				}
			}
		}
		text.Some(list, limit)
		if !slices.Equal(list, before) {
			t.Errorf("the list changed from %q to %q", before, list)
		}
	})
}

// TestLawNames: a name that is suggested is a known one, and a known one is found.
func TestLawNames(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		known, name := anyTexts.Draw(t, "known"), anyText.Draw(t, "name")
		if near := text.Nearest(name, known); near != "" && !slices.Contains(known, near) {
			t.Errorf("Nearest(%q, %q) = %q", name, known, near)
		}
		if meant := text.Misspelt(name, known); meant != "" && (meant == name || !slices.Contains(known, meant)) {
			t.Errorf("Misspelt(%q, %q) = %q", name, known, meant)
		}
		if said := text.Unknown("thing", name, known).Error(); !strings.Contains(said, text.Quote(name)) {
			t.Errorf("%q does not say %q", said, name)
		}
		var r text.Registry[fruit]
		for _, k := range known {
			longer, err := r.With(fruit{name: k})
			if refused := k == "" || k == "stone" || r.Has(k); (err != nil) != refused {
				t.Errorf("With(%q): %v beside %q", k, err, r.Names())
			}
			r = longer
		}
		if !slices.IsSorted(r.Names()) {
			t.Errorf("%q are not in order", r.Names())
		}
		_, found := r.Get(name)
		_, err := r.Lookup(name)
		_, replaced := r.Replacing(fruit{name: name})
		if found != slices.Contains(r.Names(), name) || found != (err == nil) || found != (replaced == nil) || found != r.Has(name) {
			t.Errorf("%q among %q: found %v, %v, %v", name, r.Names(), found, err, replaced)
		}
	})
}
