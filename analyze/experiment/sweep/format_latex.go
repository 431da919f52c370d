package sweep

import (
	"bufio"
	"fmt"
	"io"
	"strings"
)

var latexFormat = Format{Name: "latex", Doc: "a table for LaTeX, with the package booktabs", Write: writeLaTeX}

func writeLaTeX(w io.Writer, t *Table) error {
	b := bufio.NewWriter(w)
	p := t.page()
	if p.title != "" {
		fmt.Fprintf(b, "%% %s\n", strings.ReplaceAll(p.title, "\n", " "))
	}
	fmt.Fprintf(b, "\\begin{tabular}{%s}\n\\toprule\n", strings.Repeat("r", len(p.head)))
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
	for _, note := range p.notes {
		fmt.Fprintf(b, "%% %s\n", note)
	}
	return b.Flush()
}

var latexEscapes = strings.NewReplacer(
	`\`, `\textbackslash{}`, "{", `\{`, "}", `\}`, "$", `\$`, "&", `\&`, "#", `\#`, "%", `\%`, "_", `\_`,
	"~", `\textasciitilde{}`, "^", `\textasciicircum{}`, "<", `\textless{}`, ">", `\textgreater{}`, "±", `$\pm$`, "≤", `$\le$`, "≥", `$\ge$`, "≠", `$\ne$`,
)
