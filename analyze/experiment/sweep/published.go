package sweep

import (
	"fmt"
	"math/big"
	"slices"
	"strconv"
	"strings"

	"etrace/analyze/complexity"
	"etrace/analyze/experiment/trial"
	"etrace/tracefmt"
	"etrace/tracefmt/text"
	"etrace/tracefmt/text/document"
)

// Published is a published bound with its cells.
type Published struct {
	// Bound is the bound in the first cell. In other cells its condition and its given names may have other
	// values.
	Bound *tracefmt.Bound
	Cells []Bounded
}

// Bounded compares a cell with a bound.
type Bounded struct {
	Cell *Cell
	// Compared is the run that is closest to breaking the bound.
	*complexity.Compared
	// Varies: the bound has different values for runs of the cell. The value is that of the closest run.
	Varies bool
}

// Published returns the bounds that have a value, in the order of the cells.
func (t *Table) Published() (list []Published) {
	for i := range t.Cells {
		c := &t.Cells[i]
		for j := range c.Theory {
			b := &c.Theory[j]
			if comparedText(b) == "" {
				continue
			}
			at := slices.IndexFunc(list, func(p Published) bool { return sameBound(p.Bound, b.Bound) })
			if at < 0 {
				at, list = len(list), append(list, Published{Bound: b.Bound})
			}
			list[at].Cells = append(list[at].Cells, Bounded{c, b, c.varies[b.Bound]})
		}
	}
	return list
}

// sameBound reports whether two bounds are the same claim of a source.
func sameBound(a, b *tracefmt.Bound) bool {
	return a.Messages == b.Messages && a.Rivals(b) && a.Delays == b.Delays && a.Source == b.Source
}

// kindWords are the relations between measure and bound.
var kindWords = map[string]string{
	tracefmt.WorstCase: "at most", tracefmt.ExactCase: "exactly", tracefmt.LeastCase: "at least",
	tracefmt.MeanCase: "in the mean",
}

// Claim returns the claim of the bound, without the counted messages: "at most n*(n+1)/2".
func (p *Published) Claim() string { return text.Printable(claim(p.Bound)) }

// claim returns the claim of a bound: "at most n*(n+1)/2".
func claim(b *tracefmt.Bound) string { return kindWords[b.KindOf()] + " " + b.Messages }

// Convention describes the messages that the bound counts: "messages sent, excluding elected", or "all messages sent".
func (p *Published) Convention() string { return text.Printable(convention(p.Bound)) }

// convention describes the messages that the bound counts: "all messages sent".
func convention(b *tracefmt.Bound) string {
	words := "messages " + b.Convention()
	if len(b.Without) == 0 {
		words = "all " + words
	}
	return words
}

// CountsAll reports whether the bound counts every sent message.
func (p *Published) CountsAll() bool { return p.Bound.Convention() == tracefmt.CountsSent }

// IsMost reports whether the bound is an upper bound of all runs.
func (p *Published) IsMost() bool { return p.Bound.KindOf() == tracefmt.WorstCase }

// IsLeast reports whether the bound is a lower bound of all runs.
func (p *Published) IsLeast() bool { return p.Bound.KindOf() == tracefmt.LeastCase }

// Reason returns why the bound cannot be drawn beside a measure; "" if it can. It can if the bound counts the
// same messages as the measure, and has one value in each cell.
func (p *Published) Reason(measure string) string {
	for i := range p.Cells {
		b := &p.Cells[i]
		s := b.Cell.Measure(measure)
		switch {
		case s == nil || s.Count == 0: // nothing was measured, so nothing differs
		case b.Runs != s.Count:
			return "are about some of the runs"
		case !within(p.Bound, measure) || s.Sum.Cmp(big.NewInt(b.Sum)) != 0:
			return "count " + p.Convention()
		case b.Varies:
			return "differ from run to run"
		}
	}
	return ""
}

// within reports whether bound and measure count nested sets of messages. Then equal sums over all runs imply
// equal counts in each run.
func within(b *tracefmt.Bound, measure string) bool {
	typ, isType := strings.CutPrefix(measure, trial.TypePrefix)
	delivered := b.Counts == tracefmt.CountsDelivered
	switch {
	case isType:
		return (b.Counts == "" || b.Counts == tracefmt.CountsSent) && !slices.Contains(b.Without, typ)
	case measure == "delivered":
		return delivered && len(b.Without) == 0
	}
	return measure == "messages" && !delivered
}

// CountsMessages reports whether a measure is a number of messages that bounds can limit.
func CountsMessages(measure string) bool {
	return measure == "messages" || measure == "delivered" || strings.HasPrefix(measure, trial.TypePrefix)
}

// BoundTable compares the cells of a table with one published bound.
type BoundTable struct {
	// The title has the claim and the convention of the bound.
	document.Table
	// Source is the publication of the bound.
	Source string
	// Broken marks the rows in which a run breaks the bound.
	Broken []bool
}

// BoundTables returns a table for each published bound.
func (t *Table) BoundTables() (tables []BoundTable) {
	for _, p := range t.Published() {
		b := BoundTable{
			Table:  document.Table{Title: p.Claim() + ", of " + p.Convention(), Head: headsOf(t.places())},
			Source: text.Printable(p.Bound.Source),
		}
		if p.Bound.Delays == tracefmt.UnitDelays {
			b.Title += ", where each message takes one unit of time"
		}
		for i := range b.Head {
			b.Head[i] = text.Printable(b.Head[i])
		}
		b.Head = append(b.Head, "runs", nearestWords(p.Bound), "published", "")
		for _, c := range p.Cells {
			b.Add(append(t.place(c.Cell), c.row()...)...)
			b.Broken = append(b.Broken, c.Broken > 0)
		}
		tables = append(tables, b)
	}
	return tables
}

// headsOf returns the headings of columns.
func headsOf(columns []column) (heads []string) {
	for _, c := range columns {
		heads = append(heads, c.head)
	}
	return heads
}

// nearestWords returns the heading of the measured values.
func nearestWords(b *tracefmt.Bound) string {
	switch b.KindOf() {
	case tracefmt.MeanCase:
		return "mean"
	case tracefmt.LeastCase:
		return "least"
	case tracefmt.ExactCase:
		return "farthest"
	}
	return "most"
}

// row returns the entries of a cell in the table of a bound.
func (b *Bounded) row() []string {
	kind := b.Bound.KindOf()
	if kind == tracefmt.MeanCase {
		return []string{
			fmt.Sprint(b.Runs), decimal(big.NewRat(b.Sum, b.Runs)),
			strconv.FormatFloat(b.Value, 'g', 6, 64), "",
		}
	}
	value := relations[kind][0] + " " + strconv.FormatFloat(b.Value, 'f', -1, 64)
	if b.Varies {
		value += ", in this run"
	}
	return []string{fmt.Sprint(b.Runs), fmt.Sprint(b.Measured), value, b.answer()}
}

// answer returns the relation of the runs to the bound in words.
func (b *Bounded) answer() string {
	switch {
	case b.Broken > 0:
		return "BROKEN in " + text.Counted(b.Broken, "run", "runs")
	case b.Kept == complexity.Open:
		return "open: a run was stopped"
	case float64(b.Measured) == b.Value && b.Bound.KindOf() != tracefmt.ExactCase:
		return "reached"
	}
	return "kept"
}
