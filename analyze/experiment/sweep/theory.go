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

// bound is the comparison of a run with a published bound, as it is stored.
type bound struct {
	// number is the index of the bound in the cell.
	number   int
	measured int64
	value    float64
	kept     complexity.Answer
}

// setBounds takes the bounds of the first run of a family. It omits bounds that do not apply to all runs, or
// that depend on a graph which differs between runs.
func (f *Family) setBounds(run *tracefmt.Run) {
	f.unbounded = f.withoutBounds(run)
	if f.unbounded != "" {
		return
	}
	f.bounds = run.Bounds
	if !f.averagesOrders() {
		f.bounds = slices.DeleteFunc(slices.Clone(run.Bounds),
			func(b tracefmt.Bound) bool { return b.KindOf() == tracefmt.MeanCase })
	}
	if len(f.bounds) < len(run.Bounds) && len(f.bounds) == 0 {
		f.unbounded = "they are about the mean of all orders of the ring"
	}
}

// withoutBounds returns why no published bound of the algorithm applies to the runs, "" if one may apply.
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
	if f.base.Topology.Drawn() && slices.ContainsFunc(run.Bounds,
		func(b tracefmt.Bound) bool { return isGiven(&b, "edges") }) {
		return "they are about one graph, and each run draws its own"
	}
	return ""
}

// isGiven reports whether the bound has the value of a name.
func isGiven(b *tracefmt.Bound, name string) bool {
	_, given := b.Given[name]
	return given
}

// NoBoundApplies returns the sentence of a table with the reason why the published bounds of an algorithm do
// not apply.
func NoBoundApplies(algorithm, reason string) string { return noBound(algorithm, "", reason) }

// noBound returns this sentence for all cells, or for the cells in where.
func noBound(algorithm, where, reason string) string {
	return text.Printable(fmt.Sprintf("No published bound of %s applies%s: %s", algorithm, where, reason))
}

// noBoundReason returns why no published bound is compared with the runs of a cell; "" if some bound is. Before the
// first run it depends on the scenarios alone.
func (c *Cell) noBoundReason(f *Family) string {
	if f.unbounded != "" || c.Runs == 0 {
		return f.unbounded
	}
	for i := range c.Theory {
		if comparedText(&c.Theory[i]) != "" {
			return ""
		}
	}
	if m := c.Measure("messages"); m != nil && m.Max == 0 {
		return "no message is sent"
	}
	return onlyIf(c.bounds)
}

// onlyIf returns the conditions of the bounds with a value, "" if one is unconditional.
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
	if names := explainNames(strings.Join(conditions, " "), given); names != "" {
		reason += " (" + names + ")"
	}
	return reason
}

// noBoundReasons returns, for each algorithm, the reasons why no bound is compared with its runs, and the number of
// cells if it is not all.
func (p *Plan) noBoundReasons(t *Table) (sentences []string) {
	type cause struct{ algorithm, reason string }
	var causes []cause
	cells, total := map[cause]int{}, map[string]int{}
	for i, f := range p.Families {
		total[f.base.Algorithm]++
		w := cause{f.base.Algorithm, t.Cells[i].noBoundReason(f)}
		if w.reason == "" {
			continue
		}
		if cells[w]++; cells[w] == 1 {
			causes = append(causes, w)
		}
	}
	for _, w := range causes {
		where := ""
		if n := cells[w]; n < total[w.algorithm] {
			where = fmt.Sprintf(" in %d of %d cells", n, total[w.algorithm])
		}
		sentences = append(sentences, noBound(w.algorithm, where, w.reason))
	}
	return sentences
}

// averagesOrders reports whether the runs have all orders of the ring or drawn ones. A published mean is over all
// orders, and does not apply to a single one.
func (f *Family) averagesOrders() bool {
	if f.order == nil {
		return f.base.Shuffle
	}
	return f.order.every || f.order.drawn
}

// theory returns the theory of a cell. The maker keeps it for the next run of the cell.
func (m *maker) theory(cell int) *complexity.Theory {
	t, ok := m.theories[cell]
	if !ok {
		if bounds := m.plan.Families[cell].bounds; bounds != nil {
			t = complexity.NewTheory(bounds)
		}
		// Cells come one after the other, so one theory is enough.
		clear(m.theories)
		m.theories[cell] = t
	}
	return t
}

