package sweep

import (
	"errors"
	"fmt"
	"math/big"
	"slices"
	"strings"

	"etrace/tracefmt/text"
)

// Ranking says which value of an axis has less of a measure in the mean, at which number of
// processes, as far as that is decided: two means differ if both are exact, or if their
// confidence intervals do not overlap.
//
// Cells share seeds, so that their samples depend on each other: where two algorithms draw the
// same ring from a seed, what they measure rises and falls together. Two intervals that do not
// overlap are apart by more than the sum of their halves, and the deviation of a difference is at
// most the sum of the two deviations, whatever their correlation. So the confidence of each
// comparison is at least that of an interval; that many of them are made at once is not allowed for.
type Ranking struct {
	Measure string `json:"measure"`
	// Axis is the one whose values are ranked, Of the values of the others but nodes.
	Axis string            `json:"axis"`
	Of   map[string]string `json:"of"`
	// Sizes are the ranks at each number of processes, from the fewest on.
	Sizes []Ranks `json:"sizes"`
	// Pairs are two values each that both have cells of one size.
	Pairs []Pair `json:"pairs"`

	at      []Setting
	sampled bool
}

// Ranks are the values at one number of processes, those with the least mean first.
type Ranks struct {
	N      int     `json:"n"`
	Groups []Group `json:"groups"`
}

// Group is values each of which is below every value of the groups after it.
type Group struct {
	Values []string `json:"values"`
	// Same: all their means are exact and equal. Else some of them are not distinguishable.
	Same bool `json:"same"`
}

// Pair is how one value is to another, size by size.
type Pair struct {
	A     string `json:"a"`
	B     string `json:"b"`
	Parts []Part `json:"parts"`
}

// Part is some numbers of processes, one after another in the table, at which A is to B in
// one way.
type Part struct {
	// Is "below", "above", "same" if both means are exact, or "open".
	Is    string `json:"is"`
	First int    `json:"first"`
	Last  int    `json:"last"`

	whole, begins, ends bool // it has all sizes, the first of them, the last
}

// The ways in which two means are to each other.
const (
	below = "below"
	above = "above"
	same  = "same"
	open  = "open"
)

// ranked is the mean of a cell, and half of its interval.
type ranked struct {
	value string
	mean  *big.Rat
	half  *big.Rat // nil if the mean is exact
}

// CheckRank says early why there is nothing to rank.
func (p *Plan) CheckRank() error {
	if p.table().rankedAxis() < 0 {
		return errors.New("there is nothing to compare, expected several algorithms, or several values of another axis than nodes")
	}
	return nil
}

// rankedAxis is the first axis that is not the number of processes, -1 for none.
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

func (t *Table) rankings(measure string, axis int) (list []Ranking) {
	sizes := map[string]map[int][]ranked{} // by what else the cells have
	for i := range t.Cells {
		c := &t.Cells[i]
		one, ok := c.ranked(measure)
		if !ok {
			continue
		}
		one.value = c.At[axis]
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
		sizes[key][c.N] = append(sizes[key][c.N], one)
	}
	for i := range list {
		list[i].rank(sizes[fmt.Sprintf("%q", list[i].at)])
	}
	return slices.DeleteFunc(list, func(r Ranking) bool { return len(r.Pairs) == 0 })
}

// ranked is the mean of a cell. A sample in which all runs measure the same could have had one
// run more that measures the next value.
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
		half = s.student() / (float64(s.Unit) * float64(s.Count))
	}
	if half == 0 {
		return r, false
	}
	r.half = new(big.Rat).SetFloat64(half)
	return r, r.half != nil
}

