package sweep

import (
	"errors"
	"fmt"
	"slices"
	"strconv"

	"etrace/tracefmt/text"
)

// Layout says which columns a table has.
type Layout struct {
	// Columns are their names, nil for all of them.
	Columns []string
	// Pivot is an axis whose values are columns, "" for none: then a row has all cells that
	// differ in this axis only.
	Pivot string
}

// CheckLayout says early what is wrong with a layout of the plan's table in a form.
func (p *Plan) CheckLayout(f *Format, l Layout) error {
	t := p.table()
	t.Layout = l
	switch {
	case l.Columns != nil && f.Columns == nil:
		return fmt.Errorf("--columns: the form %s has none to choose", f.Name)
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

// ColumnNames returns the names that columns of tables for people may have, but for parameters
// and properties.
func ColumnNames() []string {
	names := append(AxisNames(), "n", "runs")
	measures, _ := Measures()
	for _, m := range measures {
		names = append(names, m, Min+" "+m, Max+" "+m)
	}
	return append(names, publishedColumn)
}

// column is one of the table as people read it.
type column struct {
	// name is that by which it is asked for.
	name, head string
	// measure is the one that it is about, "" for none.
	measure string
	// words: it has texts, and no numbers.
	words bool
	of    func(c *Cell) string
}

// publishedColumn is the name of the column of published bounds.
const publishedColumn = "published"

// columns are all that the table may have: where a row belongs, the measures, the published
// bounds with their marks in a legend, and the verdicts.
func (t *Table) columns(legend *Legend) (list []column) {
	list = append(t.places(), column{name: "runs", head: "runs", of: (*Cell).runs})
	least, greatest := "min", "max"
	if !t.exact() {
		least, greatest = "smallest seen", "largest seen"
	}
	for i, m := range t.Measures {
		list = append(list,
			column{m, Heading(m), m, false, func(c *Cell) string { return c.Measures[i].mean(c) }},
			column{Min + " " + m, least, m, false, func(c *Cell) string { return decimal(c.Measures[i].Least()) }},
			column{Max + " " + m, greatest, m, false, func(c *Cell) string { return decimal(c.Measures[i].Greatest()) }})
	}
	list = append(list, column{publishedColumn, publishedColumn, "", true, func(c *Cell) string { return c.published(legend) }})
	for i, p := range t.Properties {
		list = append(list, column{p, p, "", true, func(c *Cell) string { return c.Verdicts[i].String() }})
	}
	return list
}

// places are the columns that say which cell a row is of.
func (t *Table) places() (list []column) {
	for i, axis := range t.Axes {
		list = append(list, column{axis, axis, "", !t.allNumbers(i), func(c *Cell) string { return text.Printable(c.At[i]) }})
	}
	nodes := slices.Index(t.Axes, nodesAxis)
	differs := func(c Cell) bool { return c.At[nodes] != strconv.Itoa(c.N) } // there are clients
	if nodes < 0 && !t.isFixed(nodesAxis) || nodes >= 0 && slices.ContainsFunc(t.Cells, differs) {
		list = append(list, column{"n", "n", "", false, func(c *Cell) string { return strconv.Itoa(c.N) }})
	}
	return list
}

// place is a cell in the columns that say which it is.
func (t *Table) place(c *Cell) []string { return cellsOf(c, t.places()) }

// columnNames are those of the columns that a page may have. Beside a pivot all axes are
// there anyway.
func columnNames(t *Table) (names []string) {
	for i, c := range t.columns(new(Legend)) {
		if t.Layout.Pivot == "" || i >= len(t.places()) {
			names = append(names, c.name)
		}
	}
	return names
}

// chosen are the columns that are laid out: those that were asked for, beside a pivot the means
// of the measures, else all.
func (t *Table) chosen(published bool, legend *Legend) (list []column) {
	all, asked := t.columns(legend), t.Layout.Columns
	if asked == nil && t.Layout.Pivot != "" {
		asked = t.Measures
	}
	if asked == nil {
		return slices.DeleteFunc(all, func(c column) bool { return c.name == publishedColumn && !published })
	}
	for _, name := range asked {
		i := slices.IndexFunc(all, func(c column) bool { return c.name == name })
		if i < 0 {
			continue // a plan refuses it
		}
		c := all[i]
		if c.measure != c.name && c.measure != "" && (len(list) == 0 || list[len(list)-1].measure != c.measure) {
			c.head = Heading(c.measure) + ", " + c.head // it does not follow the mean
		}
		list = append(list, c)
	}
	return list
}
