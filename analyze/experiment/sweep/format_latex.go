package sweep

import (
	"bufio"
	"fmt"
	"io"
	"regexp"
	"strings"
)

var latexFormat = Format{
	Name: "latex", Doc: "a table for LaTeX with caption, label and legend, and one of laws, with the packages booktabs and longtable",
	Write: writeLaTeX, Columns: columnNames, Pivots: true,
}

// mostRows is how many rows fit on a page of LaTeX beside a caption and a legend: a table with more
// is broken across pages.
const mostRows = 35

// latexTable is a table in LaTeX.
type latexTable struct {
	caption, label string
	head           []string
	// words are the columns that have texts.
	words []bool
	// rows are in LaTeX, all else is plain text.
	rows   [][]string
	legend []string
}

func writeLaTeX(w io.Writer, t *Table) error {
	b := bufio.NewWriter(w)
	p := t.page()
	table := latexTable{t.caption(p), t.label(p), p.head, p.words, nil, append(p.legend, t.rankNotes()...)}
	for _, row := range p.rows {
		table.rows = append(table.rows, escaped(row))
	}
	laws := t.lawTable(&table)
	packages := "booktabs"
	if table.long() || laws.long() {
		packages += ",longtable"
	}
	fmt.Fprintf(b, "%% Written by etrace; in the preamble: \\usepackage{%s}\n", packages)
	table.write(b)
	if len(laws.rows) > 0 {
		laws.write(b)
	}
	for _, note := range p.notes {
		fmt.Fprintf(b, "%% %s\n", note)
	}
	return b.Flush()
}

// long reports whether the table is broken across pages.
func (t *latexTable) long() bool { return len(t.rows) > mostRows }

func (t *latexTable) write(b *bufio.Writer) {
	caption := fmt.Sprintf("\\caption{%s}\n\\label{%s}", latexEscapes.Replace(t.caption), t.label)
	head := "\\toprule\n" + strings.Join(escaped(t.head), " & ") + " \\\\\n\\midrule\n"
	if t.long() {
		span := fmt.Sprintf("\\multicolumn{%d}{r}", len(t.words))
		fmt.Fprintf(b, "\\begin{longtable}{%s}\n%s\\\\\n%s\\endfirsthead\n%s\\endhead\n", alignment(t.words), caption, head, head)
		fmt.Fprintf(b, "\\midrule\n%s{continued on the next page}\\\\\n\\endfoot\n\\bottomrule\n\\endlastfoot\n", span)
	} else {
		fmt.Fprintf(b, "\\begin{table}\n\\centering\n%s\n\\begin{tabular}{%s}\n%s", caption, alignment(t.words), head)
	}
	for _, row := range t.rows {
		fmt.Fprintf(b, "%s \\\\\n", strings.Join(row, " & "))
	}
	if t.long() {
		fmt.Fprintf(b, "\\end{longtable}\n")
		t.writeLegend(b)
		return
	}
	fmt.Fprintf(b, "\\bottomrule\n\\end{tabular}\n")
	t.writeLegend(b)
	fmt.Fprintf(b, "\\end{table}\n")
}

func (t *latexTable) writeLegend(b *bufio.Writer) {
	if len(t.legend) == 0 {
		return
	}
	fmt.Fprintf(b, "\n\\medskip\n\\noindent\\begin{minipage}{\\linewidth}\\footnotesize\n")
	for _, l := range t.legend {
		fmt.Fprintf(b, "%s\\par\n", latexEscapes.Replace(l))
	}
	fmt.Fprintf(b, "\\end{minipage}\n")
}

func escaped(row []string) []string {
	cells := make([]string, len(row))
	for i, cell := range row {
		cells[i] = latexEscapes.Replace(cell)
	}
	return cells
}

// alignment is that of the columns: texts on the left, numbers on the right.
func alignment(words []bool) string {
	letters := ""
	for _, w := range words {
		letters += map[bool]string{true: "l", false: "r"}[w]
	}
	return letters
}

// caption says what was measured, and under which conditions.
func (t *Table) caption(p *page) string {
	var names []string
	for _, m := range t.Measures {
		names = append(names, Heading(m))
	}
	words := strings.Join(names, ", ")
	if words != "" && p.title != "" {
		words += ": "
	}
	return words + p.title
}

var notInLabels = regexp.MustCompile(`[^A-Za-z0-9]+`)

// label is one that another table of the same document hardly has.
func (t *Table) label(p *page) string {
	return "tab:" + strings.ToLower(strings.Trim(notInLabels.ReplaceAllString(t.caption(p), "-"), "-"))
}

var latexEscapes = strings.NewReplacer(
	`\`, `\textbackslash{}`, "{", `\{`, "}", `\}`, "$", `\$`, "&", `\&`, "#", `\#`, "%", `\%`, "_", `\_`,
	"~", `\textasciitilde{}`, "^", `\textasciicircum{}`, "<", `\textless{}`, ">", `\textgreater{}`, "±", `$\pm$`, "≤", `$\le$`, "≥", `$\ge$`, "≠", `$\ne$`,
	"²", `\textsuperscript{2}`, "[", "{[}", "]", "{]}",
)
