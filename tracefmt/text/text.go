package text

import (
	"fmt"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
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

// Short cuts s to at most that many bytes, never within a character, and says
// by an ellipsis that something is missing.
func Short(s string, most int) string {
	if len(s) <= most {
		return s
	}
	for most > 0 && !utf8.RuneStart(s[most]) {
		most--
	}
	return s[:most] + "…"
}

// longestWord is how many bytes of a foreign word an error repeats, and how
// long a name may be for which the nearest is looked for.
const longestWord = 64

// Quote returns a foreign word as a Go string, cut to a length fit for an
// error.
func Quote(s string) string { return strconv.Quote(Short(s, longestWord)) }

// Counted writes a number with its noun, "1 process" or "2 processes".
func Counted[N int | int64](n N, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprint(n) + " " + many
}
