package tracefmt

import (
	"encoding/json"
	"io"
)

// WriteJSON writes one value for programs: indented, and with <, > and & as
// they are. docs/json.md describes the formats.
func WriteJSON(w io.Writer, v any) error {
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	return enc.Encode(v)
}
