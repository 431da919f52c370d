package interop

import (
	"bytes"
	"encoding/json"
)

// TextOf returns the text of a JSON value. A string is unquoted, and another value stays as it is.
func TextOf(raw []byte) string {
	if len(raw) < 2 || raw[0] != '"' {
		return string(raw)
	}
	if inner := raw[1 : len(raw)-1]; bytes.IndexByte(inner, '\\') < 0 {
		return string(inner)
	}
	var text string
	if json.Unmarshal(raw, &text) != nil {
		return string(raw)
	}
	return text
}
