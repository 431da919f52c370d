package sweeps_test

import (
	"math/big"
	"strings"
	"testing"

	"etrace/analyze/complexity"
	"etrace/analyze/experiment/sweep"
	"etrace/render/sweeps"
	"etrace/tracefmt"
)

// TestBoundsInPlots: a bound is drawn beside the measure that counts the same messages of all runs,
// and what is not drawn is named. Its area is there where it is about all series.
func TestBoundsInPlots(t *testing.T) {
	twice := func(n int64) int64 { return 2 * n * n }
	for _, c := range []struct {
		name      string
		bound     tracefmt.Bound
		runs      int64
		want, not string
		areas     int
	}{
		{"all messages", tracefmt.Bound{Messages: "2*n^2"}, 1, "Line: published: at most 2*n^2.", "Not drawn", 2},
		{"at least", tracefmt.Bound{Messages: "2*n^2", Kind: tracefmt.LeastCase}, 1, "Line: published: at least 2*n^2.", "Not drawn", 2},
		{"mean", tracefmt.Bound{Messages: "2*n^2", Kind: tracefmt.MeanCase}, 1, "Line: published: in the mean 2*n^2.", "Not drawn", 0},
		{
			"no type is left out",
			tracefmt.Bound{Messages: "2*n^2", Without: []string{"OK"}},
			1,
			"Line: published: at most 2*n^2, of messages sent, excluding OK.", "Not drawn", 2,
		},
		{
			"what is delivered",
			tracefmt.Bound{Messages: "2*n^2", Counts: tracefmt.CountsDelivered},
			1,
			"Not drawn: published bounds that count all messages delivered.", "Line: published", 0,
		},
		{"some runs", tracefmt.Bound{Messages: "2*n^2"}, 0, "Not drawn: published bounds that are about some of the runs.", "Line: published", 0},
		{"an order", tracefmt.Bound{Messages: "O(n^2)", Kind: tracefmt.OrderOf}, 1, "A chart", "published", 0},
	} {
		table := table("messages")
		table.ClosedForms = nil
		for i := range table.Cells {
			table.Cells[i].Theory = nil
		}
		bound(table, &c.bound, c.runs, twice)
		d, err := sweeps.Plot(table, "messages")
		if err != nil {
			t.Fatal(err)
		}
		said := d.Desc
		for _, n := range d.Layers[len(d.Layers)-1].Nodes {
			said += " " + n.Text
		}
		if !strings.Contains(said, c.want) || strings.Contains(said, c.not) || len(d.Areas) != c.areas {
			t.Errorf("%s: %d areas, %q, want %d and %q, not %q", c.name, len(d.Areas), said, c.areas, c.want, c.not)
		}
	}
}

// TestABoundOfFewerMessages is not drawn: the runs send n*n, and it counts n less.
func TestABoundOfFewerMessages(t *testing.T) {
	table := table("messages")
	for i := range table.Cells {
		c := &table.Cells[i]
		count := int64(c.N*c.N - c.N)
		c.Theory = []complexity.Compared{{
			Bound: &tracefmt.Bound{Messages: "n^2 - n", Without: []string{"elected"}},
			Value: float64(count), Measured: count, Kept: complexity.Kept, Runs: 1, Sum: count,
		}}
	}
	d, err := sweeps.Plot(table, "messages")
	if err != nil {
		t.Fatal(err)
	}
	if strings.Contains(d.Desc, "published") {
		t.Errorf("drawn: %s", d.Desc)
	}
	if reason := table.Published()[0].Reason("messages"); reason != "count messages sent, excluding elected" {
		t.Errorf("got %q", reason)
	}
}

