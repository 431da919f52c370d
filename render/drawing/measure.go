package drawing

import (
	"strings"
	"unicode"
)

// Family lists the fonts of all text, bold text, too; the first installed font is used. Verdana and DejaVu
// Sans have the same widths, and nearly every machine has one of them. The other fonts are narrower.
const Family = "Verdana,DejaVu Sans,Arial,Helvetica,Liberation Sans,sans-serif"

// plainWidths and boldWidths have the widths of the printable ASCII characters, in thousandths of the font size,
// rounded up. Each is the greatest width in DejaVu Sans, Liberation Sans (as wide as Arial) and FreeSans (as wide as
// Helvetica). A test compares them with these fonts where they are installed.
var (
	plainWidths = [...]uint16{
		318, 401, 460, 838, 637, 951, 780, 275, 391, 391, 500, 838, 318, 361, 318, 337,
		637, 637, 637, 637, 637, 637, 637, 637, 637, 637, 337, 337, 838, 838, 838, 557,
		1016, 685, 687, 723, 771, 667, 611, 778, 752, 295, 528, 674, 563, 863, 749, 788,
		667, 788, 723, 667, 632, 732, 685, 989, 686, 678, 686, 391, 337, 391, 838, 557,
		500, 613, 635, 550, 635, 616, 353, 635, 634, 278, 278, 580, 278, 975, 634, 612,
		635, 635, 412, 521, 393, 634, 592, 818, 592, 592, 525, 637, 337, 637, 838,
	}
	boldWidths = [...]uint16{
		349, 457, 521, 838, 696, 1002, 873, 307, 458, 458, 523, 838, 380, 416, 380, 366,
		696, 696, 696, 696, 696, 696, 696, 696, 696, 696, 400, 400, 838, 838, 838, 611,
		1000, 774, 763, 734, 831, 684, 684, 821, 837, 373, 572, 775, 638, 996, 837, 851,
		733, 851, 771, 721, 683, 813, 774, 1104, 771, 725, 726, 458, 366, 458, 838, 557,
		500, 675, 716, 593, 716, 679, 436, 716, 712, 343, 343, 666, 343, 1042, 712, 688,
		716, 716, 494, 596, 479, 712, 652, 924, 646, 652, 583, 712, 366, 712, 838,
	}
)

// The widths of other characters: each is the width of a wide character of its kind.
const (
	latinWidth  = 860  // Ö, in bold
	scriptWidth = 1000 // of Greek, Cyrillic, Hebrew
	signWidth   = 1100 // arrows, operators, ideographs
)

// air is the factor by which a text may be wider than in the fonts of the table.
const air = 1.1

// TextWidth returns the greatest width of the text, in points, in any font of [Family].
func (s *Style) TextWidth(text string) float64 {
	widths := &plainWidths
	if s.Bold {
		widths = &boldWidths
	}
	sum := 0
	for _, r := range text {
		switch {
		case r >= ' ' && r <= '~':
			sum += int(widths[r-' '])
		case unicode.Is(unicode.Mn, r): // accents take no room of their own
		case r < 0x250:
			sum += latinWidth
		case r < 0x2000:
			sum += scriptWidth
		default:
			sum += signWidth
		}
	}
	return float64(sum) / 1000 * s.Size * air
}

// Wrap splits the text at its spaces into lines that fit the width.
func (s *Style) Wrap(text string, width float64) []string {
	var lines []string
	line := ""
	for _, word := range words(text) {
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

// words splits the text at its spaces. It does not split large numbers, such as "1 234 572".
func words(text string) []string {
	var list []string
	for _, word := range strings.Fields(text) {
		if n := len(list); n > 0 && endsNumber(list[n-1]) && isGroup(word) {
			list[n-1] += " " + word
			continue
		}
		list = append(list, word)
	}
	return list
}

// isGroup reports whether a word begins with exactly three digits.
func isGroup(word string) bool {
	tail := strings.TrimLeft(word, "0123456789")
	return len(word)-len(tail) == 3
}

// endsNumber reports whether a word consists of digits, in groups or not.
func endsNumber(word string) bool { return strings.Trim(word, "0123456789 ") == "" }

// Fit cuts the text down to the width; an ellipsis replaces the rest.
func (s *Style) Fit(text string, width float64) string {
	if s.TextWidth(text) <= width {
		return text
	}
	runes := []rune(text)
	for len(runes) > 1 && s.TextWidth(string(runes)+"…") > width {
		runes = runes[:len(runes)-1]
	}
	return string(runes) + "…"
}
