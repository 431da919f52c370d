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
