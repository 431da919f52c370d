package mapping

import (
	"strings"

	"etrace/tracefmt/text"
)

// colours are the codes by which programs colour their lines on a terminal. They hide the first
// field of a line, and the ends of values, so that they are taken out before a line is cut.
var colours = text.Pattern("\x1b\\[[0-9;:?]*[A-Za-z]")

// uncoloured is a text without such codes.
func uncoloured(line string) string {
	if strings.IndexByte(line, 0x1b) < 0 {
		return line
	}
	return colours().ReplaceAllString(line, "")
}
