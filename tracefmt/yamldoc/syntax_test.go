package yamldoc

import (
	"cmp"
	"fmt"
	"strings"
	"testing"
)

// TestSyntaxMistakes: the mistakes that people make in YAML have a place, and an
// answer in the words of etrace.
func TestSyntaxMistakes(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"ids: 1\n\tstart: 1\n", "f:2:1: " + wantsSpaces},
		{"\tids: 1\n", "f:1:4: " + wantsSpaces},
		{
			"ids: 1\n  start: 1\n",
			`f:1:6: unexpected key inside a value, expected the keys of one level in one column, and quotes around a text that has ": " in it`,
		},
		{"  ids: 1\nstart: 1\n", "f:2:1: unexpected text or indentation, expected the keys of one level, or the - of one list, in one column"},
		{"drop:\n  - a\n - b\n", "f:3:2: unexpected text or indentation, expected the keys of one level, or the - of one list, in one column"},
		{"ids: \"1\" 2\n", "f:1:10: unexpected text after a value, expected the next key on a line of its own"},
		{"ids 1\nstart: 1\n", "f:1:1: " + wantsKey},
		{"ids:1\nstart: 1\n", "f:1:1: " + wantsKey},
		{"ids: 1\nstart 1\n", "f:2:1: " + wantsKey},
		{"drop: - a\n", "f:1:7: unexpected - after a key, expected each entry of a list on a line of its own, or [A, B]"},
		{"drop: [a\nids: 1\n", "f:2:1: expected , or ] in a list"},
		{"drop: [a, b\n", "f:1:7: a list that is not closed, expected ]"},
		{"params: {a: 1\n", "f:1:9: a brace that is not closed, expected }"},
		{"params: {a\nids: 1\n", "f:1:10: expected KEY: VALUE between braces"},
		{"ids: ]\n", "f:1:6: unexpected ] without [, expected a value"},
		{"name: \"a\n", `f:1:7: a text that is not closed, expected "`},
		{"name: 'a\n", "f:1:7: a text that is not closed, expected '"},
		{"name: @a\n", "f:1:7: expected quotes around a text that begins with @ or `"},
		{"name: &a\n", "f:1:7: expected quotes around a text that begins with &"},
		{"ids: 1\nids: 2\n", `f:2:1: the key "ids" is there twice, expected once; the first is in line 1`},
		{"ids: 1\n---\nids: 2\n", "f:1:1: expected one YAML document with keys such as ids"},
	} {
		_, err := Parse("f", []byte(c.text), "ids")
		if err == nil || err.Error() != c.want {
			t.Errorf("%q:\n got %v\nwant %s", c.text, err, c.want)
		}
	}
}

// TestInvalidByte: the place is that of the first byte that is not UTF-8; the replacement character is a character.
func TestInvalidByte(t *testing.T) {
	if got := firstInvalid([]byte("a: \uFFFD\nb: \xff")); got != "2:4" {
		t.Errorf("%s, want 2:4", got)
	}
}

// TestParserLimits: the parser takes time in proportion to the square of the keys of one mapping, and of the documents; and
// memory for each word.
func TestParserLimits(t *testing.T) {
	keys := func(n int, indent string) string {
		var b strings.Builder
		for i := range n {
			fmt.Fprintf(&b, "%sk%d: 1 # a comment\n# another one\n", indent, i)
		}
		return b.String()
	}
	for name, c := range map[string]struct{ text, want string }{
		"keys":             {keys(mostKeys, ""), ""},
		"a key more":       {keys(mostKeys+1, ""), "f:20001:1: too many keys, expected at most 10000 in one mapping"},
		"an inner mapping": {"a:\n" + keys(mostKeys+1, "  "), "f:20002:3: too many keys, expected at most 10000 in one mapping"},
		"three mappings":   {strings.Repeat("- \n"+keys(mostKeys/2, "  "), 3), ""},
		"list":             {strings.Repeat("- a\n", mostKeys+1), ""},
		"levels":           {"a: " + strings.Repeat("[", 100), "f:1:103: nested too deep, expected at most 100 levels of lists and mappings"},
		// A list entry is a sign and a word.
		"a long list":   {strings.Repeat("- a\n", mostTokens/2), ""},
		"a longer list": {strings.Repeat("- a\n", mostTokens/2+1), "f:250001:3: too long, expected at most 500000 words and signs"},
		"a long line":   {"[" + strings.Repeat("1,", mostTokens/2) + "]", "f: too long, expected at most 500000 words and signs"},
		"one document":  {"---\na: 1\n...\n", ""},
		"documents":     {strings.Repeat("a: 1\n---\n", 100_000), "f:1:1: expected one YAML document with keys such as ids"},
	} {
		if _, err := Parse("f", []byte(c.text), "ids"); fmt.Sprint(err) != cmp.Or(c.want, "<nil>") {
			t.Errorf("%s:\n got %v\nwant %s", name, err, c.want)
		}
	}
}