// compare compares a run with the bounds of its cell.
func (m *maker) compare(cell int, run *finishedRun) (list []bound) {
	t := m.theory(cell)
	if t == nil || run.Sent == 0 {
		return nil
	}
	compared, err := run.compare(t)
	if err != nil {
		return nil // no bound applies to the run
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
func (b *bound) append(buffer []byte) []byte {
	return fmt.Appendf(buffer, "[%d,%d,%s,%q]", b.number, b.measured, strconv.FormatFloat(b.value, 'g', -1, 64),
		b.kept.String())
}

// parseBound reads the output of append; bounds is the number of bounds.
func parseBound(item []byte, bounds int) (b bound, ok bool) {
	var word string
	fields := []any{&b.number, &b.measured, &b.value, &word}
	dec := json.NewDecoder(bytes.NewReader(item))
	if json.Unmarshal(item, &[]json.RawMessage{}) != nil {
		return b, false
	}
	_, _ = dec.Token() // the opening bracket
	for _, field := range fields {
		if dec.Decode(field) != nil {
			return b, false
		}
	}
	return b, !dec.More() && b.number >= 0 && b.number < bounds && b.kept.UnmarshalText([]byte(word)) == nil
}

// compare keeps the run that is closest to breaking each bound; of equally close runs the one with the lowest
// number, so the order of the calls does not matter.
func (c *Cell) compare(o *outcome) {
	for _, b := range o.bounds {
		for len(c.worst) < len(c.bounds) {
			c.worst = append(c.worst, nearest{})
		}
		next := complexity.Restored(&c.bounds[b.number], b.value, b.measured, b.kept)
		w := &c.worst[b.number]
		w.varies = w.varies || w.Bound != nil && w.Value != next.Value
		// The totals are over all runs. The rest of the comparison is that of the worst run.
		runs, broken, sum := w.Runs+next.Runs, w.Broken+next.Broken, w.Sum+next.Sum
		if w.Bound == nil || next.Worse(&w.Compared) || !w.Worse(&next) && o.run < w.run {
			w.Compared, w.run = next, o.run
		}
		w.Runs, w.Broken, w.Sum = runs, broken, sum
	}
}

// nearest is the run that is closest to breaking a bound.
type nearest struct {
	complexity.Compared
	run    int64
	varies bool // other runs have other values of the bound
}

// setTheory sets Theory from the runs that are closest to breaking each bound. A published mean is compared
// only if all runs were made.
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

// Broken reports whether a run breaks a published bound.
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

// published compares the runs with the bounds in a few words, each with its mark. It returns "none" if no bound
// has a value.
func (c *Cell) published(l *Legend) string {
	var words []string
	for i := range c.Theory {
		if s := comparedText(&c.Theory[i]); s != "" {
			words = append(words, s+" "+l.Mark(c.Theory[i].Bound))
		}
	}
	return cmp.Or(strings.Join(words, "; "), noneText)
}

// relations are the signs between the measure of a run and a bound: that of a run that keeps it, and that of a
// run that breaks it.
var relations = map[string][2]string{
	tracefmt.WorstCase: {"≤", ">"}, tracefmt.ExactCase: {"=", "≠"}, tracefmt.LeastCase: {"≥", "<"},
}

// comparedText compares the worst run with the bound: "12 ≤ 15"; "" for a bound without a value.
func comparedText(c *complexity.Compared) string {
	value := strconv.FormatFloat(c.Value, 'f', -1, 64)
	kind := c.Bound.KindOf()
	relation, ok := relations[kind]
	switch {
	case kind == tracefmt.MeanCase && c.Runs > 0:
		return fmt.Sprintf("mean %s, published %s", decimal(big.NewRat(c.Sum, c.Runs)),
			decimal(new(big.Rat).SetFloat64(c.Value)))
	case !ok:
		return ""
	case c.Broken > 0:
		return fmt.Sprintf("%d %s %s: BROKEN in %d", c.Measured, relation[1], value, c.Broken)
	case c.Kept == complexity.Open:
		return fmt.Sprintf("%d so far, %s %s", c.Measured, relation[0], value)
	}
	return fmt.Sprintf("%d %s %s", c.Measured, relation[0], value)
}
