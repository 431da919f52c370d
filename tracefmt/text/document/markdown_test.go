package document

import (
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// TestMarkdownRow: in GitHub Flavored Markdown a cell ends at an unescaped |, and a row at the end of its line.
// The characters <, &, `, * and [ begin markup.
func TestMarkdownRow(t *testing.T) {
	for _, c := range []struct {
		about string
		got   string
		want  string
	}{
		{"plain", Row{Cells: []string{"node", "12"}}.markdown(), "| node | 12 |\n"},
		{"empty cells", Row{Cells: []string{"", "a", ""}}.markdown(), "| | a | |\n"},
		{"several lines", Row{[]string{"a", "b"}, []string{"c", "d|"}}.markdown(), `| a | b<br>c<br>d\| |` + "\n"},
		{"several lines, the first of which is empty", Row{[]string{"a", ""}, []string{"c"}}.markdown(), "| a | <br>c |\n"},
		{"a pipe", Row{Cells: []string{"a|b", "c"}}.markdown(), `| a\|b | c |` + "\n"},
		{"a pipe that is escaped already", Row{Cells: []string{`a\|b`}}.markdown(), `| a\\\|b |` + "\n"},
		{"a backslash at the end", Row{Cells: []string{`a\`, "b"}}.markdown(), `| a\\ | b |` + "\n"},
		{
			"line breaks", Row{[]string{"a\nb\r\nc\u2028d"}, []string{"e\n# f"}}.markdown(),
			`| a\\u000ab\\u000d\\u000ac\\u2028d<br>e\\u000a# f |` + "\n",
		},
		{"HTML", Row{Cells: []string{`<script>alert(1)</script>`, "<!--"}}.markdown(), "| &lt;script>alert(1)&lt;/script> | &lt;!-- |\n"},
		{"an entity", Row{Cells: []string{"&lt;b>"}}.markdown(), "| &amp;lt;b> |\n"},
		{"code", Row{Cells: []string{"`a", "b`"}}.markdown(), "| \\`a | b\\` |\n"},
		{"emphasis", Row{Cells: []string{"**a**"}}.markdown(), `| \*\*a\*\* |` + "\n"},
		{"a link and a picture", Row{Cells: []string{"[a](b)", "![a](b)"}}.markdown(), `| \[a](b) | !\[a](b) |` + "\n"},
		{"a line that aligns", Row{Cells: []string{"---|--:"}}.markdown(), `| ---\|--: |` + "\n"},
		{"escapes of terminals", Row{Cells: []string{"\x1b[31mred"}}.markdown(), `| \\u001b\[31mred |` + "\n"},
		{"heads", headOf("lrll", "name", "sent|", "", "why"), `| name | sent\| | | why |` + "\n|---|--:|---|---|\n"},
		{"columns of which nothing is said", headOf("l", "name", "sent", "bits"), "| name | sent | bits |\n|---|--:|--:|\n"},
	} {
		if c.got != c.want {
			t.Errorf("%s: got\n%swant\n%s", c.about, c.got, c.want)
		}
	}
}

// TestMarkdownCells: a row has one line and as many cells as were given, whatever is in them.
func TestMarkdownCells(t *testing.T) {
	hostile := rapid.StringOf(rapid.SampledFrom([]rune("a \\|<>&`*[\n\r\t\u2028\x1b")))
	rapid.Check(t, func(t *rapid.T) {
		cells := rapid.SliceOfN(hostile, 1, 4).Draw(t, "cells")
		row := Row{cells, rapid.SliceOfN(hostile, 0, 2).Draw(t, "below")}.markdown()
		if strings.Count(row, "\n") != 1 || !strings.HasSuffix(row, "|\n") {
			t.Fatalf("%q: expected one line that ends with |", row)
		}
		borders, escaped := 0, false
		for _, c := range row {
			if c == '|' && !escaped {
				borders++
			}
			escaped = c == '\\' && !escaped
		}
		if borders != len(cells)+1 {
			t.Fatalf("%q: got %d borders, want %d", row, borders, len(cells)+1)
		}
	})
}

// headOf is a table of these columns without rows.
func headOf(align string, head ...string) string {
	var d Document
	d.Table(&Table{Head: head, Align: align})
	var b strings.Builder
	_ = d.WriteMarkdown(&b) // a builder takes everything
	return b.String()
}
