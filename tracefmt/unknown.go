package tracefmt

import (
	"fmt"
	"strconv"
	"strings"
)

// longest is how many bytes of a foreign word an error repeats, and how long
// a name may be for which the nearest is looked for.
const longest = 64

// quote returns the word, cut to a length fit for an error, as a Go string.
func quote(s string) string { return strconv.Quote(shorten(s)) }

func shorten(s string) string {
	if len(s) <= longest {
		return s
	}
	return strings.ToValidUTF8(s[:longest], "") + "…"
}

// Unknown is the error for a name that a registry does not have: it suggests
// the nearest name, and lists all of them when there are few.
func Unknown(what, name string, known []string) error {
	near, best := "", len(name)/2+1
	for _, k := range known {
		if len(name) > longest {
			break
		}
		if d := distance(strings.ToLower(name), strings.ToLower(k)); d < best {
			near, best = k, d
		}
	}
	hint := ""
	if near != "" {
		hint = fmt.Sprintf(", did you mean %q?", near)
	}
	if len(known) <= 20 {
		hint += " (known: " + strings.Join(known, ", ") + ")"
	}
	return fmt.Errorf("unknown %s %s%s", what, quote(name), hint)
}

// distance is the edit distance of Levenshtein, over bytes.
func distance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			cost := diagonal
			if a[i] != b[j] {
				cost++
			}
			diagonal = row[j+1]
			row[j+1] = min(cost, row[j]+1, row[j+1]+1)
		}
	}
	return row[len(b)]
}
