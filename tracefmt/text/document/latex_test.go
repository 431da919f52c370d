package document

import (
	"strings"
	"testing"
)

// TestLongLaTeX: what does not fit on a page is broken across pages, with its head on each. Notes are in the table, or
// after a long one.
func TestLongLaTeX(t *testing.T) {
	for rows, long := range map[int]bool{mostRows: false, mostRows + 1: true} {
		table := &Table{Head: []string{"nodes", "runs"}, Notes: []string{"a note"}}
		for range rows {
			table.Add("3", "1")
		}
		var d Document
		d.Table(table)
		var b strings.Builder
		if err := d.WriteLaTeX(&b, "needs", ""); err != nil {
			t.Fatal(err)
		}
		got := b.String()
		for words, input := range map[string]bool{
			"{booktabs,longtable}\n": long, "\\begin{longtable}{rr}\n": long, "\\end{longtable}\n": long,
			"\\end{longtable}\n\n\\medskip\n": long, "a note\\par\n\\end{minipage}\n\\end{table}\n": !long,
			"\\midrule\n\\endhead\n": long, "\\begin{tabular}{rr}\n": !long, "\\end{table}\n": !long,
		} {
			if strings.Contains(got, words) != input {
				t.Errorf("%d rows: %q is there: %v\n%s", rows, words, !input, got)
			}
		}
		if heads := strings.Count(got, "nodes & runs"); long && heads != 2 || !long && heads != 1 {
			t.Errorf("%d rows: %d heads", rows, heads)
		}
	}
}
