package sweep

import (
	"bufio"
	"fmt"
	"io"
	"regexp"
	"strings"
)

var latexFormat = Format{
	Name: "latex", Doc: "a table for LaTeX with caption, label and legend, with the package booktabs",
	Write: writeLaTeX, Columns: columnNames, Pivots: true,
}

func writeLaTeX(w io.Writer, t *Table) error {
	b := bufio.NewWriter(w)
	p := t.page()
	fmt.Fprintf(b, "%% Written by etrace; in the preamble: \\usepackage{booktabs}\n\\begin{table}\n\\centering\n\\caption{%s}\n\\label{%s}\n", latexEscapes.Replace(t.caption(p)), t.label(p))
	fmt.Fprintf(b, "\\begin{tabular}{%s}\n\\toprule\n", alignment(p.words))
	line := func(row []string) {
		escaped := make([]string, len(row))
		for i, cell := range row {
			escaped[i] = latexEscapes.Replace(cell)
		}
		fmt.Fprintf(b, "%s \\\\\n", strings.Join(escaped, " & "))
	}
	line(p.head)
	fmt.Fprintln(b, `\midrule`)
	for _, row := range p.rows {
		line(row)
	}
	fmt.Fprintf(b, "\\bottomrule\n\\end{tabular}\n")
	if len(p.legend) > 0 {
		fmt.Fprintf(b, "\n\\medskip\n\\begin{minipage}{\\linewidth}\\footnotesize\n")
		for _, l := range p.legend {
			fmt.Fprintf(b, "%s\\par\n", latexEscapes.Replace(l))
		}
		fmt.Fprintf(b, "\\end{minipage}\n")
	}
	fmt.Fprintf(b, "\\end{table}\n")
	for _, note := range p.notes {
		fmt.Fprintf(b, "%% %s\n", note)
	}
	return b.Flush()
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
