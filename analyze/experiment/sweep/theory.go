package sweep

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"math/big"
	"slices"
	"strconv"
	"strings"

	"etrace/analyze/complexity"
	"etrace/record/algorithm/builtin"
	"etrace/tracefmt"
	"etrace/tracefmt/text"
)

// bound is a published bound beside what a run measures as it counts, as it is kept.
type bound struct {
	// number is that of the bound among those of the cell.
	number   int
	measured int64
	value    float64
	kept     complexity.Answer
}

// setBounds takes the bounds that the first run of a family states, unless they are about
// other runs, or about a graph that is another one in each run.
func (f *Family) setBounds(run *tracefmt.Run) {
	if f.unbounded = f.withoutBounds(run); f.unbounded != "" {
		return
	}
	f.bounds = run.Bounds
	if !f.averages() {
		f.bounds = slices.DeleteFunc(slices.Clone(run.Bounds), func(b tracefmt.Bound) bool { return b.KindOf() == tracefmt.MeanCase })
	}
	if len(f.bounds) < len(run.Bounds) && len(f.bounds) == 0 {
		f.unbounded = "they are about the mean of all orders of the ring"
	}
}

// withoutBounds says why no published bound of the algorithm is about the runs, "" where some
// may be or there are none.
func (f *Family) withoutBounds(run *tracefmt.Run) string {
	a, err := builtin.Or(f.base.Algorithms).Lookup(f.base.Algorithm)
	if err != nil || len(a.Bounds) == 0 {
		return ""
	}
	values, err := a.Resolve(f.base.Params)
	if err != nil {
		return ""
	}
	if p := a.Unbounded(values); p != nil {
		return fmt.Sprintf("%s is %s, expected %s", p.Name, values[p.Name], text.Or(p.Bounded))
	}
	if reason := complexity.Unbounded(run); reason != "" {
		return reason
	}
	if f.base.Topology.Drawn() && slices.ContainsFunc(run.Bounds, func(b tracefmt.Bound) bool { return isGiven(&b, "edges") }) {
		return "they are about one graph, and each run draws its own"
	}
	return ""
}

// isGiven reports whether the bound says the value of a name.
func isGiven(b *tracefmt.Bound, name string) bool {
	_, is := b.Given[name]
	return is
}

// NoBoundApplies is the sentence of a table that says why the published bounds of an
// algorithm are not about its runs.
func NoBoundApplies(algorithm, reason string) string { return noBound(algorithm, "", reason) }

// noBound says it of all cells, or of those that where names.
func noBound(algorithm, where, reason string) string {
	return text.Printable(fmt.Sprintf("No published bound of %s applies%s: %s", algorithm, where, reason))
}

// reason says why no bound with a number is compared with a run of a cell, "" where one is or there
// are none. Before there are runs it is what the scenarios say.
func (c *Cell) reason(f *Family) string {
	if f.unbounded != "" || c.Runs == 0 {
		return f.unbounded
	}
	for i := range c.Theory {
		if beside(&c.Theory[i]) != "" {
			return ""
		}
	}
	if m := c.Measure("messages"); m != nil && m.Max == 0 {
		return "no message is sent"
	}
	return onlyIf(c.bounds)
}

// onlyIf says under which conditions bounds with a number hold, "" if there are none or one holds in
// any case.
func onlyIf(bounds []tracefmt.Bound) string {
	var conditions []string
	given := map[string]int64{}
	for i := range bounds {
		switch b := &bounds[i]; {
		case b.KindOf() == tracefmt.OrderOf || slices.Contains(conditions, b.If):
		case b.If == "":
			return ""
		default:
			conditions = append(conditions, b.If)
			maps.Copy(given, b.Given)
		}
	}
	if conditions == nil {
		return ""
	}
	reason := "they hold only if " + strings.Join(conditions, ", or if ")
	if names := explained(strings.Join(conditions, " "), given); names != "" {
		reason += " (" + names + ")"
	}
	return reason
}

// unbounded says of each algorithm for which reasons no bound is compared with its runs, and in how
// many cells where these are not all.
func (p *Plan) unbounded(t *Table) (sentences []string) {
	type why struct{ algorithm, reason string }
	var all []why
	cells, of := map[why]int{}, map[string]int{}
	for i, f := range p.Families {
		of[f.base.Algorithm]++
		w := why{f.base.Algorithm, t.Cells[i].reason(f)}
		if w.reason == "" {
			continue
		}
		if cells[w]++; cells[w] == 1 {
			all = append(all, w)
		}
	}
	for _, w := range all {
		where := ""
		if n := cells[w]; n < of[w.algorithm] {
			where = fmt.Sprintf(" in %d of %d cells", n, of[w.algorithm])
		}
		sentences = append(sentences, noBound(w.algorithm, where, w.reason))
	}
	return sentences
}

// averages reports whether the runs have all orders of the ring or drawn ones: a published
// mean is over all of them, and says nothing about one.
func (f *Family) averages() bool {
	if f.order == nil {
		return f.base.Shuffle
	}
	return f.order.every || f.order.drawn
}

