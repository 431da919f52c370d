package text

import "strings"

// Underscores and tildes are left: within words they mean nothing, and tables are
// full of names. What begins a line is no concern: a cell does not.
var markdownEscapes = strings.NewReplacer(`\`, `\\`, "|", `\|`, "<", "&lt;", "&", "&amp;", "*", `\*`, "`", "\\`", "[", `\[`)

// Markdown returns printable text as plain text of Markdown in one line, fit for a
// cell of a table.
func Markdown(s string) string { return markdownEscapes.Replace(Printable(s)) }

// MarkdownHead begins a table of Markdown with the line of its heads and the one that aligns
// its columns: those of words to the left, those of numbers to the right. Words says which is
// which; a column for which it has no entry has numbers.
func MarkdownHead(heads []string, words []bool) string {
	b := new(strings.Builder)
	b.WriteString(MarkdownRow(heads))
	for i := range heads {
		if i < len(words) && words[i] {
			b.WriteString("|---")
		} else {
			b.WriteString("|--:")
		}
	}
	b.WriteString("|\n")
	return b.String()
}

// MarkdownRow is a row of a table of Markdown. Cells are plain text, each in one line; more
// are further lines of the last cell.
func MarkdownRow(cells []string, more ...string) string {
	b := new(strings.Builder)
	for i, cell := range cells {
		cell = Markdown(cell)
		if i == len(cells)-1 {
			for _, line := range more {
				cell += "<br>" + Markdown(line)
			}
		}
		if cell != "" {
			cell += " "
		}
		b.WriteString("| " + cell)
	}
	b.WriteString("|\n")
	return b.String()
}
