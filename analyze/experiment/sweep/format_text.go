package sweep

import (
	"bufio"
	"encoding/csv"
	"fmt"
	"io"
	"strconv"
	"strings"
	"text/tabwriter"

	"etrace/analyze"
	"etrace/tracefmt/text"
)

var textFormat = Format{Name: "text", Doc: "a table for people", Write: writeText}

func writeText(w io.Writer, t *Table) error {
	b := bufio.NewWriter(w)
	p := t.page()
	if p.title != "" {
		fmt.Fprintln(b, p.title)
	}
	tw := tabwriter.NewWriter(b, 0, 0, 2, ' ', 0)
	for _, row := range append([][]string{p.head}, p.rows...) {
		fmt.Fprintln(tw, strings.Join(row, "\t"))
	}
	if err := tw.Flush(); err != nil {
		return err
	}
	for _, note := range p.notes {
		fmt.Fprintln(b, note)
	}
	return b.Flush()
}

var markdownFormat = Format{Name: "markdown", Doc: "a Markdown table, for documents", Write: writeMarkdown}

func writeMarkdown(w io.Writer, t *Table) error {
	b := bufio.NewWriter(w)
	p := t.page()
	if p.title != "" {
		fmt.Fprintf(b, "%s\n\n", text.Markdown(p.title))
	}
	line := func(row []string) {
		for _, cell := range row {
			fmt.Fprintf(b, "| %s ", text.Markdown(cell))
		}
		fmt.Fprintln(b, "|")
	}
	line(p.head)
	fmt.Fprintln(b, strings.Repeat("|--:", len(p.head))+"|")
	for _, row := range p.rows {
		line(row)
	}
	for _, note := range p.notes {
		fmt.Fprintf(b, "\n%s\n", text.Markdown(note))
	}
	return b.Flush()
}

var csvFormat = Format{Name: "csv", Doc: "comma-separated values with a heading, a line for each measure and each verdict of a cell", Write: writeCSV}

// writeCSV writes values as they are, also those that a terminal would obey: CSV
// is for programs.
func writeCSV(w io.Writer, t *Table) error {
	c := csv.NewWriter(w)
	head := []string{}
	for _, s := range t.Fixed {
		head = append(head, s.Name)
	}
	head = append(append(head, t.Axes...), "n", "runs", "of", "exhausted", "measure", "count", "mean", "decimal", "deviation", "interval", "min", "max")
	_ = c.Write(head) // the writer keeps its first error
	for i := range t.Cells {
		for _, row := range t.csvRows(&t.Cells[i]) {
			_ = c.Write(row)
		}
	}
	c.Flush()
	return c.Error()
}

// csvRows are the lines of a cell.
func (t *Table) csvRows(c *Cell) (rows [][]string) {
	var at []string
	for _, s := range t.Fixed {
		at = append(at, s.Value)
	}
	at = append(append(at, c.At...), strconv.Itoa(c.N), fmt.Sprint(c.Runs), fmt.Sprint(c.Of), strconv.FormatBool(c.Exhausted))
	row := func(words ...string) { rows = append(rows, append(at[:len(at):len(at)], words...)) }
	for i := range c.Measures {
		s := &c.Measures[i]
		if s.Count == 0 {
			row(s.Measure, "0", "", "", "", "", "", "")
			continue
		}
		deviation, interval := "", ""
		if d, ok := s.Deviation(!c.Exact()); ok {
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

// float writes a number as briefly as it can be read back.
func float(x float64) string { return strconv.FormatFloat(x, 'f', -1, 64) }
