package sweep_test

import (
	"strings"
	"testing"

	"etrace/analyze/experiment/sweep"
)

// TestLayout: columns that are asked for, in that order; a pivot has a row for each size, and
// leaves a place empty where there is no cell. Le Lann's needs n*n messages.
func TestLayout(t *testing.T) {
	for _, tt := range []struct {
		format string
		layout sweep.Layout
		want   string
	}{
		{
			"text",
			sweep.Layout{Columns: []string{"nodes", "max messages", "messages"}},
			"nodes  messages, max  messages\n2      4              4\n3      9              9\n",
		},
		{"text", sweep.Layout{Columns: []string{"messages", "max messages"}}, "messages  max\n4         4\n9         9\n"},
		{"csv", sweep.Layout{Columns: []string{"mean", "nodes"}}, "mean,nodes\n4,2\n9,3\n"},
		{"markdown", sweep.Layout{Pivot: "nodes", Columns: []string{"messages"}}, "| 2 | 3 |\n|--:|--:|\n| 4 | 9 |\n"},
		{
			"markdown",
			sweep.Layout{Pivot: "nodes", Columns: []string{"messages", "runs"}},
			"| 2: messages | 2: runs | 3: messages | 3: runs |\n|--:|--:|--:|--:|\n| 4 | 1, all | 9 | 1, all |\n",
		},
	} {
		g := axes(t, "algorithm", "le-lann", "nodes", "2,3", "start", "all")
		g.Measures = []string{"messages"}
		if got := laidOut(t, g, tt.format, tt.layout); !strings.Contains(got, tt.want) {
			t.Errorf("%s %+v: got\n%s\nwant\n%s", tt.format, tt.layout, got, tt.want)
		}
	}
}

// TestPivot: the values of the axis are columns; of the split cells those of two processes have no
// third initiator. Of n processes that are up the one with the id s has (n-s)(2n-s) messages sent, and
// the highest n-1 (docs/complexity.md).
func TestPivot(t *testing.T) {
	g := axes(t, "algorithm", "bully", "nodes", "2,3", "start", "each")
	g.Measures, g.Split = []string{"messages"}, true
	want := "| nodes | 1 | 2 | 3 |\n|--:|--:|--:|--:|\n| 2 | 3 | 1 | |\n| 3 | 10 | 4 | 2 |\n"
	if got := laidOut(t, g, "markdown", sweep.Layout{Pivot: "start"}); !strings.Contains(got, want) {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

func laidOut(t *testing.T, g *sweep.Grid, format string, layout sweep.Layout) string {
	t.Helper()
	f, err := sweep.Formats().Lookup(format)
	if err != nil {
		t.Fatal(err)
	}
	p, err := g.Plan()
	if err != nil {
		t.Fatal(err)
	}
	if err := p.CheckLayout(f, layout); err != nil {
		t.Fatal(err)
	}
	tab := table(t, g)
	tab.Layout = layout
	var b strings.Builder
	if err := f.Write(&b, tab); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// TestLayoutMistakes are refused before a run is made.
func TestLayoutMistakes(t *testing.T) {
	g := axes(t, "algorithm", "le-lann,franklin", "nodes", "2,3", "start", "all")
	p, err := g.Plan()
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		format string
		layout sweep.Layout
		want   string
	}{
		{"text", sweep.Layout{Columns: []string{"mesages"}}, `--columns: unknown column "mesages", did you mean "messages"?`},
		{"latex", sweep.Layout{Columns: []string{"runs", "runs"}}, `--columns: "runs" is given twice`},
		{"csv", sweep.Layout{Columns: []string{"max messages"}}, `--columns: unknown column "max messages"`},
		{"json", sweep.Layout{Columns: []string{"messages"}}, "--columns: the form json has none to choose"},
		{"json", sweep.Layout{Pivot: "algorithm"}, "--pivot: the form json has a line for each cell"},
		{"csv", sweep.Layout{Pivot: "algorithm"}, "--pivot: the form csv has a line for each cell"},
		{"text", sweep.Layout{Pivot: "algoritm"}, `--pivot: unknown axis with several values "algoritm", did you mean "algorithm"?`},
		{"text", sweep.Layout{Pivot: "start"}, `--pivot: unknown axis with several values "start"`},
		{"text", sweep.Layout{Pivot: "nodes", Columns: []string{"algorithm"}}, `--columns: unknown column "algorithm"`},
	} {
		f, err := sweep.Formats().Lookup(tt.format)
		if err != nil {
			t.Fatal(err)
		}
		if err := p.CheckLayout(f, tt.layout); err == nil || !strings.HasPrefix(err.Error(), tt.want) {
			t.Errorf("%s %+v: got %v, want %s", tt.format, tt.layout, err, tt.want)
		}
	}
}
