package sweep

import (
	"io"
	"regexp"
	"strings"

	"etrace/tracefmt/text/document"
)

var latexFormat = Format{
	Name: "latex", Doc: "a table for LaTeX with caption, label and legend, and one of laws, with the packages booktabs and longtable",
	Write: writeLaTeX, Columns: columnNames, Pivots: true,
}

func writeLaTeX(w io.Writer, t *Table) error {
	p := t.page()
	table := p.table
	table.Title, table.Label, table.Notes = t.caption(p), t.label(p), append(p.legend, t.rankNotes()...)
	d := &document.Document{}
	d.Table(&table)
	if laws := t.lawTable(&table); laws.Rows != nil {
		d.Table(laws)
	}
	d.Paragraph(p.notes...)
	return d.WriteLaTeX(w, "in the preamble:", "")
}

// caption names the measures and the conditions of the table.
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

// label is derived from the caption, so other tables of a document have other labels.
func (t *Table) label(p *page) string {
	return "tab:" + strings.ToLower(strings.Trim(notInLabels.ReplaceAllString(t.caption(p), "-"), "-"))
}
