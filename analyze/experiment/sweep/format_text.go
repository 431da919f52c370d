package sweep

import (
	"cmp"
	"io"
)

var textFormat = Format{
	Name: "text", Doc: "a table for people", Columns: columnNames, Pivots: true,
	Write: func(w io.Writer, t *Table) error { return t.page().document().WriteText(w) },
}

var markdownFormat = Format{
	Name: "markdown", Doc: "a Markdown table, for documents", Columns: columnNames, Pivots: true,
	Write: func(w io.Writer, t *Table) error { return t.page().document().WriteMarkdown(w) },
}

var htmlFormat = Format{
	Name: "html", Doc: "a page with the table, for browsers", Columns: columnNames, Pivots: true,
	Write: writeHTML,
}

// writeHTML uses the title as the heading of the page.
func writeHTML(w io.Writer, t *Table) error {
	p := t.page()
	title := cmp.Or(p.title, "etrace sweep")
	p.title = ""
	return p.document().WriteHTML(w, title)
}
