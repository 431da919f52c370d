package sweeps_test

import (
	"bytes"
	"encoding/xml"
	"io"
	"math/big"
	"slices"
	"strings"
	"testing"

	"etrace/analyze/complexity"
	"etrace/analyze/experiment/sweep"
	"etrace/render/sweeps"
	"etrace/tracefmt"
)

// table is one of n*n messages for each of n processes, in which every name is the same.
func table(name string) *sweep.Table {
	t := &sweep.Table{Axes: []string{"nodes", name}, Measures: []string{name}}
	for n := int64(2); n < 9; n++ {
		square := n * n
		t.Cells = append(t.Cells, sweep.Cell{
			At: []string{"0", name}, N: int(n), Runs: 1, Of: 1, Exhausted: true,
			Command: name, Measures: []sweep.Summary{{
				Measure: name, Unit: 1, Count: 1, Sum: big.NewInt(square), Squares: big.NewInt(square * square), Min: square,
				Max: square, MinRun: name, MaxRun: name,
			}},
		})
	}
	t.FindClosedForms()
	bound(t, &tracefmt.Bound{Messages: name, Without: []string{name}, Source: name}, 1, func(n int64) int64 { return 2 * n * n })
	return t
}

// bound puts a published bound beside each cell; its runs send this many messages that count.
func bound(t *sweep.Table, b *tracefmt.Bound, runs int64, value func(n int64) int64) {
	for i := range t.Cells {
		c := &t.Cells[i]
		sum := c.Measures[0].Sum.Int64()
		first := complexity.Compared{Bound: b, Value: float64(value(int64(c.N))), Measured: sum, Kept: complexity.Kept, Runs: runs, Sum: sum}
		c.Theory = append(c.Theory, first)
	}
}

// TestHostilePage: no name means anything on the page, which is well-formed, has no scripts and
// asks for nothing.
func TestHostilePage(t *testing.T) {
	for _, name := range []string{
		"messages", `</title><script>alert(1)</script>`, `"><img src="http://evil/">`, "]]>",
		"{{.}}", "\x1b[31m", `" id="x`, "\u202eevil",
	} {
		var out bytes.Buffer
		page := sweeps.Page{Table: table(name), Command: "etrace sweep " + name}
		if err := page.Write(t.Context(), &out); err != nil {
			t.Fatalf("%q: %v", name, err)
		}
		ids := map[string]bool{}
		decoder := xml.NewDecoder(&out)
		for {
			token, err := decoder.Token()
			if err == io.EOF {
				break
			}
			if err != nil {
				t.Fatalf("%q: %v", name, err)
			}
			e, ok := token.(xml.StartElement)
			if !ok {
				continue
			}
			switch e.Name.Local {
			case "script", "img", "a", "link", "iframe", "object":
				t.Errorf("%q becomes an element %s", name, e.Name.Local)
			}
			for _, a := range e.Attr {
				if a.Name.Local == "id" && ids[a.Value] {
					t.Errorf("%q: two elements are called %s", name, a.Value)
				}
				ids[a.Value] = ids[a.Value] || a.Name.Local == "id"
			}
		}
	}
}

// TestFormulaOfATable: the formula of n*n messages is n^2.
func TestFormulaOfATable(t *testing.T) {
	found := table("messages").ClosedForms
	if len(found) != 1 || !found[0].Result.Holds() || found[0].Result.Exact.Formula.String() != "n^2" {
		t.Errorf("got %+v", found)
	}
}

// TestPageTitle: the title of the user comes before that of the table.
func TestPageTitle(t *testing.T) {
	for title, want := range map[string]string{"Costs of rings": "<title>Costs of rings</title>", "": "<title>A sweep</title>"} {
		var out bytes.Buffer
		costs := table("messages")
		costs.Layout.Title = title
		if err := (&sweeps.Page{Table: costs}).Write(t.Context(), &out); err != nil || !strings.Contains(out.String(), want) {
			t.Errorf("%q: %v, no %s", title, err, want)
		}
	}
}

// TestPagesOfLittle: a table without cells, with one, or in which nothing was measured has a page, too.
func TestPagesOfLittle(t *testing.T) {
	first, nothing := table("messages"), table("messages")
	first.Cells = first.Cells[:1]
	for i := range nothing.Cells {
		nothing.Cells[i].Measures = []sweep.Summary{{Measure: "messages", Unit: 1, Sum: new(big.Int), Squares: new(big.Int)}}
		nothing.Cells[i].Theory = nil
	}
	for _, table := range []*sweep.Table{{}, {Measures: []string{"messages"}}, first, nothing} {
		table.FindClosedForms()
		page := sweeps.Page{Table: table, Command: "etrace sweep"}
		if err := page.Write(t.Context(), io.Discard); err != nil {
			t.Errorf("%d cells: %v", len(table.Cells), err)
		}
	}
}

// TestCoveredSeries: of two series with the same values the legend names the mark that is below the other.
func TestCoveredSeries(t *testing.T) {
	twice := table("messages")
	twice.Axes = []string{"nodes", "algorithm"}
	for i, c := range twice.Cells {
		c.At = []string{"0", "bully"}
		twice.Cells[i].At = []string{"0", "ring"}
		twice.Cells = append(twice.Cells, c)
	}
	d, err := sweeps.Plot(twice, "messages")
	if err != nil {
		t.Fatal(err)
	}
	var texts []string
	for _, l := range d.Layers {
		for _, n := range l.Nodes {
			texts = append(texts, n.Text)
		}
	}
	if !slices.Contains(texts, "algorithm ring, covered by algorithm bully") || !slices.Contains(texts, "algorithm bully") {
		t.Errorf("got %q", texts)
	}
}