// TestReasonsNameTheirSeries: where a bound of one series is drawn and that of another is not, the remark names the latter.
func TestReasonsNameTheirSeries(t *testing.T) {
	table := table("messages")
	for i := range table.Cells {
		c := table.Cells[i]
		c.At, table.Cells[i].At = []string{"0", "b"}, []string{"0", "a"}
		count := int64(c.N * c.N)
		compare := func(formula string, sum int64) []complexity.Compared {
			b := &tracefmt.Bound{Messages: formula, Without: []string{"elected"}}
			return []complexity.Compared{{Bound: b, Value: float64(sum), Measured: sum, Kept: complexity.Kept, Runs: 1, Sum: sum}}
		}
		table.Cells[i].Theory, c.Theory = compare("n^2", count), compare("n^2 - 1", count-1)
		table.Cells = append(table.Cells, c)
	}
	table.ClosedForms = nil
	d, err := sweeps.Plot(table, "messages")
	if err != nil {
		t.Fatal(err)
	}
	said := ""
	for _, n := range d.Layers[len(d.Layers)-1].Nodes {
		said += " " + n.Text
	}
	want := "Not drawn: published bounds that count messages sent, excluding elected (messages b)."
	if !strings.Contains(said, want) {
		t.Errorf("got %q, want %q", said, want)
	}
}

// TestAFormulaThatIsPublished is one line with both.
func TestAFormulaThatIsPublished(t *testing.T) {
	table := table("messages")
	for i := range table.Cells {
		table.Cells[i].Theory = nil
	}
	bound(table, &tracefmt.Bound{Messages: "n*n"}, 1, func(n int64) int64 { return n * n })
	d, err := sweeps.Plot(table, "messages")
	if err != nil {
		t.Fatal(err)
	}
	if want := "Line: n^2, exact formula; published: at most n*n."; !strings.Contains(d.Desc, want) {
		t.Errorf("got %q, want %q", d.Desc, want)
	}
}

// TestLinesThatCoincide: those about one series and those about all differ in colour, so that each is in the legend,
// and what is drawn first is covered.
func TestLinesThatCoincide(t *testing.T) {
	table := table("messages")
	for i := range table.Cells {
		c := table.Cells[i]
		c.At, table.Cells[i].At = []string{"0", "b"}, []string{"0", "a"}
		table.Cells = append(table.Cells, c)
	}
	for i := range table.Cells {
		table.Cells[i].Theory = nil
	}
	table.ClosedForms = nil
	table.FindClosedForms()
	bound(table, &tracefmt.Bound{Messages: "n*n"}, 1, func(n int64) int64 { return n * n })
	d, err := sweeps.Plot(table, "messages")
	if err != nil {
		t.Fatal(err)
	}
	_, lines, _ := strings.Cut(d.Desc, "Line: ")
	want := "n^2, exact formula (messages a), covered by published: at most n*n. " +
		"Line: n^2, exact formula (messages b), covered by published: at most n*n. Line: published: at most n*n."
	if lines != want {
		t.Errorf("got %q, want %q", lines, want)
	}
}

// TestBoundTables: reached, kept, and broken rows of a bound of this many messages.
func TestBoundTables(t *testing.T) {
	table := &sweep.Table{Axes: []string{"nodes"}, Measures: []string{"messages"}}
	b := &tracefmt.Bound{Messages: "2*n", Source: "a book"}
	for i, sent := range []int64{6, 7, 12} {
		n := i + 3
		first := complexity.Compared{Bound: b, Value: float64(2 * n), Measured: sent, Kept: complexity.Kept, Runs: 1, Sum: sent}
		if sent > int64(2*n) {
			first.Kept, first.Broken = complexity.Broken, 1
		}
		table.Cells = append(table.Cells, sweep.Cell{
			At: []string{big.NewInt(int64(n)).String()}, N: n, Runs: 1, Of: 1,
			Exhausted: true, Theory: []complexity.Compared{first},
		})
	}
	tables := table.BoundTables()
	if len(tables) != 1 || tables[0].Title != "at most 2*n, of all messages sent" || tables[0].Source != "a book" {
		t.Fatalf("got %+v", tables)
	}
	for i, want := range []string{"3 1 6 ≤ 6 reached", "4 1 7 ≤ 8 kept", "5 1 12 ≤ 10 BROKEN in 1 run"} {
		if got := strings.Join(tables[0].Rows[i].Cells, " "); got != want || tables[0].Broken[i] != (i == 2) {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}
