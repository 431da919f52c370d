package yamldoc

import (
	"regexp"
	"strings"
)

const (
	wantsSpaces = "found a tab, expected spaces"
	wantsKey    = "unexpected text, expected KEY: VALUE, with a blank after the colon"
	wantsQuotes = "expected quotes around a text that begins with "
)

// syntaxMessages are the frequent mistakes in YAML: a part of the parser's message, and our message. The first
// match applies.
var syntaxMessages = []struct{ theirs, ours string }{
	{"'\t'", wantsSpaces},
	{"tab character", wantsSpaces},
	{"value is not allowed in this context. map", "unexpected text after a value, expected the next key on a line of its own"},
	{
		"mapping value is not allowed",
		`unexpected key inside a value, expected the keys of one level in one column, and quotes around a text that has ": " in it`,
	},
	{
		"value is not allowed in this context",
		"unexpected text or indentation, expected the keys of one level, or the - of one list, in one column",
	},
	{"unexpected key name", wantsKey},
	{"non-map value", wantsKey},
	{"block sequence entries", "unexpected - after a key, expected each entry of a list on a line of its own, or [A, B]"},
	{"',' or ']'", "expected , or ] in a list"},
	{"',' or '}'", "expected , or } between braces"},
	{"token ']' not found", "a list that is not closed, expected ]"},
	{"end token '}'", "a brace that is not closed, expected }"},
	{"flow map content", "expected KEY: VALUE between braces"},
	{"expected sequence element", "unexpected , expected an entry of the list before it"},
	{"could not find '['", "unexpected ] without [, expected a value"},
	{"could not find '{'", "unexpected } without {, expected a value"},
	{"end character of double-quoted", `a text that is not closed, expected "`},
	{"end character of single-quoted", "a text that is not closed, expected '"},
	{"reserved character", wantsQuotes + "@ or `"},
	{"unexpected directive", wantsQuotes + "%"},
	{"anchor", wantsQuotes + "&"},
	{"alias", wantsQuotes + "*"},
	{"unknown escape", `unexpected sign after \, expected \\ or single quotes around the text`},
	{"invalid header", "unexpected text after | or >, expected it on the lines below"},
}

// keyAgain matches the parser's message for a repeated key.
var keyAgain = regexp.MustCompile(`mapping key (".*") already defined at \[([0-9]+):[0-9]+\]`)

// syntaxMessage translates a message of the YAML parser.
func syntaxMessage(theirs string) string {
	if m := keyAgain.FindStringSubmatch(theirs); m != nil {
		return "the key " + m[1] + " is there twice, expected once; the first is in line " + m[2]
	}
	for _, m := range syntaxMessages {
		if strings.Contains(theirs, m.theirs) {
			return m.ours
		}
	}
	return "expected YAML: " + theirs
}
