package complexity

import (
	"io"

	"etrace/tracefmt/text/document"
)

var markdownFormat = Format{
	Name:  "markdown",
	Doc:   "Markdown tables, for documents",
	Write: func(w io.Writer, r *Report, s Style) error { return r.document(s).WriteMarkdown(w) },
}

var latexFormat = Format{
	Name:  "latex",
	Doc:   "LaTeX tables, for papers: needs \\usepackage{booktabs}",
	Write: func(w io.Writer, r *Report, s Style) error { return r.document(s).WriteLaTeX(w, "needs", "  ") },
}

// document returns the tables of each run below its heading, then those of several runs, and the budgets.
func (r *Report) document(s Style) *document.Document {
	d := &document.Document{}
	for _, run := range r.Runs {
		d.Heading(1, run.heading())
		if run.Assumed != "" && !s.Quiet {
			d.Paragraph("Assumed: " + run.Assumed)
		}
		for _, t := range run.tables() {
			t.Caption = run.heading() + ". " + t.Title
			d.Table(t)
		}
	}
	for _, likes := range spreads(r.Runs) {
		d.Table(likes.table())
	}
	d.List(r.budgetLines(s.Quiet))
	return d
}
