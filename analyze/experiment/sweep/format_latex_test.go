package sweep

import (
	"strings"
	"testing"
)

// TestLongLaTeX: what does not fit on a page is broken across pages, with its head on each.
func TestLongLaTeX(t *testing.T) {
	for rows, long := range map[int]bool{mostRows: false, mostRows + 1: true} {
		table := Table{Axes: []string{"nodes"}}
		for range rows {
			table.Cells = append(table.Cells, Cell{At: []string{"3"}, N: 3, Runs: 1, Of: 1, Exhausted: true})
		}
		var b strings.Builder
		if err := latexFormat.Write(&b, &table); err != nil {
			t.Fatal(err)
		}
		got := b.String()
		for words, in := range map[string]bool{
			"{booktabs,longtable}\n": long, "\\begin{longtable}{rr}\n": long, "\\end{longtable}\n": long,
			"\\midrule\n\\endhead\n": long, "\\begin{tabular}{rr}\n": !long, "\\end{table}\n": !long,
		} {
			if strings.Contains(got, words) != in {
				t.Errorf("%d rows: %q is there: %v\n%s", rows, words, !in, got)
			}
		}
		if heads := strings.Count(got, "nodes & runs"); long && heads != 2 || !long && heads != 1 {
			t.Errorf("%d rows: %d heads", rows, heads)
		}
	}
}

// TestMathematics: formulas as mathematics writes them.
func TestMathematics(t *testing.T) {
	for formula, want := range map[string]string{
		"(n^2 + 3*n)/2":                   `$(n^2 + 3\,n)/2$`,
		"n*H(n) + n":                      `$n\,H(n) + n$`,
		"6*n + 4*2^ceil(log2(n)) - 8":     `$6\,n + 4\cdot 2^{\lceil\log_2 n\rceil} - 8$`,
		"2*n*floor(log2(n))":              `$2\,n\,\lfloor\log_2 n\rfloor$`,
		"0.6842*n*log2(n)":                `$0.6842\,n\,\log_2(n)$`,
		"n^12 + n**2":                     `$n^{12} + n^2$`,
		"n*(n % 2)":                       `$n\,(n\bmod 2)$`,
		"start^2 - 2*max_size":            `$\mathit{start}^2 - 2\,\mathit{max\_size}$`,
		`1 \ & {n}$\input{x}#~` + "%done": `$1   \mathit{ninputx}\%\mathit{done}$`,
	} {
		if got := mathematics(formula); got != want {
			t.Errorf("%q: got %s, want %s", formula, got, want)
		}
	}
}
