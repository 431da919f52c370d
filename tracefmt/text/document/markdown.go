package document

import (
	"bufio"
	"fmt"
	"io"
	"strings"

	"etrace/tracefmt/text"
)

// markdownEscapes escapes the characters with a meaning in Markdown. Underscores and tildes stay: within words
// they have no meaning, and tables are full of names. A cell never begins a line, so marks at the beginning of
// lines need no escape.
var markdownEscapes = strings.NewReplacer(`\`, `\\`, "|", `\|`, "<", "&lt;", "&", "&amp;", "*", `\*`, "`", "\\`", "[", `\[`)

// markdown returns printable text as plain text of Markdown in one line, fit for a
// cell of a table.
func markdown(s string) string { return markdownEscapes.Replace(text.Printable(s)) }

// WriteMarkdown writes the document as Markdown, with an empty line between its parts.
func (d *Document) WriteMarkdown(w io.Writer) error {
	b := bufio.NewWriter(w)
	for i, block := range d.blocks {
		if i > 0 {
			fmt.Fprintln(b)
		}
		switch {
		case block.table != nil:
			block.table.markdown(b)
		case block.level > 0:
			fmt.Fprintf(b, "%s %s\n", strings.Repeat("#", block.level), markdown(block.line))
		case block.list == nil:
			fmt.Fprintln(b, markdown(block.line))
		}
		for _, item := range block.list {
			fmt.Fprintf(b, "- %s\n", markdown(item))
		}
	}
	return b.Flush()
}

// markdown writes the table with its title as a heading.
func (t *Table) markdown(b *bufio.Writer) {
	if t.Title != "" {
		fmt.Fprintf(b, "## %s\n\n", markdown(t.Title))
	}
	b.WriteString(Row{Cells: t.Head}.markdown())
	for i := range t.Head {
		if t.align(i) == 'r' {
			b.WriteString("|--:")
		} else {
			b.WriteString("|---")
		}
	}
	b.WriteString("|\n")
	for _, row := range t.Rows {
		b.WriteString(row.markdown())
	}
}

// markdown returns the row in a line. Lines below the last cell become further lines of the cell.
func (r Row) markdown() string {
	b := new(strings.Builder)
	for i, cell := range r.Cells {
		cell = markdown(cell)
		if i == len(r.Cells)-1 {
			for _, line := range r.Below {
				cell += "<br>" + markdown(line)
			}
		}
		if cell != "" {
			cell += " "
		}
		b.WriteString("| " + cell)
	}
	return b.String() + "|\n"
}
