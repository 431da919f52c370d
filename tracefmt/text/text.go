package text

import (
	"errors"
	"fmt"
	"regexp/syntax"
	"strconv"
	"strings"
	"unicode"
)

// Printable makes text of any origin harmless for terminals and pictures:
// control characters, format characters such as changes of the direction of
// writing, and bytes that are not UTF-8 are written out as \u escapes.
func Printable(s string) string {
	if !strings.ContainsFunc(s, hidden) {
		return s
	}
	var b strings.Builder
	for _, r := range s {
		switch {
		case !hidden(r):
			b.WriteRune(r)
		case r > 0xffff:
			fmt.Fprintf(&b, `\U%08x`, r)
		default:
			fmt.Fprintf(&b, `\u%04x`, r)
		}
	}
	return b.String()
}

func hidden(r rune) bool {
	return r == unicode.ReplacementChar || !unicode.IsGraphic(r) || unicode.Is(unicode.Zl, r) || unicode.Is(unicode.Zp, r)
}

// Short returns at most that many characters of s: of a longer text the last of
// them is an ellipsis. It counts characters and not bytes, so that a name is as
// long in one script as in another.
func Short(s string, most int) string {
	if most = max(most, 0); len(s) <= most {
		return s
	}
	end, n := 0, 0
	for i := range s {
		switch n {
		case most - 1:
			end = i
		case most:
			return s[:end] + "…"
		}
		n++
	}
	return s
}

// longestWord is how many characters of a foreign word an error repeats, and
// how long a name may be for which the nearest is looked for.
const longestWord = 65

// Quote returns a foreign word as a Go string, cut to a length fit for an
// error.
func Quote(s string) string { return strconv.Quote(Short(s, longestWord)) }

// PatternMistake says in a few words what is wrong with a regular expression, of
// an error of package regexp.
func PatternMistake(err error) string {
	var mistake *syntax.Error
	if errors.As(err, &mistake) {
		return fmt.Sprintf("%v in %s", mistake.Code, Quote(mistake.Expr))
	}
	return err.Error()
}
