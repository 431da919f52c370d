package mapping

import (
	"iter"
	"strings"

	"etrace/tracefmt/interop"
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

// plainLines yields the lines of the file at hand without codes of colours, and notes how many
// had some.
func plainLines(r *interop.Reading) iter.Seq2[int, string] {
	return func(yield func(int, string) bool) {
		coloured := 0
		for n, line := range r.Lines() {
			plain := uncoloured(line)
			if len(plain) < len(line) {
				coloured++
			}
			if !yield(n, plain) {
				break
			}
		}
		if coloured > 0 {
			r.Note("codes of colours for a terminal are left out of %s of %s", text.Counted(coloured, "line", "lines"), r.Name())
		}
	}
}
