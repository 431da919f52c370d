package sweep

import (
	"errors"
	"fmt"
	"math/big"
	"slices"
	"strings"

	"etrace/tracefmt/text"
)

// Ranking orders the values of an axis by the mean of a measure, for each number of processes. Two means differ
// if both are exact, or if their confidence intervals do not overlap.
//
// Cells share seeds, so their samples depend on each other: if two algorithms draw the same ring from a seed,
// their measures are correlated. If two intervals do not overlap, the means differ by more than the sum of the
// half widths. The deviation of a difference is at most the sum of the two deviations, for any correlation. So
// the confidence of each comparison is at least that of an interval. There is no correction for multiple
// comparisons.
type Ranking struct {
	Measure string `json:"measure"`
	// Axis is the ranked axis; Of has the values of the other axes except nodes.
	Axis string            `json:"axis"`
	Of   map[string]string `json:"of"`
	// Sizes are the ranks for each number of processes, in rising order.
	Sizes []Ranks `json:"sizes"`
	// Pairs are all pairs of values that share a size.
	Pairs []Pair `json:"pairs"`

	at      []Setting
	sampled bool
}

// Ranks are the values of the axis at one number of processes, by ascending mean.
type Ranks struct {
	N      int     `json:"n"`
	Groups []Group `json:"groups"`
}

// Group is a set of values whose means are not distinguishable. All of them are below every value of the
// later groups.
type Group struct {
	Values []string `json:"values"`
	// Same is true if all means of the group are exact and equal.
	Same bool `json:"same"`
}

// Pair compares two values of the axis, size by size.
type Pair struct {
	A     string `json:"a"`
	B     string `json:"b"`
	Parts []Part `json:"parts"`
}

// Part is a range of sizes, adjacent in the table, in which A and B have the same relation.
type Part struct {
	// Is is "below", "above", "same" if both means are exact, or "open".
	Is    string `json:"is"`
	First int    `json:"first"`
	Last  int    `json:"last"`

	complete, begins, ends bool // whether the part has all sizes, the first size, the last size
}

// The relations between two means.
const (
	below = "below"
	above = "above"
	same  = "same"
	open  = "open"
)

// ranked is the mean of a cell with half of its confidence interval.
type ranked struct {
	value string
	mean  *big.Rat
	half  *big.Rat // nil if the mean is exact
}

// CheckRank returns an error if there is nothing to rank.
func (p *Plan) CheckRank() error {
	if p.table().rankedAxis() < 0 {
		return errors.New("there is nothing to compare, expected several algorithms, or several values of another axis than nodes")
	}
	return nil
}

// rankedAxis returns the first axis other than the number of processes, or -1.
func (t *Table) rankedAxis() int {
	return slices.IndexFunc(t.Axes, func(a string) bool { return a != nodesAxis })
}

// Rank ranks the means of all measures. The rankings are printed after the table.
func (t *Table) Rank() {
	t.Rankings = nil
	axis := t.rankedAxis()
	if axis < 0 {
		return
	}
	for _, m := range t.Measures {
		t.Rankings = append(t.Rankings, t.rankings(m, axis)...)
	}
}

// rankings ranks the values of an axis by the mean of a measure, once for each combination of values of the
// other axes.
func (t *Table) rankings(measure string, axis int) (list []Ranking) {
	sizes := map[string]map[int][]ranked{} // the keys are the values of the other axes, then n
	for i := range t.Cells {
		c := &t.Cells[i]
		mean, ok := c.ranked(measure)
		if !ok {
			continue
		}
		mean.value = c.At[axis]
		r := Ranking{Measure: measure, Axis: t.Axes[axis], Of: map[string]string{}}
		for j, a := range t.Axes {
			if j != axis && a != nodesAxis {
				r.Of[a] = c.At[j]
				r.at = append(r.at, Setting{a, c.At[j]})
			}
		}
		key := fmt.Sprintf("%q", r.at)
		if sizes[key] == nil {
			sizes[key] = map[int][]ranked{}
			list = append(list, r)
		}
		sizes[key][c.N] = append(sizes[key][c.N], mean)
	}
	for i := range list {
		list[i].rank(sizes[fmt.Sprintf("%q", list[i].at)])
	}
	return slices.DeleteFunc(list, func(r Ranking) bool { return len(r.Pairs) == 0 })
}

