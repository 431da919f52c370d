package report

import (
	"io"

	"etrace/tracefmt/text"
	"etrace/tracefmt/text/document"
)

var markdownFormat = Format{
	Name:  "markdown",
	Doc:   "Markdown, for summaries of continuous integration and for pull requests: a table for each run",
	Write: func(w io.Writer, r *Report, s Style) error { return r.document(s).WriteMarkdown(w) },
}

// document returns the report as tables: all results of a single run, or the violated and open results of
// several runs.
func (r *Report) document(s Style) *document.Document {
	d := &document.Document{}
	d.Heading(1, "etrace check "+text.Some(r.files(), 6))
	table := s
	table.Quiet = s.Quiet || len(r.Runs) > 1
	for _, run := range r.Runs {
		if s.Quiet && outcomes[run.Verdict] < open {
			continue
		}
		d.Heading(2, r.heading(run))
		d.List(run.notes(s))
		r.addTable(d, run, table)
	}
	for _, v := range r.InVain() {
		d.Paragraph(r.title(v) + ": " + v.Why)
	}
	d.Paragraph(missingLines(r.unexaminedSorts())...)
	d.Paragraph(r.sum(Style{})...)
	return d
}

// addTable appends a row for each result, with its explanation below.
func (r *Report) addTable(d *document.Document, run Run, s Style) {
	shown, inapplicable := s.split(run.Results)
	if len(shown) > 0 {
		t := &document.Table{Head: []string{"property", "verdict", ""}, Align: "lll"}
		for _, p := range shown {
			t.Rows = append(t.Rows, document.Row{
				Cells: []string{p.Property.Name, string(p.Verdict), run.detail(p)},
				Below: r.explanation(run, p),
			})
		}
		d.Table(t)
	}
	if len(inapplicable) > 0 {
		d.Paragraph(notApplicable(inapplicable))
	}
	if len(shown) == 0 {
		d.Paragraph(string(run.Verdict))
	}
}
