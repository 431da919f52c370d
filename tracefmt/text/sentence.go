package text

import (
	"fmt"
	"slices"
	"strings"
)

// Counted writes a number with its noun, "1 process" or "2 processes".
func Counted[N int | int64](n N, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprint(n) + " " + many
}

// And writes a list as "a, b and c".
func And(list []string) string { return enumerated(list, " and ") }

// Or writes a list as "a, b or c".
func Or(list []string) string { return enumerated(list, " or ") }

func enumerated(list []string, last string) string {
	n := len(list) - 1
	if n < 1 {
		return strings.Join(list, "")
	}
	return strings.Join(list[:n], ", ") + last + list[n]
}

// Some writes at most that many of a list, and how many it leaves out:
// "a, b and 3 more". A list that is not too long is "a, b, c".
func Some(list []string, most int) string {
	if len(list) <= max(most, 0) {
		return strings.Join(list, ", ")
	}
	return And(Few(list, most))
}

// Few returns at most that many of a list and, as its last element, how many it leaves out.
func Few(list []string, most int) []string {
	if most = max(most, 0); len(list) <= most {
		return list
	}
	return append(slices.Clip(list[:most]), fmt.Sprintf("%d more", len(list)-most))
}

// FirstSentence returns the first sentence of a documentation, on one line and
// without its full stop.
func FirstSentence(doc string) string {
	first, _, _ := strings.Cut(doc, "\n\n")
	first, _, _ = strings.Cut(strings.Join(strings.Fields(first), " "), ". ")
	return strings.TrimSuffix(first, ".")
}

// Indent puts by before each line of s.
func Indent(s, by string) string { return by + strings.ReplaceAll(s, "\n", "\n"+by) }
