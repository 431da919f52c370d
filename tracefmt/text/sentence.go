package text

import (
	"fmt"
	"slices"
	"strings"
)

// Counted writes a number with its noun, "1 process" or "2 processes".
func Counted[N int | int64](n N, singular, plural string) string {
	if n == 1 {
		return "1 " + singular
	}
	return fmt.Sprint(n) + " " + plural
}

// And writes a list as "a, b and c".
func And(list []string) string { return enumerated(list, " and ") }

// Or writes a list as "a, b or c".
func Or(list []string) string { return enumerated(list, " or ") }

// enumerated writes a list with commas, and last before its last element.
func enumerated(list []string, last string) string {
	n := len(list) - 1
	if n < 1 {
		return strings.Join(list, "")
	}
	return strings.Join(list[:n], ", ") + last + list[n]
}

// Some writes at most limit elements of a list, and the number of the others: "a, b and 3 more". A list within
// the limit is "a, b, c".
func Some(list []string, limit int) string {
	if len(list) <= max(limit, 0) {
		return strings.Join(list, ", ")
	}
	return And(Few(list, limit))
}

// Few returns at most limit elements of a list and, as its last element, the number of the others.
func Few(list []string, limit int) []string {
	limit = max(limit, 0)
	if len(list) <= limit {
		return list
	}
	return append(slices.Clip(list[:limit]), fmt.Sprintf("%d more", len(list)-limit))
}

// FirstSentence returns the first sentence of a documentation, on one line and
// without its full stop.
func FirstSentence(doc string) string {
	first, _, _ := strings.Cut(doc, "\n\n")
	first, _, _ = strings.Cut(strings.Join(strings.Fields(first), " "), ". ")
	return strings.TrimSuffix(first, ".")
}

// Indent puts prefix before each line of s.
func Indent(s, prefix string) string { return prefix + strings.ReplaceAll(s, "\n", "\n"+prefix) }
