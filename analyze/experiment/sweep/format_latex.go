package sweep

import (
	"cmp"
	"io"
	"regexp"
	"slices"
	"strings"

	"etrace/tracefmt/text/document"
)

var latexFormat = Format{
	Name: "latex", Doc: "a table for LaTeX with caption, label and legend, and one of formulas, with the packages booktabs and longtable",
	Write: writeLaTeX, Columns: columnNames, Pivots: true,
}

// writeLaTeX writes the table, and a second one with the formulas.
func writeLaTeX(w io.Writer, t *Table) error {
	p := t.page()
	table := p.table
	table.Title, table.Label = cmp.Or(t.Layout.Title, t.caption(p)), cmp.Or(t.Layout.Label, t.label(p))
	table.Notes = append(p.legend, t.rankNotes()...)
	if t.Layout.Columns == nil && t.Layout.Pivot == "" && dropRedundant(&table) {
		table.Notes = append(table.Notes, "Where a measure has one column, its least and greatest value equal the mean.")
	}
	d := &document.Document{}
	d.Table(&table)
	if formulas := t.formulaTable(&table); formulas.Rows != nil {
		d.Table(formulas)
	}
	d.Paragraph(p.notes...)
	return d.WriteLaTeX(w, "in the preamble:", "")
}

// dropRedundant drops the columns min and max of each measure whose mean equals both in all rows. It reports whether
// it dropped any.
func dropRedundant(t *document.Table) bool {
	var dropped []int
	for mean := 0; mean+2 < len(t.Head); mean++ {
		// The columns min and max follow that of the mean.
		exact := func(r document.Row) bool {
			return len(r.Cells) > mean+2 && r.Cells[mean] == r.Cells[mean+1] && r.Cells[mean] == r.Cells[mean+2]
		}
		if t.Head[mean+1] == Min && t.Head[mean+2] == Max &&
			!slices.ContainsFunc(t.Rows, func(r document.Row) bool { return !exact(r) }) {
			dropped = append(dropped, mean+1, mean+2)
		}
	}
	if dropped == nil {
		return false
	}
	remaining := func(cells []string) (list []string) {
		for i, cell := range cells {
			if !slices.Contains(dropped, i) {
				list = append(list, cell)
			}
		}
		return list
	}
	t.Head, t.Align = remaining(t.Head), strings.Join(remaining(strings.Split(t.Align, "")), "")
	rows := t.Rows
	t.Rows = nil
	for _, r := range rows {
		t.Rows = append(t.Rows, document.Row{Cells: remaining(r.Cells), Below: r.Below})
	}
	return true
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

// label returns a label made of the caption, so that tables with other captions have other labels.
func (t *Table) label(p *page) string {
	return "tab:" + strings.ToLower(strings.Trim(notInLabels.ReplaceAllString(t.caption(p), "-"), "-"))
}
