package text

import (
	"regexp"
	"sync"
)

// Pattern returns a regular expression that is compiled by the first call. Compiled at the start of every command, the
// expressions of all packages would take as long as the rest of a short one.
func Pattern(expression string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(expression) })
}
