package tracefmt

import (
	"fmt"
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

// Counted writes a number with its noun, "1 process" or "2 processes".
func Counted[N int | int64](n N, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprint(n) + " " + many
}
