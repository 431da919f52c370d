package text

import (
	"regexp"
	"sync"
)

// Pattern returns a function that compiles a regular expression at its first call. Compiling the expressions of
// all packages at the start would double the time of a short command.
func Pattern(expression string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(expression) })
}

// IsWordByte reports whether a byte is part of a word in regular expressions: \w.
func IsWordByte(c byte) bool {
	return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9' || c == '_'
}
