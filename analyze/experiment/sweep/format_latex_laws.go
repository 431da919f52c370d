package sweep

import (
	"fmt"
	"regexp"
	"strings"

	"etrace/analyze/law"
	"etrace/tracefmt/text"
)

// lawTable has a row for each law and each formula. What else there is to say of them is its legend.
func (t *Table) lawTable(of *latexTable) *latexTable {
	table := &latexTable{
		caption: "Laws of " + of.caption, label: of.label + "-laws",
		head: []string{"of", "law", "for", "known"}, words: []bool{true, true, true, true},
	}
	add := func(name string, lines []string, rows [][]string) {
		for _, row := range rows {
			table.rows = append(table.rows, append([]string{latexEscapes.Replace(name)}, row...))
		}
		for _, line := range lines {
			table.legend = append(table.legend, name+": "+strings.TrimSpace(line))
		}
	}
	for _, f := range t.Laws {
		name := f.Sequence.String()
		rows, lines := lawRows(f.Law), f.Law.Lines(name)[1:]
		if f.Law.Diagonal != nil {
			lines = nil // it has a row
		}
		add(name, lines, rows)
	}
	for _, c := range t.Formulas {
		name := c.Sequence.String()
		add(name, c.Comparison.Lines(name)[1:], [][]string{{mathematics(c.Comparison.Formula) + " (given)", "", latexEscapes.Replace(standing(c.Comparison))}})
	}
	return table
}

// lawRows are the rows of a law: what it says, for which sizes, and how that is known.
func lawRows(l *law.Law) [][]string {
	row := func(formula string, words ...string) []string { return append([]string{formula}, escaped(words)...) }
	switch best := bestFit(l); {
	case l.Exact != nil && len(l.Exact.Exceptions) == 0:
		how := "exactly"
		if l.OfSample {
			how = "in a sample"
		}
		rows := [][]string{row(mathematics(l.Exact.Formula.String()), l.Exact.Domain, how)}
		if d := l.Diagonal; d != nil {
			rows = append(rows, row(mathematics(d.Formula.String()), d.Domain, how))
		}
		return rows
	case best != nil:
		return [][]string{row("about "+mathematics(best.Text), l.Fits.From, "fitted")}
	}
	return [][]string{row("none", l.Domain, l.Lines("")[0][len(": "):])}
}

// bestFit is the fit that is nearest, nil where all are refuted or there is none.
func bestFit(l *law.Law) *law.Fit {
	if l.Fits == nil || l.Fits.Refuted() {
		return nil
	}
	return &l.Fits.Best[0]
}

// standing says how a formula stands.
func standing(c *law.Comparison) string {
	points := text.Counted(len(c.Points), "point", "points")
	switch misses := len(c.Misses()); {
	case c.Holds:
		return "holds at " + points
	case misses > 0:
		return fmt.Sprintf("does not hold at %d of %s", misses, points)
	}
	return "not decided: " + c.Reason
}

// latexMathematics are what the language of formulas writes otherwise than mathematics does.
var latexMathematics = []struct {
	pattern *regexp.Regexp
	with    string
}{
	{regexp.MustCompile(`[\\{}$&#~]`), ""}, // no formula has them
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

// mathematics writes a formula as LaTeX does.
func mathematics(formula string) string {
	for _, m := range latexMathematics {
		formula = m.pattern.ReplaceAllString(formula, m.with)
	}
	return "$" + formula + "$"
}
