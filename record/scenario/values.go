package scenario

import "strings"

// splitValues splits a list of JSON values, or of names with such values, at the
// commas that are in no text, list or object. An empty text has none.
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
