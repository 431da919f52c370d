package sweep

import (
	"fmt"
	"slices"

	"etrace/tracefmt/text"
	"etrace/tracefmt/text/document"
)

// page is the layout of a table for people, the same for text, Markdown, HTML and LaTeX.
type page struct {
	// title lists the conditions that all cells share.
	title string
	table document.Table
	// under explains the columns of a pivot if there is no caption; it is "" if their heads do.
	under string
	// legend explains the table, notes lists remarks on its runs, and findings are the rankings and formulas.
	legend, notes, findings []string
}

// page lays the table out according to [Table.Layout]: a row for each cell, with mean, minimum and maximum of
// each measure, and the verdicts.
func (t *Table) page() *page { return t.laidOut(t.hasTheory()) }

// laidOut lays the table out. published adds the column of published bounds to the default columns.
func (t *Table) laidOut(published bool) *page {
	p := &page{title: t.title(), notes: t.notes(), findings: append(t.rankNotes(), t.formulaNotes()...)}
	legend := new(Legend)
	columns := t.chosen(published, legend)
	if t.Layout.Pivot == "" {
		p.addRows(t, columns)
	} else {
		p.addPivotRows(t, columns)
	}
	if t.sampled() && len(t.Measures) > 0 {
		p.legend = append(
			p.legend,
			fmt.Sprintf("± is half the %g %% confidence interval of the mean of a sample; its extremes are the values seen.", 100*Confidence),
		)
		if t.spreadless() {
			p.legend = append(p.legend, "A sample whose runs all measured the same has no interval.")
		}
	}
	p.legend = slices.Concat(p.legend, legend.Lines(), t.Unbounded, t.Unending())
	if unfinished := t.Unfinished(); unfinished != "" {
		p.legend = append(p.legend, unfinished)
	}
	return p
}

// below returns all lines below the rows.
func (p *page) below() []string {
	var under []string
	if p.under != "" {
		under = []string{p.under}
	}
	return slices.Concat(under, p.legend, p.notes, p.findings)
}

// document returns the table between its title and the lines below.
func (p *page) document() *document.Document {
	d := &document.Document{}
	d.Paragraph(p.title)
	d.Table(&p.table)
	d.Paragraph(p.below()...)
	return d
}

// column appends the head and the alignment of a column.
func (p *page) column(head string, c column) {
	p.table.Head = append(p.table.Head, text.Printable(head))
	if c.words {
		p.table.Align += "l"
	} else {
		p.table.Align += "r"
	}
}

// addRows adds a row for each cell that has runs.
func (p *page) addRows(t *Table, columns []column) {
	for _, c := range columns {
		p.column(c.head, c)
	}
	for _, c := range t.begun() {
		p.table.Add(cellsOf(c, columns)...)
	}
}

// addPivotRows adds one row for all cells that differ only in the pivot axis. Each value of the axis gets its own
// columns.
func (p *page) addPivotRows(t *Table, columns []column) {
	axis := slices.Index(t.Axes, t.Layout.Pivot)
	places := slices.Delete(t.places(), axis, axis+1)
	for _, c := range places {
		p.column(c.head, c)
	}
	var values []string
	var rows []*pivotRow
	byPlace := map[string]*pivotRow{}
	for _, c := range t.begun() {
		value, place := c.At[axis], cellsOf(c, places)
		if !slices.Contains(values, value) {
			values = append(values, value)
		}
		key := fmt.Sprintf("%q", place)
		row := byPlace[key]
		if row == nil {
			row = &pivotRow{place, map[string]*Cell{}}
			byPlace[key], rows = row, append(rows, row)
		}
		row.cells[value] = c
	}
	for _, value := range values {
		for _, c := range columns {
			head := value
			if len(columns) > 1 {
				head += ": " + c.head
			}
			p.column(head, c)
		}
	}
	if len(columns) == 1 {
		p.under = fmt.Sprintf("Under each %s: %s.", text.Printable(t.Layout.Pivot), text.Printable(columns[0].head))
	}
	for _, row := range rows {
		texts := row.place
		for _, value := range values {
			texts = append(texts, cellsOf(row.cells[value], columns)...)
		}
		p.table.Add(texts...)
	}
}

// pivotRow holds the cells that differ only in the pivot, by its value.
type pivotRow struct {
	place []string
	cells map[string]*Cell
}

// cellsOf returns the texts of a cell in some columns, empty texts for a missing cell.
func cellsOf(c *Cell, columns []column) (texts []string) {
	for _, column := range columns {
		if c == nil {
			texts = append(texts, "")
		} else {
			texts = append(texts, column.text(c))
		}
	}
	return texts
}

// Findings returns the results beyond the rows, line by line: incomplete cells, rankings, closed forms, and comparisons
// with formulas.
func (t *Table) Findings() (lines []string) {
	if unfinished := t.Unfinished(); unfinished != "" {
		lines = append(lines, unfinished)
	}
	return slices.Concat(lines, t.rankNotes(), t.formulaNotes())
}

// notes returns the runs that violate a property, and the totals.
func (t *Table) notes() (notes []string) {
	for i := range t.Cells {
		for j := range t.Cells[i].Verdicts {
			v := &t.Cells[i].Verdicts[j]
			if len(v.Violating) > 0 {
				notes = append(notes, fmt.Sprintf("%s is violated in: etrace record %s", text.Printable(v.Property),
					text.Printable(v.Violating[0])))
			}
		}
	}
	return append(notes, t.sum())
}