// theory is that of a cell, made once for each maker.
func (m *maker) theory(cell int) *complexity.Theory {
	t, ok := m.theories[cell]
	if !ok {
		if bounds := m.plan.Families[cell].bounds; bounds != nil {
			t = complexity.NewTheory(bounds)
		}
		clear(m.theories) // cells come one after the other
		m.theories[cell] = t
	}
	return t
}

// compare compares a run with the bounds of its cell.
func (m *maker) compare(cell int, one *made) (list []bound) {
	t := m.theory(cell)
	if t == nil || one.Sent == 0 {
		return nil
	}
	compared, err := one.compare(t)
	if err != nil {
		return nil // no bound is about the run
	}
	bounds := m.plan.Families[cell].bounds
	for _, c := range compared {
		for i := range bounds {
			if &bounds[i] == c.Bound {
				list = append(list, bound{i, c.Measured, c.Value, c.Kept})
			}
		}
	}
	return list
}

// append writes the bound as a JSON list.
func (b *bound) append(to []byte) []byte {
	return fmt.Appendf(to, "[%d,%d,%s,%q]", b.number, b.measured, strconv.FormatFloat(b.value, 'g', -1, 64), b.kept.String())
}

// parseBound reads what append writes, of so many bounds.
func parseBound(item []byte, bounds int) (b bound, ok bool) {
	var word string
	fields := []any{&b.number, &b.measured, &b.value, &word}
	dec := json.NewDecoder(bytes.NewReader(item))
	if json.Unmarshal(item, &[]json.RawMessage{}) != nil {
		return b, false
	}
	_, _ = dec.Token() // the bracket
	for _, field := range fields {
		if dec.Decode(field) != nil {
			return b, false
		}
	}
	return b, !dec.More() && b.number >= 0 && b.number < bounds && b.kept.UnmarshalText([]byte(word)) == nil
}

// compare takes in what a run measures beside the bounds. Of several runs that are as near
// to breaking one the first counts, whatever the order in which they come.
func (c *Cell) compare(o *outcome) {
	for _, b := range o.bounds {
		for len(c.worst) < len(c.bounds) {
			c.worst = append(c.worst, nearest{})
		}
		next := complexity.Restored(&c.bounds[b.number], b.value, b.measured, b.kept)
		w := &c.worst[b.number]
		w.varies = w.varies || w.Bound != nil && w.Value != next.Value
		runs, broken, sum := w.Runs+next.Runs, w.Broken+next.Broken, w.Sum+next.Sum
		if w.Bound == nil || next.Worse(&w.Compared) || !w.Worse(&next) && o.run < w.run {
			w.Compared, w.run = next, o.run
		}
		w.Runs, w.Broken, w.Sum = runs, broken, sum
	}
}

// nearest is the run that comes nearest to breaking a bound.
type nearest struct {
	complexity.Compared
	run    int64
	varies bool // runs have other values of the bound
}

// setTheory lists what the runs measured beside the bounds that are about some of them; a mean
// is about all of them.
func (c *Cell) setTheory() {
	for i := range c.worst {
		if b := c.worst[i].Bound; b != nil && (c.Whole() || b.KindOf() != tracefmt.MeanCase) {
			c.Theory = append(c.Theory, c.worst[i].Compared)
		}
		if c.worst[i].varies {
			if c.varies == nil {
				c.varies = map[*tracefmt.Bound]bool{}
			}
			c.varies[c.worst[i].Bound] = true
		}
	}
}

// Broken reports whether a run is beyond a published bound.
func (t *Table) Broken() bool {
	for i := range t.Cells {
		for _, c := range t.Cells[i].Theory {
			if c.Broken > 0 {
				return true
			}
		}
	}
	return false
}

// published says in a few words how near the runs come to the bounds, each with its mark,
// "none" where there are none with a number.
func (c *Cell) published(l *Legend) string {
	var words []string
	for i := range c.Theory {
		if s := beside(&c.Theory[i]); s != "" {
			words = append(words, s+" "+l.Mark(c.Theory[i].Bound))
		}
	}
	return cmp.Or(strings.Join(words, "; "), noneSaid)
}

// relations are how a run that keeps a bound, and one that breaks it, is to it.
var relations = map[string][2]string{
	tracefmt.WorstCase: {"≤", ">"}, tracefmt.ExactCase: {"=", "≠"}, tracefmt.LeastCase: {"≥", "<"},
}

// beside writes the worst run beside the bound.
func beside(c *complexity.Compared) string {
	value := strconv.FormatFloat(c.Value, 'f', -1, 64)
	kind := c.Bound.KindOf()
	relation, ok := relations[kind]
	switch {
	case kind == tracefmt.MeanCase && c.Runs > 0:
		return fmt.Sprintf("mean %s, published %s", decimal(big.NewRat(c.Sum, c.Runs)), decimal(new(big.Rat).SetFloat64(c.Value)))
	case !ok:
		return ""
	case c.Broken > 0:
		return fmt.Sprintf("%d %s %s: BROKEN in %d", c.Measured, relation[1], value, c.Broken)
	case c.Kept == complexity.Open:
		return fmt.Sprintf("%d so far, %s %s", c.Measured, relation[0], value)
	}
	return fmt.Sprintf("%d %s %s", c.Measured, relation[0], value)
}
