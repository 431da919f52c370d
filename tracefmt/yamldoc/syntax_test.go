package yamldoc

import "testing"

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
