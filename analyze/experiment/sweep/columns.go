package sweep

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strconv"

	"etrace/tracefmt/text"
)

// Layout sets the columns of a table.
type Layout struct {
	// Columns are the names of the columns, nil for all.
	Columns []string
	// Pivot is an axis whose values become columns, "" for none. Then a row has all cells that differ only in
	// this axis.
	Pivot string
	// Title is the title of plots and pages and the caption of a table in LaTeX, Label the label of that table; "" is
	// one made from the conditions of the runs.
	Title, Label string
}

// notInReferences matches characters that a label in LaTeX cannot have.
var notInReferences = regexp.MustCompile(`[^-A-Za-z0-9:._]`)

// CheckLayout returns an error if the plan's table in the given form cannot have the layout.
func (p *Plan) CheckLayout(f *Format, l Layout) error {
	t := p.table()
	t.Layout = l
	// Each flag is refused by its own name: the user chose the form and the layout by different flags.
	switch {
	case l.Columns != nil && f.Columns == nil:
		return fmt.Errorf("--columns: the form %s has none to choose", f.Name)
	case l.Label != "" && f.Name != latexFormat.Name:
		return fmt.Errorf("--label: the form %s has none, expected %s", f.Name, latexFormat.Name)
	case notInReferences.MatchString(l.Label):
		return fmt.Errorf("--label %s: expected letters, digits and -:._ only", text.Quote(l.Label))
	case l.Pivot == "":
	case !f.Pivots:
		return fmt.Errorf("--pivot: the form %s has a line for each cell", f.Name)
	case !slices.Contains(t.Axes, l.Pivot):
		if len(t.Axes) == 0 {
			return errors.New("--pivot: no axis has several values")
		}
		return fmt.Errorf("--pivot: %w", text.Unknown("axis with several values", l.Pivot, t.Axes))
	}
	for i, name := range l.Columns {
		if slices.Contains(l.Columns[:i], name) {
			return fmt.Errorf("--columns: %s is given twice", text.Quote(name))
		}
		if names := f.Columns(t); !slices.Contains(names, name) {
			return fmt.Errorf("--columns: %w", text.Unknown("column", name, names))
		}
	}
	return nil
}

// ColumnNames returns the possible names of columns in tables for people, without those of parameters and
// properties.
func ColumnNames() []string {
	names := append(AxisNames(), "n", "runs")
	measures, _ := Measures()
	for _, m := range measures {
		names = append(names, m, Min+" "+m, Max+" "+m)
	}
	return append(names, publishedColumn)
}

// column is a column of a table for people.
type column struct {
	// name is the column's name in a layout, head its heading.
	name, head string
	// measure is the measure in the column, "" for none.
	measure string
	// words is true for a column of texts, which are aligned left; numbers are aligned right.
	words bool
	// text returns the entry of a cell.
	text func(c *Cell) string
}

// publishedColumn is the name of the column of published bounds.
const publishedColumn = "published"

// columns lists all columns that the table can have: the axes, the number of runs, the statistics of each
// measure, the published bounds (with marks that legend explains), and the verdicts of each property.
func (t *Table) columns(legend *Legend) (list []column) {
	list = append(t.places(), column{name: "runs", head: "runs", text: (*Cell).runs})
	smallest, largest := "min", "max"
	if !t.exact() {
		smallest, largest = "smallest seen", "largest seen"
	}
	for i, m := range t.Measures {
		list = append(list,
			column{name: m, head: Heading(m), measure: m, text: func(c *Cell) string { return c.Measures[i].mean(c) }},
			column{
				name: Min + " " + m, head: smallest, measure: m,
				text: func(c *Cell) string { return decimal(c.Measures[i].Least()) },
			},
			column{
				name: Max + " " + m, head: largest, measure: m,
				text: func(c *Cell) string { return decimal(c.Measures[i].Greatest()) },
			})
	}
	list = append(list, column{
		name: publishedColumn, head: publishedColumn, words: true,
		text: func(c *Cell) string { return c.published(legend) },
	})
	for i, p := range t.Properties {
		list = append(list, column{
			name: p, head: p, words: true,
			text: func(c *Cell) string { return c.Verdicts[i].String() },
		})
	}
	return list
}

// places lists the columns that identify a cell: its value of each axis and, unless that is an axis, the
// number of processes.
func (t *Table) places() (list []column) {
	for i, axis := range t.Axes {
		list = append(list, column{
			name: axis, head: axis, words: !t.allNumbers(i),
			text: func(c *Cell) string { return text.Printable(c.At[i]) },
		})
	}
	nodes := slices.Index(t.Axes, nodesAxis)
	// Beside clients, the number of processes n is not that of the nodes.
	differs := func(c Cell) bool { return c.At[nodes] != strconv.Itoa(c.N) }
	if nodes < 0 && !t.isFixed(nodesAxis) || nodes >= 0 && slices.ContainsFunc(t.Cells, differs) {
		list = append(list, column{name: "n", head: "n", text: func(c *Cell) string { return strconv.Itoa(c.N) }})
	}
	return list
}

// place returns the entries of a cell in the columns of places.
func (t *Table) place(c *Cell) []string { return cellsOf(c, t.places()) }

// columnNames lists the names of the columns that a layout may choose. A pivot table always has all other
// axes, so these are not named.
func columnNames(t *Table) (names []string) {
	for i, c := range t.columns(new(Legend)) {
		if t.Layout.Pivot == "" || i >= len(t.places()) {
			names = append(names, c.name)
		}
	}
	return names
}

// chosen returns the columns of the layout. By default these are all columns, or the means of the measures in
// a pivot table.
func (t *Table) chosen(published bool, legend *Legend) (list []column) {
	available, asked := t.columns(legend), t.Layout.Columns
	if asked == nil && t.Layout.Pivot != "" {
		asked = t.Measures
	}
	if asked == nil {
		return slices.DeleteFunc(available, func(c column) bool { return c.name == publishedColumn && !published })
	}
	for _, name := range asked {
		i := slices.IndexFunc(available, func(c column) bool { return c.name == name })
		if i < 0 {
			// Plan.CheckLayout rejects unknown names.
			continue
		}
		c := available[i]
		if c.measure != c.name && c.measure != "" && (len(list) == 0 || list[len(list)-1].measure != c.measure) {
			// The column does not follow the mean, so it names the measure.
			c.head = Heading(c.measure) + ", " + c.head
		}
		list = append(list, c)
	}
	return list
}
