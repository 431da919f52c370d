package document

import (
	"bufio"
	"fmt"
	"html"
	"io"

	"etrace/tracefmt/text"
)

// htmlHead is the beginning of a page with its style.
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
<h1>%[1]s</h1>
`

// WriteHTML writes the document as a page with the given title.
func (d *Document) WriteHTML(w io.Writer, title string) error {
	b := bufio.NewWriter(w)
	element := func(name, content string) {
		fmt.Fprintf(b, "<%s>%s</%[1]s>", name, html.EscapeString(text.Printable(content)))
	}
	row := func(name string, cells []string) {
		fmt.Fprint(b, "<tr>")
		for _, cell := range cells {
			element(name, cell)
		}
		fmt.Fprintln(b, "</tr>")
	}
	fmt.Fprintf(b, htmlHead, html.EscapeString(text.Printable(title)))
	for _, block := range d.blocks {
		switch t := block.table; {
		case t != nil:
			fmt.Fprint(b, "<table>\n<thead>\n")
			row("th", t.Head)
			fmt.Fprint(b, "</thead>\n<tbody>\n")
			for _, r := range t.Rows {
				row("td", r.Cells)
			}
			fmt.Fprint(b, "</tbody>\n</table>\n")
		case block.list != nil:
			fmt.Fprint(b, "<ul>")
			for _, item := range block.list {
				element("li", item)
			}
			fmt.Fprintln(b, "</ul>")
		default:
			element([]string{"p", "h1", "h2"}[block.level], block.line)
			fmt.Fprintln(b)
		}
	}
	fmt.Fprint(b, "</body>\n</html>\n")
	return b.Flush()
}
