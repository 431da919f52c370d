package envelope

import (
	"strings"

	"etrace/tracefmt/text"
)

// colours matches the codes by which programs colour lines on a terminal. They are removed before a line is cut into
// fields, since they would become part of a field.
var colours = text.Pattern("\x1b\\[[0-9;:?]*[A-Za-z]")

// Uncoloured returns the text without such codes.
func Uncoloured(line string) string {
	if strings.IndexByte(line, 0x1b) < 0 {
		return line
	}
	return colours().ReplaceAllString(line, "")
}
