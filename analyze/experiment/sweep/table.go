package sweep

import (
	"fmt"
	"maps"
	"math/big"
	"slices"
	"strings"

	"etrace/analyze"
	"etrace/analyze/complexity"
	"etrace/tracefmt"
	"etrace/tracefmt/text"
)

// Table is the result of a sweep, with a row for each cell.
type Table struct {
	// Fixed lists the conditions that all cells share: the axes with one value, and other settings of the
	// scenarios. Axes are the names of the other axes.
	Fixed []Setting
	Axes  []string
	// Measures and Properties are the names of the values in each cell, in order.
	Measures, Properties []string
	Cells                []Cell
	// Unbounded lists why published bounds do not apply to the runs, one sentence each.
	Unbounded []string
	// Interrupted: the context ended before all runs were made.
	Interrupted bool
	// Layout sets the columns in tables for people.
	Layout Layout
	// Rankings are the results of [Table.Rank].
	Rankings []Ranking
	// ClosedForms are the results of [Table.FindClosedForms], Formulas those of [Table.Compare].
	ClosedForms []Finding
	Formulas    []Checked

	shards string // the missing shards, as far as known
}

// Cell is a row of the table.
type Cell struct {
	// At is the value of each of the table's axes.
	At []string
	// N is the number of processes that rules and bounds call n; see [tracefmt.Run.Size].
	N int
	// Runs is the number of finished runs, Of the number of planned runs.
	Runs, Of int64
	// Loops is the number of runs that end in a proven loop, Limited the number that end at a limit, such as
	// that of the scenario. Their measures cover only the recorded part.
	Loops, Limited int64
	// Exhausted: the planned runs are all possible runs. Otherwise they are a sample.
	Exhausted bool
	Measures  []Summary
	// Verdicts are the verdicts of each property.
	Verdicts []Tally
	// Theory compares each published bound that applies with the run that is closest to breaking it, by the
	// bound's own convention.
	Theory []complexity.Compared
	// Command is the arguments of "etrace sweep" that make the cell again.
	Command string

	bounds []tracefmt.Bound
	worst  []nearest
	varies map[*tracefmt.Bound]bool // bounds with different values in different runs
}

// Whole reports whether all runs of all cells were made.
func (t *Table) Whole() bool {
	return !slices.ContainsFunc(t.Cells, func(c Cell) bool { return !c.Whole() })
}

// maxNamed is the limit for the incomplete cells that are named.
const maxNamed = 4

// Unfinished names the incomplete cells, "" without any.
func (t *Table) Unfinished() string {
	var begun, missing []string
	for i := range t.Cells {
		switch c := &t.Cells[i]; {
		case c.Whole(): // all of its runs are done
		case c.Runs > 0:
			begun = append(begun, t.named(c))
		default:
			missing = append(missing, t.named(c))
		}
	}
	words := fmt.Sprintf("%d of %d cells are complete", len(t.Cells)-len(begun)-len(missing), len(t.Cells))
	switch {
	case begun == nil && missing == nil:
		return ""
	case len(t.Cells) == 1:
		words = "not all runs of the cell were made"
	default:
		if begun != nil {
			words += "; begun, with the runs that were made: " + text.Some(begun, maxNamed)
		}
		if missing != nil {
			words += "; without a run: " + text.Some(missing, maxNamed)
		}
	}
	if t.Interrupted {
		words = "interrupted: " + words
	}
	return words
}

// Unending describes the runs that did not end: their measures cover only the recorded part.
func (t *Table) Unending() (list []string) {
	var runs, loops, limited int64
	for i := range t.Cells {
		c := &t.Cells[i]
		runs, loops, limited = runs+c.Runs, loops+c.Loops, limited+c.Limited
	}
	say := func(n int64, words string) {
		if n > 0 {
			list = append(list, fmt.Sprintf("%d of %s %s", n, text.Counted(runs, "run", "runs"), words))
		}
	}
	say(loops, "would go on forever: what is measured is until the state repeats itself for the first time.")
	say(limited, "ended at a limit (until, max-events): what is measured is until then.")
	return list
}

// named names a cell by the axes that vary.
func (t *Table) named(c *Cell) string {
	words := make([]string, len(t.Axes))
	for i, axis := range t.Axes {
		words[i] = text.Printable(axis + " " + c.At[i])
	}
	return strings.Join(words, " ")
}

