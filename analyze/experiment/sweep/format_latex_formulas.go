package sweep

import (
	"fmt"
	"regexp"
	"strings"

	"etrace/analyze/closedform"
	"etrace/tracefmt/text"
	"etrace/tracefmt/text/document"
)

// formulaTable returns a table with a row for each fitted and each given formula; further lines about them are
// its notes.
func (t *Table) formulaTable(base *document.Table) *document.Table {
	table := &document.Table{
		Title: "Formulas of " + base.Title, Label: base.Label + "-laws",
		Head: []string{"of", "formula", "for", "known"}, Align: "lmll",
	}
	add := func(name string, lines []string, rows [][]string) {
		for _, row := range rows {
			table.Add(append([]string{name}, row...)...)
		}
		for _, line := range lines {
			table.Notes = append(table.Notes, name+": "+strings.TrimSpace(line))
		}
	}
	for _, f := range t.ClosedForms {
		name := f.Sequence.String()
		rows, lines := formulaRows(f.Result), f.Result.Lines(name)[1:]
		if f.Result.Diagonal != nil {
			// The diagonal has its own row.
			lines = nil
		}
		add(name, lines, rows)
	}
	for _, c := range t.Formulas {
		name := c.Sequence.String()
		add(name, c.Comparison.Lines(name)[1:], [][]string{{
			mathematics(c.Comparison.Formula) + " (given)", "",
			resultText(c.Comparison),
		}})
	}
	return table
}

// formulaRows returns the rows of a fitted formula: the formula, its sizes, and how it is known.
func formulaRows(l *closedform.Result) [][]string {
	switch best := bestFit(l); {
	case l.Exact != nil && len(l.Exact.Exceptions) == 0:
		evidence := "exactly"
		if l.OfSample {
			evidence = "in a sample"
		}
		rows := [][]string{{mathematics(l.Exact.Formula.String()), l.Exact.Domain, evidence}}
		if d := l.Diagonal; d != nil {
			rows = append(rows, []string{mathematics(d.Formula.String()), d.Domain, evidence})
		}
		return rows
	case best != nil:
		return [][]string{{"about " + mathematics(best.Text), l.Fits.From, "fitted"}}
	}
	return [][]string{{"none", l.Domain, l.Lines("")[0][len(": "):]}}
}

// bestFit returns the closest fit, nil if all are refuted.
func bestFit(l *closedform.Result) *closedform.Fit {
	if l.Fits == nil || l.Fits.Refuted() {
		return nil
	}
	return &l.Fits.Best[0]
}

// resultText returns the result of a comparison: "holds at 6 points".
func resultText(c *closedform.Comparison) string {
	points := text.Counted(len(c.Points), "point", "points")
	switch misses := len(c.Misses()); {
	case c.Holds:
		return "holds at " + points
	case misses > 0:
		return fmt.Sprintf("does not hold at %d of %s", misses, points)
	}
	return "not decided: " + c.Reason
}

// latexMathematics translate the notation of formulas into that of LaTeX, one after the other.
var latexMathematics = []struct {
	pattern     *regexp.Regexp
	replacement string
}{
	{regexp.MustCompile(`[\\{}$&#~]`), ""}, // these never occur in formulas
	{regexp.MustCompile(`([A-Za-z]\w+)\b([^(\w]|$)`), `\mathit{$1}$2`},
	{regexp.MustCompile(`_`), `\_`},
	{regexp.MustCompile(`\^(floor|ceil)\(log2\(([^()]*)\)\)`), `^{$1(log2($2))}`},
	{regexp.MustCompile(`floor\(log2\(([^()]*)\)\)`), `\lfloor\log_2 $1\rfloor`},
	{regexp.MustCompile(`ceil\(log2\(([^()]*)\)\)`), `\lceil\log_2 $1\rceil`},
	{regexp.MustCompile(`log2\(`), `\log_2(`},
	{regexp.MustCompile(`\*\*`), `^`},
	{regexp.MustCompile(`\^(\d\d+)`), `^{$1}`},
	{regexp.MustCompile(`\*(\d)`), `\cdot $1`},
	{regexp.MustCompile(`\*`), `\,`},
	{regexp.MustCompile(` % `), `\bmod `},
	{regexp.MustCompile(`%`), `\%`},
}

// mathematics returns a formula in the notation of LaTeX.
func mathematics(formula string) string {
	for _, m := range latexMathematics {
		formula = m.pattern.ReplaceAllString(formula, m.replacement)
	}
	return "$" + formula + "$"
}
