package shiviz

import (
	"fmt"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// TestLineEnds: how many line ends a match can hold follows from the regex.
func TestLineEnds(t *testing.T) {
	for expr, want := range map[string]int{
		`(?m)^(?<host>\S+) (?<clock>\{.*\})\n(?<event>.*)$`: 1,
		`(?m)` + defaultParser:                              1,
		`a\n\nb`:                                            2,
		`(a\nb|c\n\n\nd)\n`:                                 4,
		`(\n.*){2,5}`:                                       5,
		`(\n\n)?x`:                                          2,
		`(?s)a.b`:                                           1,
		`[^}]x[^\n]*`:                                       1,
		`a+[b-z]*`:                                          0,
		`a\s*b`:                                             anyLines,
		`[^}]+`:                                             anyLines,
		`(?s:.*)`:                                           anyLines,
		`(\n){3,}`:                                          anyLines,
		`\Aabc`:                                             anyLines,
		`abc\z`:                                             anyLines,
		`(x|(y|\s*))`:                                       anyLines,
	} {
		if got := newFinder(regexp.MustCompile(expr)).lines; got != want {
			t.Errorf("%s: %d, want %d", expr, got, want)
		}
	}
}

// TestWindows: in windows of any size a regex finds what it finds in the whole
// text, also where matches are empty, reach from one window into the next or
// follow each other without a gap.
func TestWindows(t *testing.T) {
	regexes := []string{
		`(?m)^(\S+) (\{.*\})\n(.*)$`, `(?m)(.*)\n(\S*) (\{.*\})`, `a\n?b`, `(?m)^`, `(?m)$`, `\n`, `.*`, `.*\n`,
		`.*\n.*`, `(?m)^.*\n`, `\b`, `\B`,
		`(a|a\n\nb)`, `(b\n){1,3}`, `(?m)^a?$`, `\n*`, `a(?s:.)b`, `(?m)^(a\n)?b$`, `[^b]`, `(\na?)?`, `a\s*b`,
		`\Aa`, `b\z`, `(?i)A`, `(?:a {1})?b`, `(a {1})b|a`, `=== (.*) ===`,
	}
	rapid.Check(t, func(t *rapid.T) {
		re := regexp.MustCompile(rapid.SampledFrom(regexes).Draw(t, "regex"))
		pieces := rapid.SliceOfN(rapid.SampledFrom([]string{"a", "b", "\n", "\n", "a {1}", "é", " "}), 0, 60)
		text := strings.Join(pieces.Draw(t, "text"), "")
		f := newFinder(re)
		f.size = rapid.IntRange(1, 20).Draw(t, "size")
		var got [][]int
		f.each(text, func(m []int) { got = append(got, m) })
		if diff := cmp.Diff(re.FindAllStringSubmatchIndex(text, -1), got); diff != "" {
			t.Fatalf("%s in %q, windows of %d bytes (-whole +windows):\n%s", re, text, f.size, diff)
		}
	})
}

// BenchmarkFinder matches a log of 20,000 events; "x-whole" is how much faster
// it is than the regex in the whole text.
func BenchmarkFinder(b *testing.B) {
	var log strings.Builder
	for i := range 20_000 {
		fmt.Fprintf(&log, "host%d {\"host%d\":%d, \"host0\":%d, \"host1\":%d}\nsome event or other\n", i%8, i%8, i, i/2, i/3)
	}
	for _, form := range knownForms[:3] {
		b.Run(form.name, func(b *testing.B) {
			re := regexp.MustCompile("(?m)" + form.regex)
			f := newFinder(re)
			complete := time.Duration(0)
			for b.Loop() {
				b.StopTimer()
				began := time.Now()
				n := len(re.FindAllStringSubmatchIndex(log.String(), -1))
				complete += time.Since(began)
				b.StartTimer()
				f.each(log.String(), func([]int) { n-- })
				if n != 0 {
					b.Fatal("not the same matches")
				}
			}
			b.SetBytes(int64(log.Len()))
			b.ReportMetric(float64(complete)/float64(b.Elapsed()), "x-whole")
		})
	}
}
