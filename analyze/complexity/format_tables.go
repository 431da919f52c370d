package complexity

import (
	"bufio"
	"fmt"
	"io"
	"slices"
	"strings"

	"etrace/tracefmt/text"
)

var markdownFormat = Format{
	Name:  "markdown",
	Doc:   "Markdown tables, for documents",
	Write: writeMarkdown,
}

func writeMarkdown(w io.Writer, r *Report, s Style) error {
	b := bufio.NewWriter(w)
	for i, run := range r.Runs {
		if i > 0 {
			fmt.Fprintln(b)
		}
		fmt.Fprintf(b, "# %s\n", text.Markdown(run.heading()))
		if run.Assumed != "" && !s.Quiet {
			fmt.Fprintf(b, "\nAssumed: %s\n", text.Markdown(run.Assumed))
		}
		for _, t := range run.tables() {
			t.markdown(b)
		}
	}
	for _, likes := range spreads(r.Runs) {
		t := likes.table()
		t.markdown(b)
	}
	for i, line := range r.budgetLines(s.Quiet) {
		if i == 0 {
			fmt.Fprintln(b)
		}
		fmt.Fprintf(b, "- %s\n", text.Markdown(line))
	}
	return b.Flush()
}

func (t *table) markdown(w io.Writer) {
	fmt.Fprintf(w, "\n## %s\n\n%s", text.Markdown(t.title), text.MarkdownHead(t.heads, slices.Repeat([]bool{true}, t.words)))
	for _, row := range t.rows {
		fmt.Fprint(w, text.MarkdownRow(row))
	}
}

var latexFormat = Format{
	Name:  "latex",
	Doc:   "LaTeX tables, for papers: needs \\usepackage{booktabs}",
	Write: writeLaTeX,
}

func writeLaTeX(w io.Writer, r *Report, s Style) error {
	b := bufio.NewWriter(w)
	fmt.Fprintln(b, "% Written by etrace; needs \\usepackage{booktabs}")
	for _, run := range r.Runs {
		if run.Assumed != "" && !s.Quiet {
			fmt.Fprintf(b, "%% run %d, assumed: %s\n", run.Run, text.Printable(run.Assumed))
		}
		for _, t := range run.tables() {
			t.latex(b, run.heading()+". "+t.title)
		}
	}
	for _, likes := range spreads(r.Runs) {
		t := likes.table()
		t.latex(b, t.title)
	}
	for _, line := range r.budgetLines(s.Quiet) {
		fmt.Fprintf(b, "%% %s\n", line)
	}
	return b.Flush()
}

func (t *table) latex(w io.Writer, caption string) {
	fmt.Fprintf(w, "\\begin{table}\n  \\centering\n  \\caption{%s}\n", latex(caption))
	fmt.Fprintf(w, "  \\begin{tabular}{%s%s}\n    \\toprule\n", strings.Repeat("l", t.words), strings.Repeat("r", len(t.heads)-t.words))
	t.latexRow(w, t.heads)
	fmt.Fprintln(w, "    \\midrule")
	for _, row := range t.rows {
		t.latexRow(w, row)
	}
	fmt.Fprint(w, "    \\bottomrule\n  \\end{tabular}\n\\end{table}\n")
}

func (t *table) latexRow(w io.Writer, cells []string) {
	escaped := make([]string, len(cells))
	for i, cell := range cells {
		escaped[i] = latex(cell)
	}
	fmt.Fprintf(w, "    %s \\\\\n", strings.Join(escaped, " & "))
}

// latex is text as LaTeX shows it, whatever is in it.
func latex(s string) string { return latexEscapes.Replace(text.Printable(s)) }

// latexEscapes: each of these means something else in LaTeX, < and > in some of its fonts.
var latexEscapes = strings.NewReplacer(
	`\`, `\textbackslash{}`, `{`, `\{`, `}`, `\}`, `$`, `\$`, `&`, `\&`, `#`, `\#`, `_`, `\_`, `%`, `\%`,
	`^`, `\textasciicircum{}`, `~`, `\textasciitilde{}`, `<`, `\textless{}`, `>`, `\textgreater{}`, `|`, `\textbar{}`, `"`, `''`,
	`[`, `{[}`, `]`, `{]}`, "`", "\\textasciigrave{}", `--`, `-{}-`,
)
