package suite

import (
	"bufio"
	"fmt"
	"io"
	"strings"

	"etrace/tracefmt/text"
)

var markdownFormat = Format{
	Name:  "markdown",
	Doc:   "Markdown tables, for documents",
	Write: writeMarkdown,
}

func writeMarkdown(w io.Writer, r *Report, s Style) error {
	b := bufio.NewWriter(w)
	for _, suite := range r.Suites {
		fmt.Fprintf(b, "# %s\n\n", markdown(suite.title()))
		if about := strings.TrimSpace(suite.Suite.Description); about != "" {
			for paragraph := range strings.SplitSeq(about, "\n\n") {
				fmt.Fprintf(b, "%s\n\n", markdown(paragraph))
			}
		}
		b.WriteString(text.MarkdownHead(
			[]string{"case", "measure", "measured", "expected", "published", "status"},
			[]bool{true, true, false, false, false, true},
		))
		var noted []*CaseReport
		for _, g := range suite.groups(s.All) {
			c := g.cases[0]
			if s.Quiet && c.Status == OK {
				continue
			}
			g.markdown(b)
			if c.noted(s) {
				noted = append(noted, c)
			}
		}
		fmt.Fprintln(b)
		for _, c := range noted {
			fmt.Fprintf(b, "- %s: %s\n", markdown(c.Case.Name), markdown(c.Case.Note))
		}
		if len(noted) > 0 {
			fmt.Fprintln(b)
		}
	}
	fmt.Fprintln(b, markdown(summary(r)))
	return b.Flush()
}

// markdown writes the rows of a group: one for several cases that are ok, one
// for each value of a single case.
func (g *group) markdown(w io.Writer) {
	row := func(cells ...string) {
		for i := range cells {
			cells[i] = line(cells[i])
		}
		fmt.Fprint(w, text.MarkdownRow(cells))
	}
	c := g.cases[0]
	switch {
	case len(g.cases) > 1:
		row(g.title, g.about(), "", "", "", string(c.Status))
		return
	case c.Err != nil:
		row(g.title, c.Err.Error(), "", "", "", string(c.Status))
	}
	title := g.title
	for _, cell := range c.Cells {
		row(title, cell.Measure, string(cell.Measured), string(cell.Expected), string(cell.Published), string(cell.Status))
		title = ""
	}
}

// markdown makes text from a file one line of plain text in Markdown.
func markdown(s string) string { return text.Markdown(line(s)) }
