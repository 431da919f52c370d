package text

import "strings"

// Underscores and tildes are left: within words they mean nothing, and tables are
// full of names. What begins a line is no concern: a cell does not.
var markdownEscapes = strings.NewReplacer(`\`, `\\`, "|", `\|`, "<", "&lt;", "&", "&amp;", "*", `\*`, "`", "\\`", "[", `\[`, "\n", " ")

// Markdown returns printable text as plain text of Markdown in one line, fit for a
// cell of a table.
func Markdown(s string) string { return markdownEscapes.Replace(Printable(s)) }
