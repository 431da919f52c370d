package report

import (
	"bufio"
	"fmt"
	"io"
	"strings"

	"etrace/tracefmt/text"
)

var markdownFormat = Format{
	Name:  "markdown",
	Doc:   "Markdown, for summaries of continuous integration and for pull requests: a table for each run",
	Write: writeMarkdown,
}

// writeMarkdown shows of each run what is violated or open, of a single run all.
func writeMarkdown(w io.Writer, r *Report, s Style) error {
	b := bufio.NewWriter(w)
	fmt.Fprintf(b, "# etrace check %s\n", text.Markdown(text.Some(r.Traces, 6)))
	table := s
	table.Quiet = s.Quiet || len(r.Runs) > 1
	for _, run := range r.Runs {
		if s.Quiet && outcomes[run.Verdict] < open {
			continue
		}
		fmt.Fprintf(b, "\n## %s\n\n", text.Markdown(r.heading(run)))
		for _, remark := range run.Remarks {
			fmt.Fprintf(b, "- note: %s\n", text.Markdown(remark))
		}
		assumed := run.assumed(s)
		if assumed != "" {
			fmt.Fprintf(b, "- %s\n", text.Markdown(assumed))
		}
		if len(run.Remarks) > 0 || assumed != "" {
			fmt.Fprintln(b)
		}
		r.markdownTable(b, run, table)
	}
	for _, v := range r.InVain() {
		fmt.Fprintf(b, "\n%s: %s\n", text.Markdown(r.title(v)), text.Markdown(v.Why))
	}
	for _, missing := range r.missing() {
		for _, what := range missing.list {
			fmt.Fprintf(b, "\n%s: %s\n", missing.title, text.Markdown(what))
		}
	}
	var sum strings.Builder
	writeTally(&sum, r, Style{})
	for line := range strings.Lines(sum.String()) {
		fmt.Fprintf(b, "\n%s\n", text.Markdown(strings.TrimSpace(line)))
	}
	return b.Flush()
}

// markdownTable has a row for each result, with the events that led to it below.
func (r *Report) markdownTable(w io.Writer, run Run, s Style) {
	shown, elsewhere := s.shown(run.Results)
	if len(shown) > 0 {
		fmt.Fprint(w, text.MarkdownHead([]string{"property", "verdict", ""}, []bool{true, true, true}))
	}
	for _, p := range shown {
		fmt.Fprint(w, text.MarkdownRow([]string{p.Property.Name, string(p.Verdict), run.detail(p)}, r.explanation(run, p)...))
	}
	if len(elsewhere) > 0 {
		fmt.Fprintf(w, "\nnot applicable: %s\n", text.Counted(len(elsewhere), "property", "properties"))
	}
	if len(shown) == 0 {
		fmt.Fprintf(w, "%s\n", run.Verdict)
	}
}