// to says how a mean is to another.
func (r *ranked) to(o *ranked) string {
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

// end is the upper end of the interval, or with -1 the lower one.
func (r *ranked) end(sign int64) *big.Rat {
	if r.half == nil {
		return r.mean
	}
	e := new(big.Rat).Mul(r.half, big.NewRat(sign, 1))
	return e.Add(e, r.mean)
}

// rank takes in the means by the number of processes.
func (r *Ranking) rank(sizes map[int][]ranked) {
	var ns []int
	var values []string
	for n, cells := range sizes {
		ns = append(ns, n)
		for _, c := range cells {
			r.sampled = r.sampled || c.half != nil
		}
	}
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

// ranksOf puts the means of one size in groups, in which the values have their order in the
// table.
func ranksOf(n int, cells []ranked, values []string) Ranks {
	slices.SortStableFunc(cells, func(a, b ranked) int { return a.mean.Cmp(b.mean) })
	r := Ranks{N: n}
	for i := range cells {
		if i == 0 || apart(cells[:i], cells[i:]) {
			r.Groups = append(r.Groups, Group{Same: true})
		}
		g := &r.Groups[len(r.Groups)-1]
		g.Same = g.Same && (g.Values == nil || cells[i].to(&cells[i-1]) == same)
		g.Values = append(g.Values, cells[i].value)
	}
	for _, g := range r.Groups {
		slices.SortFunc(g.Values, func(a, b string) int { return slices.Index(values, a) - slices.Index(values, b) })
	}
	return r
}

// apart reports whether each of some means is below each of the others.
func apart(some, others []ranked) bool {
	for i := range some {
		if slices.ContainsFunc(others, func(o ranked) bool { return some[i].to(&o) != below }) {
			return false
		}
	}
	return true
}

// partsOf says how one value is to another at the sizes that both have.
func partsOf(a, b string, ns []int, sizes map[int][]ranked) (parts []Part) {
	find := func(n int, value string) int {
		return slices.IndexFunc(sizes[n], func(r ranked) bool { return r.value == value })
	}
	for _, n := range ns {
		i, j := find(n, a), find(n, b)
		if i < 0 || j < 0 {
			continue
		}
		is := sizes[n][i].to(&sizes[n][j])
		if k := len(parts) - 1; k >= 0 && parts[k].Is == is {
			parts[k].Last = n
		} else {
			parts = append(parts, Part{Is: is, First: n, Last: n})
		}
	}
	for i := range parts {
		parts[i].begins, parts[i].ends = i == 0, i == len(parts)-1
		parts[i].whole = len(parts) == 1
	}
	return parts
}

// crosses reports whether A is below B at some size and above it at another.
func (p *Pair) crosses() bool {
	is := func(word string) bool {
		return slices.ContainsFunc(p.Parts, func(x Part) bool { return x.Is == word })
	}
	return is(below) && is(above)
}

// String says it in words: "bully is below ring up to n = 4, above it from n = 6 on".
func (p *Pair) String() string {
	var words []string
	a, b := text.Printable(p.A), text.Printable(p.B)
	for i := range p.Parts {
		x := &p.Parts[i]
		if i > 0 {
			a, b = "", "it"
		}
		words = append(words, strings.TrimSpace(a+" "+map[string]string{
			below: "is below " + b, above: "is above " + b, same: "is the same as " + b, open: "is not distinguishable from " + b,
		}[x.Is]+" "+x.sizes()))
	}
	return strings.ReplaceAll(strings.Join(words, ", "), ", is ", ", ")
}

func (x *Part) sizes() string {
	switch {
	case x.First == x.Last:
		return fmt.Sprintf("at n = %d", x.First)
	case x.whole:
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

// lines says the ranking in words: of two values how they are to each other; of several their
// order, size by size, and which of them cross.
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
		for i++; i < len(r.Sizes) && r.Sizes[i].String() == first.String(); i++ {
		}
		at := fmt.Sprintf("n = %d", first.N)
		if last := r.Sizes[i-1].N; last != first.N {
			at += fmt.Sprintf(" to %d", last)
		}
		lines = append(lines, fmt.Sprintf("%s, %s: %s", name, at, first))
	}
	for i := range r.Pairs {
		if r.Pairs[i].crosses() {
			lines = append(lines, name+": "+r.Pairs[i].String())
		}
	}
	return lines
}

// rankNotes are the rankings in words.
func (t *Table) rankNotes() (notes []string) {
	unsure := false
	for i := range t.Rankings {
		notes = append(notes, t.Rankings[i].lines()...)
		unsure = unsure || t.Rankings[i].sampled
	}
	if unsure {
		notes = append(notes, fmt.Sprintf("Means of samples differ here if their %g %% confidence intervals do not overlap, whatever they have to do with each other; else they are not distinguishable (~).", 100*Confidence))
	}
	return notes
}
