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

// Table is what a sweep comes to: a row for each cell.
type Table struct {
	// Fixed is what all cells have in common: the axes with one value, and what else their
	// scenarios say. Axes are the names of the others.
	Fixed []Setting
	Axes  []string
	// Measures and Properties are the names of what is in each cell, in order.
	Measures, Properties []string
	Cells                []Cell
	// Unbounded says, a sentence each, why published bounds are not about the runs.
	Unbounded []string
	// Interrupted: the context ended before all runs were made.
	Interrupted bool
	// Layout says which columns there are where people read the table.
	Layout Layout
	// Rankings are those that were asked for.
	Rankings []Ranking
	// Laws are those that were looked for, Formulas what was put beside the table.
	Laws     []Finding
	Formulas []Checked

	shards string // those that are missing, as far as is known
}

// Cell is a row of the table.
type Cell struct {
	// At is the value of each of the table's axes.
	At []string
	// N is the number of processes that rules and bounds call n; see [tracefmt.Run.Size].
	N int
	// Runs is how many were made, Of how many there are to make.
	Runs, Of int64
	// Loops is how many of those that were made end in a proven loop, Limited how many at a
	// limit, be it that of the scenario. What is measured of them is until then.
	Loops, Limited int64
	// Exhausted: the runs to make are all that there are. Else they are a sample.
	Exhausted bool
	Measures  []Summary
	// Verdicts are those of each property.
	Verdicts []Tally
	// Theory is each published bound that is about the runs beside the run that comes
	// nearest to breaking it, each counted by the bound's own convention.
	Theory []complexity.Compared
	// Command is what follows "etrace sweep" to make the cell again.
	Command string

	bounds []tracefmt.Bound
	worst  []nearest
	varies map[*tracefmt.Bound]bool // those that are another number in another run
}

// Whole reports whether all runs of all cells were made.
func (t *Table) Whole() bool {
	return !slices.ContainsFunc(t.Cells, func(c Cell) bool { return !c.Whole() })
}

// mostNamed is how many cells are named of those that are not whole.
const mostNamed = 4

// Unfinished says which cells are not whole, "" if all are.
func (t *Table) Unfinished() string {
	var begun, missing []string
	for i := range t.Cells {
		switch c := &t.Cells[i]; {
		case c.Whole():
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
			words += "; begun, with the runs that were made: " + text.Some(begun, mostNamed)
		}
		if missing != nil {
			words += "; without a run: " + text.Some(missing, mostNamed)
		}
	}
	if t.Interrupted {
		words = "interrupted: " + words
	}
	return words
}

// Unending says, a sentence each, of how many runs what is measured is a part only.
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

// begun are the cells of which there are runs: the others have no row where people read the table.
func (t *Table) begun() (cells []*Cell) {
	for i := range t.Cells {
		if t.Cells[i].Runs > 0 {
			cells = append(cells, &t.Cells[i])
		}
	}
	return cells
}

// Verdict is the worst of all runs, "" if they were checked for nothing.
func (t *Table) Verdict() analyze.Verdict {
	if len(t.Properties) == 0 {
		return ""
	}
	var all []analyze.Verdict
	for i := range t.Cells {
		for _, tally := range t.Cells[i].Verdicts {
			all = slices.AppendSeq(all, maps.Keys(tally.Counts))
		}
	}
	return analyze.Worst(all...)
}

// Open reports whether a verdict of some run is open: it could not be decided, or
// the property is about what the run does not have.
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

// Exact reports whether the means of the cell are exact: all runs that there are
// were made.
func (c *Cell) Exact() bool { return c.Exhausted && c.Whole() }

// Sample reports whether the runs of the cell are a sample, all of which was made: those of
// an unfinished cell are the first ones, which need not be like the others.
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

// Summary is what a measure comes to over the runs of a cell.
type Summary struct {
	Measure string
	// Unit is how many of Sum, Min and Max make one: 1, or 1e9 for times.
	Unit int64
	// Count is how many runs have the measure: without a delivery there is no time
	// of the last one.
	Count        int64
	Sum, Squares *big.Int
	// Min and Max are the least and the greatest value, if Count is not 0. They are
	// exact if the cell is, else what was seen.
	Min, Max int64
	// MinRun and MaxRun are the first runs that have them: what follows "etrace
	// record" to make them.
	MinRun, MaxRun string

	minRun, maxRun int64
}

// Tally counts the verdicts of a property over the runs of a cell.
type Tally struct {
	Property string
	// Counts has the verdicts that there are.
	Counts map[analyze.Verdict]int64
	// Violating are the first runs that violate it, as what follows "etrace record".
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

func (s *Summary) value(n int64) *big.Rat {
	if s.Count == 0 {
		return nil
	}
	return big.NewRat(n, s.Unit)
}

// add takes in the value of a run. The first run that has an extreme is kept,
// whatever the order in which they come.
func (s *Summary) add(run, value int64) {
	n := big.NewInt(value)
	s.join(&Summary{Count: 1, Sum: n, Squares: new(big.Int).Mul(n, n), Min: value, Max: value, minRun: run, maxRun: run})
}

// join takes in what other runs come to.
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
