package sweep

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"math"
	"math/big"
	"slices"
	"strconv"
	"strings"

	"etrace/analyze"
	"etrace/tracefmt/text"
)

// Format is a form of the table.
type Format struct {
	Name, Doc string
	Write     func(w io.Writer, t *Table) error
	// Columns returns the names of the columns that the form can have. It is nil if the columns cannot be
	// chosen.
	Columns func(t *Table) []string
	// Pivots: the form can have the values of an axis as columns.
	Pivots bool
	// Bare: the form has only rows, and no place for [Table.Findings].
	Bare bool
}

// Key is the format's name; see [text.Named].
func (f *Format) Key() string { return f.Name }

// Check returns an error for a format without a function Write.
func (f *Format) Check() error {
	if f.Write == nil {
		return errors.New("expected a function Write")
	}
	return nil
}

var formats = text.NewRegistry("format of sweeps", &csvFormat, &htmlFormat, &jsonFormat, &latexFormat,
	&markdownFormat, &textFormat)

// Formats returns the registry of the forms of the table.
func Formats() text.Registry[*Format] { return formats }

// isFixed reports whether the axis has one value in all cells.
func (t *Table) isFixed(axis string) bool {
	return slices.ContainsFunc(t.Fixed, func(s Setting) bool { return s.Name == axis })
}

// exact reports whether all cells with runs have exact means.
func (t *Table) exact() bool {
	return !slices.ContainsFunc(t.begun(), func(c *Cell) bool { return !c.Exact() })
}

// sampled reports whether the means of some cell are those of a complete sample.
func (t *Table) sampled() bool { return slices.ContainsFunc(t.begun(), (*Cell).Sample) }

// spreadless reports whether some sample has several runs, all with the same value.
func (t *Table) spreadless() bool {
	return slices.ContainsFunc(t.Cells, func(c Cell) bool {
		return c.Sample() && slices.ContainsFunc(t.Measures, func(name string) bool {
			s := c.Measure(name)
			if s == nil || s.Count < 2 {
				return false
			}
			_, varies := s.Interval()
			return !varies
		})
	})
}

// title lists the settings that all cells share.
func (t *Table) title() string {
	var words []string
	for _, s := range t.Fixed {
		words = append(words, text.Printable(s.Name+" "+s.Value))
	}
	return strings.Join(words, ", ")
}

// hasTheory reports whether some cell has a bound with a value.
func (t *Table) hasTheory() bool { return len(t.Published()) > 0 }

// noneText is the text of a missing value.
const noneText = "none"

// runs returns the number of runs: "3 of 100", or "6, all" if no others exist.
func (c *Cell) runs() string {
	switch {
	case c.Runs < c.Of:
		return fmt.Sprintf("%d of %d", c.Runs, c.Of)
	case c.Exhausted:
		return fmt.Sprintf("%d, all", c.Runs)
	}
	return strconv.FormatInt(c.Runs, 10)
}

// mean returns an exact mean as a fraction, or the mean of the sample with its interval.
func (s *Summary) mean(c *Cell) string {
	mean := s.Mean()
	switch {
	case mean == nil:
		return noneText
	case c.Exact() && mean.IsInt():
		return mean.RatString()
	case c.Exact():
		return mean.RatString() + " = " + decimal(mean)
	}
	half, ok := s.Interval()
	if !ok || !c.Sample() {
		return decimal(mean)
	}
	return decimal(mean) + " ± " + twoDigits(half)
}

// twoDigits writes a number with two significant digits and without an exponent: 0.64, 3.4, 120.
func twoDigits(x float64) string {
	rounded := strconv.FormatFloat(x, 'e', 1, 64)
	if x, err := strconv.ParseFloat(rounded, 64); err == nil && math.Abs(x) >= 1 {
		return strconv.FormatFloat(x, 'f', -1, 64)
	}
	return strconv.FormatFloat(x, 'g', 2, 64)
}

// digits is the number of decimals in tables for people.
const digits = 3

// decimal writes a number with a few decimals, "none" for nil.
func decimal(x *big.Rat) string {
	if x == nil {
		return noneText
	}
	s := x.FloatString(digits)
	return strings.TrimSuffix(strings.TrimRight(s, "0"), ".")
}

// number returns x as the nearest float, 0 if it is not finite.
func number(x *big.Rat) float64 {
	f, _ := x.Float64()
	if math.IsInf(f, 0) {
		return 0
	}
	return f
}

// String lists the verdicts with their counts: "2 violated, 98 satisfied".
func (t *Tally) String() string {
	var words []string
	for _, v := range analyze.Verdicts {
		if n := t.Counts[v.Verdict]; n > 0 {
			words = append(words, fmt.Sprintf("%d %s", n, v.Verdict))
		}
	}
	return cmp.Or(strings.Join(words, ", "), noneText)
}

// WriteSum writes a line with the number of runs in a file.
func (t *Table) WriteSum(w io.Writer, file string) error {
	_, err := fmt.Fprintf(w, "%s: %s\n", file, t.sum())
	return err
}

// sum returns the last line of a table: the numbers of cells and runs.
func (t *Table) sum() string {
	var runs, total int64
	for i := range t.Cells {
		runs, total = runs+t.Cells[i].Runs, total+t.Cells[i].Of
	}
	s := text.Counted(len(t.Cells), "cell", "cells") + ", " + text.Counted(runs, "run", "runs")
	if runs < total {
		s += fmt.Sprintf(" of %d", total)
	}
	return s
}
