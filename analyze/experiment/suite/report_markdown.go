package suite

import (
	"io"
	"strings"

	"etrace/tracefmt/text/document"
)

var markdownFormat = Format{
	Name:  "markdown",
	Doc:   "Markdown tables, for documents",
	Write: func(w io.Writer, r *Report, s Style) error { return r.document(s).WriteMarkdown(w) },
}

// document returns a table for each suite, followed by the notes on its cases.
func (r *Report) document(s Style) *document.Document {
	d := &document.Document{}
	for _, suite := range r.Suites {
		d.Heading(1, suite.title())
		for paragraph := range strings.SplitSeq(strings.TrimSpace(suite.Suite.Description), "\n\n") {
			d.Paragraph(line(paragraph))
		}
		t := &document.Table{
			Head:  []string{"case", "measure", "measured", "expected", "published", "status"},
			Align: "llrrrl",
		}
		var notes []string
		for _, g := range suite.groups(s.All) {
			c := g.cases[0]
			if s.Quiet && c.Status == OK {
				continue
			}
			g.addTo(t)
			if c.showsNote(s) {
				notes = append(notes, line(c.Case.Name)+": "+line(c.Case.Note))
			}
		}
		d.Table(t)
		d.List(notes)
	}
	d.Paragraph(summary(r))
	return d
}

// addTo appends the rows of a group: one row for several cases that are ok, one for each value of a single
// case.
func (g *group) addTo(t *document.Table) {
	c := g.cases[0]
	switch {
	case len(g.cases) > 1:
		t.Add(g.title, g.summary(), "", "", "", string(c.Status))
		return
	case c.Err != nil:
		t.Add(g.title, line(c.Err.Error()), "", "", "", string(c.Status))
	}
	title := g.title
	for _, cell := range c.Cells {
		t.Add(
			title, line(cell.Measure), line(string(cell.Measured)), line(string(cell.Expected)),
			line(string(cell.Published)), string(cell.Status),
		)
		title = ""
	}
}
