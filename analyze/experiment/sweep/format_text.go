package sweep

import (
	"bufio"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"

	"etrace/tracefmt/text"
)

var textFormat = Format{Name: "text", Doc: "a table for people", Write: writeText, Columns: columnNames, Pivots: true}

func writeText(w io.Writer, t *Table) error { return t.page().writeText(w) }

func (p *page) writeText(w io.Writer) error {
	b := bufio.NewWriter(w)
	if p.title != "" {
		fmt.Fprintln(b, p.title)
	}
	tw := tabwriter.NewWriter(b, 0, 0, 2, ' ', 0)
	for _, row := range append([][]string{p.head}, p.rows...) {
		fmt.Fprintln(tw, strings.Join(row, "\t"))
	}
	if err := tw.Flush(); err != nil {
		return err
	}
	for _, note := range p.below() {
		fmt.Fprintln(b, note)
	}
	return b.Flush()
}

var markdownFormat = Format{Name: "markdown", Doc: "a Markdown table, for documents", Write: writeMarkdown, Columns: columnNames, Pivots: true}

func writeMarkdown(w io.Writer, t *Table) error {
	b := bufio.NewWriter(w)
	p := t.page()
	if p.title != "" {
		fmt.Fprintf(b, "%s\n\n", text.Markdown(p.title))
	}
	b.WriteString(text.MarkdownHead(p.head, p.words))
	for _, row := range p.rows {
		b.WriteString(text.MarkdownRow(row))
	}
	for _, note := range p.below() {
		fmt.Fprintf(b, "\n%s\n", text.Markdown(note))
	}
	return b.Flush()
}