// begun returns the cells with runs. Tables for people omit the others.
func (t *Table) begun() (cells []*Cell) {
	for i := range t.Cells {
		if t.Cells[i].Runs > 0 {
			cells = append(cells, &t.Cells[i])
		}
	}
	return cells
}

// Verdict returns the worst verdict of all runs, "" if no property was checked.
func (t *Table) Verdict() analyze.Verdict {
	if len(t.Properties) == 0 {
		return ""
	}
	var verdicts []analyze.Verdict
	for i := range t.Cells {
		for _, tally := range t.Cells[i].Verdicts {
			verdicts = slices.AppendSeq(verdicts, maps.Keys(tally.Counts))
		}
	}
	return analyze.Worst(verdicts...)
}

// Open reports whether some verdict is open: undecided, or not applicable.
func (t *Table) Open() bool {
	for i := range t.Cells {
		for _, tally := range t.Cells[i].Verdicts {
			if tally.Counts[analyze.Unknown]+tally.Counts[analyze.Pending]+tally.Counts[analyze.NotApplicable] > 0 {
				return true
			}
		}
	}
	return false
}

// Whole reports whether all runs of the cell were made.
func (c *Cell) Whole() bool { return c.Runs == c.Of }

// Exact reports whether the means of the cell are exact: all possible runs were made.
func (c *Cell) Exact() bool { return c.Exhausted && c.Whole() }

// Sample reports whether the runs of the cell are a complete sample. An incomplete cell has the first runs,
// which may be unlike the others.
func (c *Cell) Sample() bool { return !c.Exhausted && c.Whole() }

// Measure returns the summary of a measure, nil if the cell has none.
func (c *Cell) Measure(name string) *Summary {
	for i := range c.Measures {
		if c.Measures[i].Measure == name {
			return &c.Measures[i]
		}
	}
	return nil
}

// Summary holds the statistics of a measure over the runs of a cell.
type Summary struct {
	Measure string
	// Unit is the unit of Sum, Min and Max as a fraction of the measure: 1 means whole numbers, 1e9 billionths.
	Unit int64
	// Count is the number of runs with the measure: a run without a delivery has no time of the last delivery.
	Count        int64
	Sum, Squares *big.Int
	// Min and Max are the minimum and the maximum, if Count is not 0. They are exact if the cell is, otherwise
	// the extremes of the runs seen.
	Min, Max int64
	// MinRun and MaxRun are the first runs with these values, as arguments of "etrace record".
	MinRun, MaxRun string

	minRun, maxRun int64
}

// Tally counts the verdicts of a property over the runs of a cell.
type Tally struct {
	Property string
	// Counts has an entry for each verdict that occurs.
	Counts map[analyze.Verdict]int64
	// Violating are the first runs that violate the property, as arguments of "etrace record".
	Violating []string

	violating []int64
}

// Mean returns the mean, nil if no run has the measure.
func (s *Summary) Mean() *big.Rat {
	if s.Count == 0 {
		return nil
	}
	return new(big.Rat).SetFrac(s.Sum, new(big.Int).Mul(big.NewInt(s.Count), big.NewInt(s.Unit)))
}

// Least returns the least value, nil if no run has the measure.
func (s *Summary) Least() *big.Rat { return s.value(s.Min) }

// Greatest returns the greatest value, nil if no run has the measure.
func (s *Summary) Greatest() *big.Rat { return s.value(s.Max) }

// value returns an extreme as a number; nil if no run has the measure.
func (s *Summary) value(n int64) *big.Rat {
	if s.Count == 0 {
		return nil
	}
	return big.NewRat(n, s.Unit)
}

// add adds the value of a run. For equal extremes it keeps the run with the lowest number, so the order of the
// calls does not matter.
func (s *Summary) add(run, value int64) {
	n := big.NewInt(value)
	s.join(&Summary{
		Count: 1, Sum: n, Squares: new(big.Int).Mul(n, n), Min: value, Max: value, minRun: run,
		maxRun: run,
	})
}

// join adds the summary of other runs.
func (s *Summary) join(o *Summary) {
	if o.Count == 0 {
		return
	}
	if s.Count == 0 || o.Min < s.Min || o.Min == s.Min && o.minRun < s.minRun {
		s.Min, s.minRun = o.Min, o.minRun
	}
	if s.Count == 0 || o.Max > s.Max || o.Max == s.Max && o.maxRun < s.maxRun {
		s.Max, s.maxRun = o.Max, o.maxRun
	}
	s.Count += o.Count
	s.Sum.Add(s.Sum, o.Sum)
	s.Squares.Add(s.Squares, o.Squares)
}
