package mapping

import (
	"regexp"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"etrace/fixtures/size"
)

// matchedExpressions are expressions of heads, messages and ready maps.
func matchedExpressions() (sources []string) {
	for _, m := range Ready().All() {
		for line := range strings.Lines(m.Text) {
			for _, part := range strings.Split(line, "/") {
				sources = append(sources, part)
			}
			for _, part := range strings.Split(line, "'") {
				sources = append(sources, part)
			}
		}
	}
	return append(
		sources,
		`^(?<time>\d{4}-\d\d-\d\d \d\d:\d\d:\d\d(?:[.,]\d+)?(?:Z|[+-]\d\d:\d\d))\s+`+
			`(?<level>[A-Za-z]+)\b:?\s+\[(?<node>[\w.@-]*\w(?::\d+)?)\]:?\s+(?<msg>.*)$`,
		`^(?<msg>.*?)\s*(?<rest>\{".*\})?(?:\s*\[\])*$`,
		`(?<msg>.*?)(?<rest>(?:\s+[A-Za-z_][\w.-]*=(?:"[^"]*"|[^\s"]+))*)$`,
		`^(?<a>[A-Za-z][\w.-]*\d)\b\s+(?<b>.*)$`,
		`a*ab*?b`, `(a|ab)(c|bcd)(d*)`, `\b\d{2,3}\b`, `x*`, `(?:a|b)+c`, `[^ ]+é.`, `\Bn(\d)?`, `(a*)(a|b)*?$`,
	)
}

// TestMatcher: a matcher finds what package regexp finds, at the same places.
func TestMatcher(t *testing.T) {
	var patterns []*pattern
	for _, source := range matchedExpressions() {
		if _, err := regexp.Compile(source); source == "" || err != nil {
			continue
		}
		p, err := newPattern(newSlots(), source)
		if err == nil && p.matcher != nil {
			patterns = append(patterns, p)
		}
	}
	if len(patterns) < 200 {
		t.Fatalf("%d expressions have a matcher, expected most", len(patterns))
	}
	lines := []string{
		"2026-03-04 10:00:00,123 INFO  [n1] raft.Node - became leader in term 3", "n1.raft: x=1 y=\"a b\" é {\"k\":1} []",
		"aaabbb abcd  12 123 n7", "INFO newRaft 1 [peers: [1,2], term: 4, commit: 5]", "", "ééé n2\tx\n",
	}
	texts := rapid.Custom(func(t *rapid.T) string {
		line := rapid.SampledFrom(lines).Draw(t, "line")
		for range rapid.IntRange(0, 4).Draw(t, "changes") {
			at := rapid.IntRange(0, len(line)).Draw(t, "at")
			word := rapid.SampledFrom([]string{"", " ", "a", "b", "1", "é", "=", ":", "[", "]", `"`, "term", "\n"}).Draw(t, "word")
			end := min(len(line), at+rapid.IntRange(0, 3).Draw(t, "cut"))
			line = strings.ToValidUTF8(line[:at]+word+line[end:], "")
		}
		return line
	})
	size.Check(t, 2_000, 10_000, 500_000, func(t *rapid.T) {
		p := rapid.SampledFrom(patterns).Draw(t, "pattern")
		text := texts.Draw(t, "text")
		got := p.find(&attempt{text: text})
		if want := p.re.FindStringSubmatchIndex(text); !slices.Equal(got, want) {
			t.Fatalf("%s in %q: %v, want %v", p.re, text, got, want)
		}
	})
}

// TestMatcherGivesUp: a text that takes many steps is left to package regexp, with the same result.
func TestMatcherGivesUp(t *testing.T) {
	p, err := newPattern(newSlots(), `^[a-c]*[a-d]*[a-e]*[a-f]*x`)
	if err != nil {
		t.Fatal(err)
	}
	a := &attempt{text: strings.Repeat("a", 500) + "y"}
	if found, decided := p.matcher.match(a); found || decided {
		t.Errorf("found %v, decided %v after %d steps", found, decided, a.left)
	}
	if got := p.find(a); got != nil {
		t.Errorf("found %v", got)
	}
}