// ranked returns the mean of a cell. If all runs of a sample have the same value, the interval allows for one
// more run with the next value.
func (c *Cell) ranked(measure string) (r ranked, ok bool) {
	s := c.Measure(measure)
	if s == nil || s.Count == 0 || !c.Exact() && !c.Sample() {
		return r, false
	}
	r.mean = s.Mean()
	if c.Exact() {
		return r, true
	}
	half, ok := s.Interval()
	if !ok && s.Count > 1 {
		// All runs had one value. One more run with the next possible value would move the mean by this much.
		half = s.student() / (float64(s.Unit) * float64(s.Count))
	}
	if half == 0 {
		return r, false
	}
	r.half = new(big.Rat).SetFloat64(half)
	return r, r.half != nil
}

// compare returns the relation of r to o: below, above, same, or open if their intervals overlap.
func (r *ranked) compare(o *ranked) string {
	if r.half == nil && o.half == nil && r.mean.Cmp(o.mean) == 0 {
		return same
	}
	switch {
	case r.end(1).Cmp(o.end(-1)) < 0:
		return below
	case r.end(-1).Cmp(o.end(1)) > 0:
		return above
	}
	return open
}

// end returns the upper end of the interval, or the lower end for -1.
func (r *ranked) end(sign int64) *big.Rat {
	if r.half == nil {
		return r.mean
	}
	e := new(big.Rat).Mul(r.half, big.NewRat(sign, 1))
	return e.Add(e, r.mean)
}

// rank sets the ranks from the means by number of processes.
func (r *Ranking) rank(sizes map[int][]ranked) {
	var ns []int
	var values []string
	for n, cells := range sizes {
		ns = append(ns, n)
		for _, c := range cells {
			r.sampled = r.sampled || c.half != nil
		}
	}
	// The values keep the order of the table, whatever the order of the map.
	slices.Sort(ns)
	for _, n := range ns {
		for _, c := range sizes[n] {
			if !slices.Contains(values, c.value) {
				values = append(values, c.value)
			}
		}
	}
	for _, n := range ns {
		r.Sizes = append(r.Sizes, ranksOf(n, slices.Clone(sizes[n]), values))
	}
	for i, a := range values {
		for _, b := range values[i+1:] {
			if parts := partsOf(a, b, ns, sizes); parts != nil {
				r.Pairs = append(r.Pairs, Pair{a, b, parts})
			}
		}
	}
}

// ranksOf groups the means of one size. Within a group the values have the order of the table.
func ranksOf(n int, cells []ranked, values []string) Ranks {
	slices.SortStableFunc(cells, func(a, b ranked) int { return a.mean.Cmp(b.mean) })
	r := Ranks{N: n}
	for i := range cells {
		if i == 0 || allBelow(cells[:i], cells[i:]) {
			r.Groups = append(r.Groups, Group{Same: true})
		}
		g := &r.Groups[len(r.Groups)-1]
		g.Same = g.Same && (g.Values == nil || cells[i].compare(&cells[i-1]) == same)
		g.Values = append(g.Values, cells[i].value)
	}
	for _, g := range r.Groups {
		slices.SortFunc(g.Values, func(a, b string) int { return slices.Index(values, a) - slices.Index(values, b) })
	}
	return r
}

// allBelow reports whether each of the first means is below each of the second ones.
func allBelow(first, second []ranked) bool {
	for i := range first {
		if slices.ContainsFunc(second, func(o ranked) bool { return first[i].compare(&o) != below }) {
			return false
		}
	}
	return true
}

