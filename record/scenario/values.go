package scenario

import "strings"

// splitValues splits a list of JSON values, possibly with names, at the commas outside texts, lists and objects.
// An empty text has no values.
func splitValues(list string) (parts []string) {
	if list == "" {
		return nil
	}
	depth, quoted, from := 0, false, 0
	for i := 0; i < len(list); i++ {
		// An escaped character within quotes cannot end them.
		switch c := list[i]; {
		case quoted && c == '\\':
			i++
		case c == '"':
			quoted = !quoted
		case quoted:
		case c == '[' || c == '{':
			depth++
		case c == ']' || c == '}':
			depth--
		case c == ',' && depth == 0:
			parts = append(parts, strings.TrimSpace(list[from:i]))
			from = i + 1
		}
	}
	return append(parts, strings.TrimSpace(list[from:]))
}
