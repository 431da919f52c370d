package sweep

import (
	"encoding/csv"
	"fmt"
	"io"
	"slices"
	"strconv"

	"etrace/analyze"
)

var csvFormat = Format{
	Name: "csv", Doc: "comma-separated values with a heading, a line for each measure and each verdict of a cell",
	Write: writeCSV, Columns: csvHead, Bare: true,
}

// csvHead returns the names of the columns.
func csvHead(t *Table) (head []string) {
	for _, s := range t.Fixed {
		head = append(head, s.Name)
	}
	return append(
		append(head, t.Axes...), "n", "runs", "of", "exhausted", "measure", "count", "mean", "decimal",
		"deviation", "interval", "min", "max",
	)
}

// writeCSV writes values unchanged, including control characters, since CSV is for programs.
func writeCSV(w io.Writer, t *Table) error {
	c := csv.NewWriter(w)
	head := csvHead(t)
	chosen := t.Layout.Columns
	if chosen == nil {
		chosen = head
	}
	// The writer keeps its first error, which Error returns.
	_ = c.Write(chosen)
	for i := range t.Cells {
		for _, row := range t.csvRows(&t.Cells[i]) {
			line := make([]string, len(chosen))
			for j, name := range chosen {
				line[j] = row[slices.Index(head, name)]
			}
			_ = c.Write(line)
		}
	}
	c.Flush()
	return c.Error()
}

// csvRows returns the lines of a cell.
func (t *Table) csvRows(c *Cell) (rows [][]string) {
	var at []string
	for _, s := range t.Fixed {
		at = append(at, s.Value)
	}
	at = append(append(at, c.At...), strconv.Itoa(c.N), fmt.Sprint(c.Runs), fmt.Sprint(c.Of),
		strconv.FormatBool(c.Exhausted))
	// The limited capacity keeps the rows from sharing memory.
	row := func(words ...string) { rows = append(rows, append(at[:len(at):len(at)], words...)) }
	for i := range c.Measures {
		s := &c.Measures[i]
		if s.Count == 0 {
			row(s.Measure, "0", "", "", "", "", "", "")
			continue
		}
		deviation, interval := "", ""
		if d, ok := s.deviation(!c.Exact()); ok {
			deviation = float(d)
		}
		if half, ok := s.Interval(); ok && c.Sample() {
			interval = float(half)
		}
		row(s.Measure, fmt.Sprint(s.Count), s.Mean().RatString(), float(number(s.Mean())), deviation, interval,
			float(number(s.Least())), float(number(s.Greatest())))
	}
	for _, v := range c.Verdicts {
		for _, known := range analyze.Verdicts {
			if n := v.Counts[known.Verdict]; n > 0 {
				row(v.Property+": "+string(known.Verdict), fmt.Sprint(n), "", "", "", "", "", "")
			}
		}
	}
	return rows
}

// float writes the shortest text that reads back as the same number.
func float(x float64) string { return strconv.FormatFloat(x, 'f', -1, 64) }
