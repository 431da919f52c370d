package text

import (
	"errors"
	"fmt"
	"regexp/syntax"
	"strconv"
	"strings"
	"unicode"
)

// Printable makes text of any origin harmless for terminals and pictures. It escapes control characters, format
// characters such as changes of the writing direction, and bytes that are not UTF-8 as \u.
func Printable(s string) string {
	if !strings.ContainsFunc(s, isHidden) {
		return s
	}
	var b strings.Builder
	for _, r := range s {
		switch {
		case !isHidden(r):
			b.WriteRune(r)
		case r > 0xffff:
			fmt.Fprintf(&b, `\U%08x`, r)
		default:
			fmt.Fprintf(&b, `\u%04x`, r)
		}
	}
	return b.String()
}

// isHidden reports whether a character is invisible or changes how the text around it is shown.
func isHidden(r rune) bool {
	return r == unicode.ReplacementChar || !unicode.IsGraphic(r) || unicode.Is(unicode.Zl, r) || unicode.Is(unicode.Zp, r)
}

// Short returns at most limit characters of s; the last character of a shortened text is an ellipsis. It counts
// characters instead of bytes, so that the limit is the same in all scripts.
func Short(s string, limit int) string {
	limit = max(limit, 0)
	if len(s) <= limit {
		return s
	}
	end, n := 0, 0
	for i := range s {
		switch n {
		case limit - 1:
			end = i
		case limit:
			return s[:end] + "…"
		}
		n++
	}
	return s
}

// longestWord is the limit for the characters of a foreign word in an error, and for names with a suggestion.
const longestWord = 65

// Quote returns a foreign word as a Go string, shortened for an error.
func Quote(s string) string { return strconv.Quote(Short(s, longestWord)) }

// PatternMistake describes an error of package regexp in a few words.
func PatternMistake(err error) string {
	var mistake *syntax.Error
	if errors.As(err, &mistake) {
		return fmt.Sprintf("%v in %s", mistake.Code, Quote(mistake.Expr))
	}
	return err.Error()
}

// InFile returns an error with the name of the file that it is about in front, unless the error begins with it.
func InFile(name string, err error) error {
	if strings.HasPrefix(err.Error(), name+": ") {
		return err
	}
	return fmt.Errorf("%s: %w", name, err)
}