// partsOf compares two values at all sizes that both have, and joins successive sizes with the same relation.
func partsOf(a, b string, ns []int, sizes map[int][]ranked) (parts []Part) {
	find := func(n int, value string) int {
		return slices.IndexFunc(sizes[n], func(r ranked) bool { return r.value == value })
	}
	for _, n := range ns {
		i, j := find(n, a), find(n, b)
		if i < 0 || j < 0 {
			continue
		}
		relation := sizes[n][i].compare(&sizes[n][j])
		if k := len(parts) - 1; k >= 0 && parts[k].Is == relation {
			parts[k].Last = n
		} else {
			parts = append(parts, Part{Is: relation, First: n, Last: n})
		}
	}
	for i := range parts {
		parts[i].begins, parts[i].ends = i == 0, i == len(parts)-1
		parts[i].complete = len(parts) == 1
	}
	return parts
}

// crosses reports whether A is below B at some size and above it at another.
func (p *Pair) crosses() bool {
	occurs := func(word string) bool {
		return slices.ContainsFunc(p.Parts, func(x Part) bool { return x.Is == word })
	}
	return occurs(below) && occurs(above)
}

// String describes the pair in words: "bully is below ring up to n = 4, above it from n = 6 on".
func (p *Pair) String() string {
	var words []string
	a, b := text.Printable(p.A), text.Printable(p.B)
	for i := range p.Parts {
		x := &p.Parts[i]
		if i > 0 {
			a, b = "", "it"
		}
		words = append(words, strings.TrimSpace(a+" "+map[string]string{
			below: "is below " + b, above: "is above " + b, same: "is the same as " + b,
			open: "is not distinguishable from " + b,
		}[x.Is]+" "+x.sizes()))
	}
	return strings.ReplaceAll(strings.Join(words, ", "), ", is ", ", ")
}

// sizes describes the range of sizes: "up to n = 4".
func (x *Part) sizes() string {
	switch {
	case x.First == x.Last:
		return fmt.Sprintf("at n = %d", x.First)
	case x.complete:
		return fmt.Sprintf("at every n from %d to %d", x.First, x.Last)
	case x.begins:
		return fmt.Sprintf("up to n = %d", x.Last)
	case x.ends:
		return fmt.Sprintf("from n = %d on", x.First)
	}
	return fmt.Sprintf("from n = %d to %d", x.First, x.Last)
}

// String lists the groups: "itai-rodeh ~ chang-roberts < peterson".
func (r *Ranks) String() string {
	var groups []string
	for _, g := range r.Groups {
		between := " ~ "
		if g.Same {
			between = " = "
		}
		groups = append(groups, text.Printable(strings.Join(g.Values, between)))
	}
	return strings.Join(groups, " < ")
}

// lines describes the ranking in words. Two values are compared; more values are ordered, size by size,
// followed by the pairs that cross.
func (r *Ranking) lines() (lines []string) {
	name := text.Printable(r.Measure)
	if len(r.at) > 0 {
		s := Sequence{At: r.at}
		name += " (" + s.Place() + ")"
	}
	if len(r.Pairs) == 1 {
		return []string{name + ": " + r.Pairs[0].String()}
	}
	for i := 0; i < len(r.Sizes); {
		first := &r.Sizes[i]
		// Successive sizes with the same order share a line.
		for i++; i < len(r.Sizes) && r.Sizes[i].String() == first.String(); i++ {
		}
		sizes := fmt.Sprintf("n = %d", first.N)
		if last := r.Sizes[i-1].N; last != first.N {
			sizes += fmt.Sprintf(" to %d", last)
		}
		lines = append(lines, fmt.Sprintf("%s, %s: %s", name, sizes, first))
	}
	for i := range r.Pairs {
		if r.Pairs[i].crosses() {
			lines = append(lines, name+": "+r.Pairs[i].String())
		}
	}
	return lines
}

// rankNotes describes all rankings in words.
func (t *Table) rankNotes() (notes []string) {
	sampled := false
	for i := range t.Rankings {
		notes = append(notes, t.Rankings[i].lines()...)
		sampled = sampled || t.Rankings[i].sampled
	}
	if sampled {
		notes = append(
			notes,
			fmt.Sprintf(
				"Means of samples differ here if their %g %% confidence intervals do not overlap, even if "+
					"the samples are correlated; otherwise they are not distinguishable (~).",
				100*Confidence,
			),
		)
	}
	return notes
}
