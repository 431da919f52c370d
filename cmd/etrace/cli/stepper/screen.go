package stepper

import (
	"strings"

	"github.com/charmbracelet/x/ansi"

	"etrace/tracefmt/text"
)

// look is the appearance of a text, as parameters of the terminal command Select Graphic Rendition (ECMA-48).
// Every colour has a character with the same meaning.
type look string

const (
	plain   look = ""
	bold    look = "1"
	faint   look = "2"
	bar     look = "7"    // reversed: the title and the prompt
	changed look = "1;33" // what the event changed
	broken  look = "1;31" // crashes, losses, violations
	arrow   look = "36"   // messages
)

// colorless returns the look without its colours.
func (l look) colorless() look {
	var kept []string
	for _, parameter := range strings.Split(string(l), ";") {
		// The numbers of colours have two digits; bold, faint and reversed have one.
		if len(parameter) < 2 {
			kept = append(kept, parameter)
		}
	}
	return look(strings.Join(kept, ";"))
}

// gridCell is one column of one line: a character and its look. The text is "" after a wide character.
type gridCell struct {
	text string
	look look
}

// screen is a grid of characters. Text beyond an edge is cut, so no part can overwrite another, and wide characters stay
// aligned.
type screen struct {
	width, height int
	spots         []gridCell
}

// newScreen returns a screen of blanks.
func newScreen(width, height int) *screen {
	width, height = max(width, 0), max(height, 0)
	s := &screen{width: width, height: height, spots: make([]gridCell, width*height)}
	for i := range s.spots {
		s.spots[i].text = " "
	}
	return s
}

// at returns the cell of a column and a line, nil beyond the screen.
func (s *screen) at(x, y int) *gridCell {
	if x < 0 || y < 0 || x >= s.width || y >= s.height {
		return nil
	}
	return &s.spots[y*s.width+x]
}

// put writes a text on line y from column x on, in at most columns columns; … replaces a cut-off rest. It returns the column
// after the text. Control characters become visible, because texts come from traces.
func (s *screen) put(x, y, columns int, l look, text string) int {
	text = fit(text, min(columns, s.width-x))
	for text != "" {
		cluster, width := ansi.FirstGraphemeCluster(text, ansi.WcWidth)
		text = text[len(cluster):]
		for column := x; column < x+width; column++ {
			s.erase(column, y)
			if at := s.at(column, y); at != nil {
				*at = gridCell{look: l} // the second column of a wide character stays empty
			}
		}
		if at := s.at(x, y); at != nil && width > 0 {
			at.text = cluster
		}
		x += width
	}
	return x
}

// erase replaces the character that covers a column by spaces.
func (s *screen) erase(x, y int) {
	if s.at(x, y) == nil {
		return
	}
	for x > 0 && s.at(x, y).text == "" {
		x--
	}
	s.at(x, y).text = " "
	for x++; x < s.width && s.at(x, y).text == ""; x++ {
		s.at(x, y).text = " "
	}
}

// fill writes a sign on the columns from x to end, without end.
func (s *screen) fill(x, end, y int, l look, sign string) {
	for ; x < end; x++ {
		s.put(x, y, 1, l, sign)
	}
}

// String returns the characters of the screen without looks.
func (s *screen) String() string { return s.render(func(look) look { return plain }) }

// render returns the screen as text with the commands for a terminal. shown maps each look to the one to show.
func (s *screen) render(shown func(look) look) string {
	var b strings.Builder
	for y := range s.height {
		if y > 0 {
			b.WriteByte('\n')
		}
		now, line := plain, s.spots[y*s.width:(y+1)*s.width]
		for _, at := range line {
			if l := shown(at.look); l != now {
				b.WriteString("\x1b[0")
				if l != plain {
					b.WriteString(";" + string(l))
				}
				b.WriteByte('m')
				now = l
			}
			b.WriteString(at.text)
		}
		if now != plain {
			b.WriteString("\x1b[0m")
		}
	}
	return b.String()
}

// width returns the number of columns that a text takes.
func width(s string) int { return ansi.StringWidthWc(text.Printable(s)) }

// fit returns the text without control characters, cut to columns columns.
func fit(s string, columns int) string {
	if columns <= 0 {
		return ""
	}
	return ansi.TruncateWc(text.Printable(s), columns, "…")
}

// wrap splits a text at its blanks into at most lines lines. Each has at most columns columns, except the last.
func wrap(s string, columns, lines int) []string {
	var list []string
	line := ""
	for _, word := range strings.Fields(text.Printable(s)) {
		switch {
		case line == "":
			line = word
		case ansi.StringWidthWc(line)+1+ansi.StringWidthWc(word) <= columns || len(list) == lines-1:
			line += " " + word
		default:
			list = append(list, line)
			line = word
		}
	}
	return append(list, line)
}
