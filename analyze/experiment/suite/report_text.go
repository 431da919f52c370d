package suite

import (
	"bufio"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"etrace/analyze/experiment/trial"
	"etrace/tracefmt/text"
)

var textFormat = Format{
	Name:  "text",
	Doc:   "aligned tables, for people",
	Write: writeText,
}

// colors of the statuses on a terminal (ECMA-48).
var colors = map[Status]string{OK: "32", Explained: "33", Failed: "31;1"}

// writeText writes each suite, and a line with the totals.
func writeText(w io.Writer, r *Report, s Style) error {
	b := bufio.NewWriter(w)
	for i, suite := range r.Suites {
		if i > 0 {
			fmt.Fprintln(b)
		}
		writeSuite(b, suite, s)
	}
	if len(r.Suites) > 0 {
		fmt.Fprintln(b)
	}
	fmt.Fprintln(b, summary(r))
	return b.Flush()
}

// summary returns a line with the totals.
func summary(r *Report) string {
	cases, values := r.count()
	return fmt.Sprintf(
		"%s, %s, %s: %d ok, %d explained, %d failed", text.Counted(len(r.Suites), "suite", "suites"),
		text.Counted(cases.total(), "case", "cases"),
		text.Counted(values.total(), "value", "values"),
		values[OK], values[Explained], values[Failed],
	)
}

// writeSuite writes a line for each group of cases, and the values of cases that are not ok.
func writeSuite(w io.Writer, suite *FileReport, s Style) {
	fmt.Fprintln(w, suite.title())
	groups := suite.groups(s.All)
	width := 0
	for _, g := range groups {
		width = max(width, utf8.RuneCountInString(g.title))
	}
	for i, g := range groups {
		c := g.cases[0]
		if s.Quiet && c.Status == OK {
			continue
		}
		about := ""
		if c.Status == OK && !s.All {
			about = "  " + g.summary()
		}
		fmt.Fprintf(w, "  %s  %s%s\n", pad(g.title, width), paint(c.Status, s.Color, about != ""), about)
		switch {
		case c.Err != nil:
			fmt.Fprintf(w, "    error: %s\n", line(c.Err.Error()))
		case c.Status != OK || s.All:
			writeCells(w, c, s)
		}
		// If the next case has the same note, the note follows that case.
		if c.showsNote(s) && (i+1 == len(groups) || !groups[i+1].cases[0].showsNote(s) ||
			groups[i+1].cases[0].Case.Note != c.Case.Note) {
			fmt.Fprintf(w, "    note: %s\n", line(c.Case.Note))
		}
	}
}

// showsNote reports whether the report shows the note of a case.
func (r *CaseReport) showsNote(s Style) bool { return r.Case.Note != "" && (r.Status != OK || s.All) }

// summary summarizes a group that is ok: its size, and the measured values that a source also has.
func (g *group) summary() string {
	if len(g.cases) == 1 {
		return g.single()
	}
	words := []string{text.Counted(len(g.cases), "case", "cases"), text.Counted(g.values, "value", "values")}
	for i, cell := range g.cases[0].Cells {
		if cell.Published != "" {
			words = append(words, line(cell.Measure)+" "+g.series(i)+" as published")
		}
	}
	return strings.Join(words, ", ")
}

// single lists the values of a single case.
func (g *group) single() string {
	var words []string
	const limit = 6
	cells := g.cases[0].Cells
	for i, cell := range cells {
		if i == limit {
			words = append(words, fmt.Sprintf("%d more", len(cells)-limit))
			break
		}
		word := line(cell.Measure) + " " + line(string(cell.Measured))
		if cell.Published != "" {
			word += " as published"
		}
		words = append(words, word)
	}
	return strings.Join(words, ", ")
}

// series lists the i-th measured value of all cases. It omits the middle of a long list.
func (g *group) series(i int) string {
	const limit = 5
	var values []string
	for j, c := range g.cases {
		switch {
		case len(g.cases) <= limit || j < limit-2 || j == len(g.cases)-1:
			values = append(values, line(string(c.Cells[i].Measured)))
		case j == limit-2:
			values = append(values, "...")
		}
	}
	return strings.Join(values, " ")
}

// writeCells writes the values of a case. It omits values that are ok, unless the style has All.
func writeCells(w io.Writer, c *CaseReport, s Style) {
	rows := [][]string{{"measure", "measured", "expected", "published", "status"}}
	var shown []Cell
	for _, cell := range c.Cells {
		if cell.Status != OK || s.All {
			rows = append(
				rows,
				[]string{
					line(cell.Measure), shownValue(cell.Measured), shownValue(cell.Expected),
					shownValue(cell.Published), string(cell.Status),
				},
			)
			shown = append(shown, cell)
		}
	}
	widths := make([]int, len(rows[0]))
	for _, row := range rows {
		for i, text := range row {
			widths[i] = max(widths[i], utf8.RuneCountInString(text))
		}
	}
	for i, row := range rows {
		last := len(row) - 1
		fmt.Fprint(w, "    ")
		for j, text := range row[:last] {
			fmt.Fprint(w, pad(text, widths[j])+"  ")
		}
		if i == 0 {
			fmt.Fprintln(w, row[last])
			continue
		}
		fmt.Fprintln(w, paint(shown[i-1].Status, s.Color, false))
		if detail := shown[i-1].Detail; detail != "" {
			fmt.Fprintf(w, "      %s\n", line(detail))
		}
	}
}

// shownValue returns a value, or a dash for a missing one.
func shownValue(v trial.Value) string {
	if v == "" {
		return "-"
	}
	return line(string(v))
}

func pad(text string, width int) string {
	return text + strings.Repeat(" ", max(0, width-utf8.RuneCountInString(text)))
}

// paint returns a status, padded to the longest status if more text follows.
func paint(s Status, color, more bool) string {
	text, blank := string(s), ""
	if more {
		blank = strings.Repeat(" ", len(Explained)-len(s))
	}
	if color {
		text = "\x1b[" + colors[s] + "m" + text + "\x1b[0m"
	}
	return text + blank
}
