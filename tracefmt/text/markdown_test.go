package text_test

import (
	"strings"
	"testing"

	"pgregory.net/rapid"

	"etrace/tracefmt/text"
)

// TestMarkdownRow: by the rules of GitHub Flavored Markdown a cell ends at a | that no \ escapes,
// a row at the end of its line, and <, &, `, * and [ begin what is not plain text.
func TestMarkdownRow(t *testing.T) {
	for _, c := range []struct {
		about string
		got   string
		want  string
	}{
		{"plain", text.MarkdownRow([]string{"node", "12"}), "| node | 12 |\n"},
		{"empty cells", text.MarkdownRow([]string{"", "a", ""}), "| | a | |\n"},
		{"several lines", text.MarkdownRow([]string{"a", "b"}, "c", "d|"), `| a | b<br>c<br>d\| |` + "\n"},
		{"several lines, the first of which is empty", text.MarkdownRow([]string{"a", ""}, "c"), "| a | <br>c |\n"},
		{"a pipe", text.MarkdownRow([]string{"a|b", "c"}), `| a\|b | c |` + "\n"},
		{"a pipe that is escaped already", text.MarkdownRow([]string{`a\|b`}), `| a\\\|b |` + "\n"},
		{"a backslash at the end", text.MarkdownRow([]string{`a\`, "b"}), `| a\\ | b |` + "\n"},
		{"line breaks", text.MarkdownRow([]string{"a\nb\r\nc\u2028d"}, "e\n# f"), `| a\\u000ab\\u000d\\u000ac\\u2028d<br>e\\u000a# f |` + "\n"},
		{"HTML", text.MarkdownRow([]string{`<script>alert(1)</script>`, "<!--"}), "| &lt;script>alert(1)&lt;/script> | &lt;!-- |\n"},
		{"an entity", text.MarkdownRow([]string{"&lt;b>"}), "| &amp;lt;b> |\n"},
		{"code", text.MarkdownRow([]string{"`a", "b`"}), "| \\`a | b\\` |\n"},
		{"emphasis", text.MarkdownRow([]string{"**a**"}), `| \*\*a\*\* |` + "\n"},
		{"a link and a picture", text.MarkdownRow([]string{"[a](b)", "![a](b)"}), `| \[a](b) | !\[a](b) |` + "\n"},
		{"a line that aligns", text.MarkdownRow([]string{"---|--:"}), `| ---\|--: |` + "\n"},
		{"escapes of terminals", text.MarkdownRow([]string{"\x1b[31mred"}), `| \\u001b\[31mred |` + "\n"},
		{"heads", text.MarkdownHead([]string{"name", "sent|", "", "why"}, []bool{true, false, true, true}), `| name | sent\| | | why |` + "\n|---|--:|---|---|\n"},
		{"columns of which nothing is said", text.MarkdownHead([]string{"name", "sent", "bits"}, []bool{true}), "| name | sent | bits |\n|---|--:|--:|\n"},
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
		row := text.MarkdownRow(cells, rapid.SliceOfN(hostile, 0, 2).Draw(t, "more")...)
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
