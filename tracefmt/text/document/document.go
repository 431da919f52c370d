package document

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"text/tabwriter"

	"etrace/tracefmt/text"
)

// Format is a form in which a report R is written, in a style S.
type Format[R, S any] struct {
	Name, Doc string
	Write     func(w io.Writer, r R, s S) error
}

// Key is the format's name; see [text.Named].
func (f *Format[R, S]) Key() string { return f.Name }

// Check returns an error for a format that writes nothing, which a registry refuses.
func (f *Format[R, S]) Check() error {
	if f.Write == nil {
		return errors.New("expected a function Write")
	}
	return nil
}

// Document is a report. Its methods append to it.
type Document struct{ blocks []block }

// block is a part of a document: a table, a list, or a line, which is a heading if it has a level.
type block struct {
	table *Table
	list  []string
	line  string
	level int
}

// Heading appends a heading of level 1 or 2.
func (d *Document) Heading(level int, line string) {
	d.blocks = append(d.blocks, block{line: line, level: level})
}

// Paragraph appends a paragraph for each non-empty line.
func (d *Document) Paragraph(lines ...string) {
	for _, line := range lines {
		if line != "" {
			d.blocks = append(d.blocks, block{line: line})
		}
	}
}

// List appends a list, unless it is empty.
func (d *Document) List(items []string) {
	if len(items) > 0 {
		d.blocks = append(d.blocks, block{list: items})
	}
}

// Table appends tables.
func (d *Document) Table(tables ...*Table) {
	for _, t := range tables {
		d.blocks = append(d.blocks, block{table: t})
	}
}

// Table is a table with a head, unless that is nil.
type Table struct {
	Title string
	Head  []string
	// Align has a letter for each column: l for words, left aligned; r for numbers, right aligned; m for words
	// that are LaTeX source with formulas. Columns without a letter have numbers.
	Align string
	Rows  []Row
	// Indent begins each line of text.
	Indent string
	// The following fields are for LaTeX only: the caption, by default the title; the label for references; and
	// notes that explain the contents.
	Caption, Label string
	Notes          []string
}

// Row is a row of a table. The lines Below follow its last cell.
type Row struct {
	Cells, Below []string
}

// Add appends a row.
func (t *Table) Add(cells ...string) { t.Rows = append(t.Rows, Row{Cells: cells}) }

// Shorten keeps the first rows up to the limit. A further row has the number of the others, and where they can
// be found.
func (t *Table) Shorten(limit int, where string) {
	if more := len(t.Rows) - limit; more > 0 {
		t.Rows = t.Rows[:limit]
		t.Add(fmt.Sprintf("%d more", more), where)
	}
}

// align returns the letter of a column.
func (t *Table) align(column int) byte {
	if column < len(t.Align) {
		return t.Align[column]
	}
	return 'r'
}

// WriteText writes the document for terminals: a line for each heading, paragraph and item, and an empty line
// before each heading except the first part.
func (d *Document) WriteText(w io.Writer) error {
	b := bufio.NewWriter(w)
	for i, block := range d.blocks {
		if i > 0 && block.level > 0 {
			fmt.Fprintln(b)
		}
		if block.table != nil {
			if err := block.table.WriteText(b); err != nil {
				return err
			}
			continue
		}
		lines := block.list
		if lines == nil {
			lines = []string{block.line}
		}
		for _, line := range lines {
			fmt.Fprintln(b, text.Printable(line))
		}
	}
	return b.Flush()
}

// WriteText writes head and rows in aligned columns. If a row has fewer cells than the row above, the missing
// columns are aligned separately below it.
func (t *Table) WriteText(w io.Writer) error {
	tw := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	line := func(cells []string) {
		separator := t.Indent
		for _, cell := range cells {
			fmt.Fprint(tw, separator, text.Printable(cell))
			separator = "\t"
		}
		fmt.Fprintln(tw)
	}
	if t.Head != nil {
		line(t.Head)
	}
	for _, row := range t.Rows {
		line(row.Cells)
	}
	return tw.Flush()
}
