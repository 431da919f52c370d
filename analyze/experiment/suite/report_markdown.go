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
		fmt.Fprint(b, "| case | measure | measured | expected | published | status |\n|---|---|--:|--:|--:|---|\n")
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
	c := g.cases[0]
	switch {
	case len(g.cases) > 1:
		fmt.Fprintf(w, "| %s | %s | | | | %s |\n", markdown(g.title), markdown(g.about()), c.Status)
	case c.Err != nil:
		fmt.Fprintf(w, "| %s | %s | | | | %s |\n", markdown(g.title), markdown(c.Err.Error()), c.Status)
	}
	if len(g.cases) > 1 {
		return
	}
	title := markdown(g.title)
	for _, cell := range c.Cells {
		fmt.Fprintf(w, "| %s | %s | %s | %s | %s | %s |\n", title, markdown(cell.Measure), markdown(string(cell.Measured)),
			markdown(string(cell.Expected)), markdown(string(cell.Published)), cell.Status)
		title = ""
	}
}

// markdown makes text from a file one line of plain text in Markdown.
func markdown(s string) string { return text.Markdown(line(s)) }
