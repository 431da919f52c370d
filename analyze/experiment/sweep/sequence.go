package sweep

import (
	"fmt"
	"math"
	"math/big"
	"slices"
	"strconv"
	"strings"

	"etrace/analyze/closedform"
	"etrace/tracefmt/text"
)

// Sequence is a statistic of a measure over the sizes of a table, for one value of each axis that is not
// numeric.
type Sequence struct {
	// At are the values of the other axes that vary.
	At []Setting
	// Statistic is mean, min or max.
	Statistic, Measure string
	// Variables are n and the numeric axes, as formulas name them.
	Variables []string
	Points    []closedform.Point
}

// The statistics of a measure.
const (
	Mean = "mean"
	Min  = "min"
	Max  = "max"
)

// statistics are the values of a summary by name.
var statistics = []struct {
	name  string
	value func(s *Summary) *big.Rat
}{
	{Mean, (*Summary).Mean}, {Min, (*Summary).Least}, {Max, (*Summary).Greatest},
}

// String names the sequence: "max of messages (algorithm bully)".
func (s *Sequence) String() string {
	name := text.Printable(s.Measure)
	if s.Statistic != "" {
		name = s.Statistic + " of " + name
	}
	if at := s.Place(); at != "" {
		name += " (" + at + ")"
	}
	return name
}

// Place names the values of the other axes.
func (s *Sequence) Place() string {
	var words []string
	for _, a := range s.At {
		words = append(words, text.Printable(a.Name+" "+a.Value))
	}
	return strings.Join(words, ", ")
}

// Sequences returns the sequences of a measure and a statistic over n, without incomplete cells.
func (t *Table) Sequences(measure, statistic string) []Sequence {
	return t.sequences(measure, statistic, false)
}

// NumericSequences is [Table.Sequences] with all numeric axes as variables.
func (t *Table) NumericSequences(measure, statistic string) []Sequence {
	return t.sequences(measure, statistic, true)
}

// sequences returns a sequence for each combination of values of the axes that are no variables. If numeric
// is set, all numeric axes are variables.
func (t *Table) sequences(measure, statistic string, numeric bool) []Sequence {
	variables, isNumber := t.variables(numeric)
	var list []Sequence
	index := map[string]int{}
	for i := range t.Cells {
		c := &t.Cells[i]
		point, ok := c.point(measure, statistic)
		if !ok {
			continue
		}
		at := t.otherSettings(c, isNumber)
		key := fmt.Sprint(at)
		if _, known := index[key]; !known {
			index[key] = len(list)
			list = append(list, Sequence{At: at, Statistic: statistic, Measure: measure, Variables: variables})
		}
		point.At = c.coordinates(isNumber)
		s := &list[index[key]]
		s.Points = append(s.Points, point)
	}
	return list
}

// coordinates returns the values of the variables in a cell.
func (c *Cell) coordinates(isNumber []bool) []int64 {
	values := []int64{int64(c.N)}
	for i, v := range c.At {
		if isNumber[i] {
			// allNumbers has parsed it before.
			n, _ := strconv.ParseInt(v, 10, 64)
			values = append(values, n)
		}
	}
	return values
}

// otherSettings returns the values of the axes that are neither the number of processes nor variables.
func (t *Table) otherSettings(c *Cell, isNumber []bool) (at []Setting) {
	for i, axis := range t.Axes {
		if axis != nodesAxis && !isNumber[i] {
			at = append(at, Setting{axis, c.At[i]})
		}
	}
	return at
}

// nodesAxis is the axis of the number of processes, which each cell has as N.
const nodesAxis = "nodes"

// algorithmAxis is the axis of the algorithm.
const algorithmAxis = "algorithm"

// variables returns the names of the variables, n and, if numbers is set, the numeric axes; and which axes
// these are.
func (t *Table) variables(numbers bool) (names []string, isNumber []bool) {
	names, isNumber = []string{"n"}, make([]bool, len(t.Axes))
	for i, axis := range t.Axes {
		if !numbers || axis == nodesAxis || !t.allNumbers(i) {
			continue
		}
		isNumber[i] = true
		names = append(names, variable(axis))
	}
	return names, isNumber
}

// allNumbers reports whether all values of an axis are integers.
func (t *Table) allNumbers(axis int) bool {
	return !slices.ContainsFunc(t.Cells, func(c Cell) bool {
		_, err := strconv.ParseInt(c.At[axis], 10, 64)
		return err != nil
	})
}

// variable returns the name of an axis in formulas.
func variable(axis string) string {
	_, param, isParam := strings.Cut(axis, " ")
	if isParam {
		axis = param
	}
	name := strings.Map(func(r rune) rune {
		if r == '_' || 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || '0' <= r && r <= '9' {
			return r
		}
		return '_'
	}, axis)
	// A formula needs an identifier, and n is already the number of processes.
	if name == "n" || name == "" || name[0] >= '0' && name[0] <= '9' {
		return "_" + name
	}
	return name
}

// point returns a statistic of a complete cell as a point for formulas. ok is false for the extremes of a
// sample, which follow no formula.
func (c *Cell) point(measure, statistic string) (p closedform.Point, ok bool) {
	s := c.Measure(measure)
	if s == nil || s.Count == 0 || !c.Whole() || statistic != Mean && !c.Exact() {
		return p, false
	}
	i := slices.IndexFunc(statistics, func(entry struct {
		name  string
		value func(s *Summary) *big.Rat
	},
	) bool {
		return entry.name == statistic
	})
	if i < 0 {
		return p, false
	}
	p = closedform.Point{Value: statistics[i].value(s), Sampled: !c.Exact()}
	if deviation, some := s.deviation(true); some && p.Sampled {
		p.Error = deviation / math.Sqrt(float64(s.Count))
		// The error allows for one more run with the next value.
		if p.Error == 0 {
			p.Unseen = 1 / (float64(s.Unit) * float64(s.Count))
		}
	}
	return p, true
}
