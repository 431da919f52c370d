package sweep

import (
	"bufio"
	"cmp"
	"fmt"
	"html"
	"io"
)

var htmlFormat = Format{Name: "html", Doc: "a page with the table, for browsers", Write: writeHTML, Columns: columnNames, Pivots: true}

// htmlHead begins the page: title, and what it looks like.
const htmlHead = `<!DOCTYPE html>
<!-- Written by etrace -->
<html lang="en">
<head>
<meta charset="utf-8">
<title>%s</title>
<style>
body { font-family: sans-serif; margin: 2em; }
table { border-collapse: collapse; }
th, td { padding: 0.2em 0.8em; text-align: right; }
thead { border-top: 2px solid; border-bottom: 1px solid; }
tbody { border-bottom: 2px solid; }
</style>
</head>
<body>
`

func writeHTML(w io.Writer, t *Table) error {
	b := bufio.NewWriter(w)
	p := t.page()
	title := html.EscapeString(cmp.Or(p.title, "etrace sweep"))
	fmt.Fprintf(b, htmlHead, title)
	line := func(element string, row []string) {
		fmt.Fprint(b, "<tr>")
		for _, cell := range row {
			fmt.Fprintf(b, "<%s>%s</%[1]s>", element, html.EscapeString(cell))
		}
		fmt.Fprintln(b, "</tr>")
	}
	fmt.Fprintf(b, "<h1>%s</h1>\n<table>\n<thead>\n", title)
	line("th", p.head)
	fmt.Fprint(b, "</thead>\n<tbody>\n")
	for _, row := range p.rows {
		line("td", row)
	}
	fmt.Fprint(b, "</tbody>\n</table>\n")
	for _, note := range p.below() {
		fmt.Fprintf(b, "<p>%s</p>\n", html.EscapeString(note))
	}
	fmt.Fprint(b, "</body>\n</html>\n")
	return b.Flush()
}
