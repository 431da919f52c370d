package drawing

import (
	"strings"
	"unicode"
)

// helvetica has the widths of the printable ASCII characters, in thousandths
// of the font size; Arial has the same.
var helvetica = [...]uint16{
	278, 278, 355, 556, 556, 889, 667, 191, 333, 333, 389, 584, 278, 333, 278, 278,
	556, 556, 556, 556, 556, 556, 556, 556, 556, 556, 278, 278, 584, 584, 584, 556,
	1015, 667, 667, 722, 722, 667, 611, 778, 722, 278, 500, 667, 556, 833, 722, 778,
	667, 778, 722, 667, 611, 722, 667, 944, 667, 667, 611, 278, 278, 278, 469, 556,
	333, 556, 556, 500, 556, 556, 278, 556, 556, 222, 222, 500, 222, 833, 556, 556,
	556, 556, 333, 500, 278, 556, 500, 722, 500, 500, 500, 334, 260, 334, 584,
}

// TextWidth estimates how wide the text is in the style: as Helvetica for
// ASCII, on the safe side for everything else.
func (s *Style) TextWidth(text string) float64 {
	sum := 0
	for _, r := range text {
		switch {
		case r >= ' ' && r <= '~':
			sum += int(helvetica[r-' '])
		case unicode.Is(unicode.Mn, r):
		case r >= 0x1100:
			sum += 1000
		default:
			sum += 700
		}
	}
	width := float64(sum) / 1000 * s.Size
	if s.Bold {
		width *= 1.08
	}
	return width
}

// Wrap splits the text at its spaces into lines that fit the width.
func (s *Style) Wrap(text string, width float64) []string {
	var lines []string
	line := ""
	for _, word := range strings.Fields(text) {
		switch {
		case line == "":
			line = word
		case s.TextWidth(line+" "+word) <= width:
			line += " " + word
		default:
			lines = append(lines, line)
			line = word
		}
	}
	if line != "" {
		lines = append(lines, line)
	}
	return lines
}

// Fit cuts the text down to the width, and says so with an ellipsis.
func (s *Style) Fit(text string, width float64) string {
	runes := []rune(text)
	for len(runes) > 1 && s.TextWidth(string(runes)+"…") > width {
		runes = runes[:len(runes)-1]
	}
	return string(runes) + "…"
}
