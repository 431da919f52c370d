package document

import (
	"bufio"
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"

	"etrace/tracefmt/text"
)

// mostRows is the number of rows that fit on a page with caption and notes; longer tables are broken across
// pages.
const mostRows = 35

// latexEscapes replaces characters with a meaning in LaTeX, or with another glyph in its default font.
var latexEscapes = strings.NewReplacer(
	`\`, `\textbackslash{}`, "{", `\{`, "}", `\}`, "$", `\$`, "&", `\&`, "#", `\#`, "%", `\%`, "_", `\_`,
	"~", `\textasciitilde{}`, "^", `\textasciicircum{}`, "<", `\textless{}`, ">", `\textgreater{}`, "|", `\textbar{}`, `"`, "''",
	"[", "{[}", "]", "{]}", "`", `\textasciigrave{}`, "--", "-{}-",
	"±", `$\pm$`, "≤", `$\le$`, "≥", `$\ge$`, "≠", `$\ne$`, "²", `\textsuperscript{2}`,
)

// latexText returns text as LaTeX shows it, whatever is in it.
func latexText(s string) string { return latexEscapes.Replace(text.Printable(s)) }

// WriteLaTeX writes the tables of the document as LaTeX, and paragraphs and lists as comments. It omits
// headings, since captions replace them. The first line names the packages after the words of preamble. Lines
// within an environment are indented.
func (d *Document) WriteLaTeX(w io.Writer, preamble, indent string) error {
	b := bufio.NewWriter(w)
	packages := "booktabs"
	if slices.ContainsFunc(d.blocks, func(block block) bool { return block.table != nil && block.table.long() }) {
		packages += ",longtable"
	}
	fmt.Fprintf(b, "%% Written by etrace; %s \\usepackage{%s}\n", preamble, packages)
	for _, block := range d.blocks {
		switch {
		case block.table != nil:
			block.table.latex(b, indent)
		case block.level == 0 && block.list == nil:
			fmt.Fprintf(b, "%% %s\n", text.Printable(block.line))
		}
		for _, item := range block.list {
			fmt.Fprintf(b, "%% %s\n", text.Printable(item))
		}
	}
	return b.Flush()
}

// long reports whether the table is broken across pages.
func (t *Table) long() bool { return len(t.Rows) > mostRows }

// latex writes the table as a LaTeX environment: table, or longtable for a long one.
func (t *Table) latex(b *bufio.Writer, indent string) {
	line := func(depth int, words ...string) {
		fmt.Fprintln(b, strings.Repeat(indent, depth)+strings.Join(words, ""))
	}
	var columns string
	for i := range t.Head {
		if t.align(i) == 'r' {
			columns += "r"
		} else {
			columns += "l"
		}
	}
	caption := []string{`\caption{` + latexText(cmp.Or(t.Caption, t.Title)) + "}"}
	if t.Label != "" {
		caption = append(caption, `\label{`+t.Label+"}")
	}
	head := func() {
		line(2, `\toprule`)
		line(2, t.latexRow(t.Head, false))
		line(2, `\midrule`)
	}
	if t.long() {
		line(0, `\begin{longtable}{`, columns, "}")
		line(1, strings.Join(caption, "\n"+indent), `\\`)
		head()
		line(1, `\endfirsthead`)
		head()
		line(1, `\endhead`)
		line(2, `\midrule`)
		line(2, `\multicolumn{`, fmt.Sprint(len(t.Head)), `}{r}{continued on the next page}\\`)
		line(1, `\endfoot`)
		line(2, `\bottomrule`)
		line(1, `\endlastfoot`)
	} else {
		line(0, `\begin{table}`)
		line(1, `\centering`)
		line(1, strings.Join(caption, "\n"+indent))
		line(1, `\begin{tabular}{`, columns, "}")
		head()
	}
	for _, row := range t.Rows {
		line(2, t.latexRow(row.Cells, true))
	}
	if t.long() {
		line(0, `\end{longtable}`)
		t.latexNotes(b)
		return
	}
	line(2, `\bottomrule`)
	line(1, `\end{tabular}`)
	t.latexNotes(b)
	line(0, `\end{table}`)
}

// latexRow returns cells in a line. Cells of a row may already be LaTeX, by the letter of their column.
func (t *Table) latexRow(cells []string, row bool) string {
	escaped := make([]string, len(cells))
	for i, cell := range cells {
		escaped[i] = cell
		if !row || t.align(i) != 'm' {
			escaped[i] = latexText(cell)
		}
	}
	return strings.Join(escaped, " & ") + ` \\`
}

// latexNotes writes the notes below the table.
func (t *Table) latexNotes(b *bufio.Writer) {
	if len(t.Notes) == 0 {
		return
	}
	fmt.Fprintf(b, "\n\\medskip\n\\noindent\\begin{minipage}{\\linewidth}\\footnotesize\n")
	for _, note := range t.Notes {
		fmt.Fprintf(b, "%s\\par\n", latexText(note))
	}
	fmt.Fprintf(b, "\\end{minipage}\n")
}
