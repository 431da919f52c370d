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

// Published is a published bound in all the cells of a table that it is about.
type Published struct {
	// Bound is as the runs of the first cell state it: its condition, and the values of the
	// names that are given, may be others elsewhere.
	Bound *tracefmt.Bound
	Cells []Bounded
}

// Bounded is a cell beside a bound.
type Bounded struct {
	Cell *Cell
	// Compared is the run that comes nearest to breaking the bound.
	*complexity.Compared
	// Varies: the bound is not the same number for all runs of the cell, and the value is that
	// of the nearest one.
	Varies bool
}

// Published returns the bounds that have a number, in the order in which cells have them.
func (t *Table) Published() (list []Published) {
	for i := range t.Cells {
		c := &t.Cells[i]
		for j := range c.Theory {
			b := &c.Theory[j]
			if beside(b) == "" {
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

// sameBound reports whether a source says one thing by both.
func sameBound(a, b *tracefmt.Bound) bool {
	return a.Messages == b.Messages && a.Rivals(b) && a.Delays == b.Delays && a.Source == b.Source
}

// kindWords say what the formula of a bound is.
var kindWords = map[string]string{
	tracefmt.WorstCase: "at most", tracefmt.ExactCase: "exactly", tracefmt.LeastCase: "at least", tracefmt.MeanCase: "in the mean",
}

// Claim is what the bound says, without what it counts: "at most n*(n+1)/2".
func (p *Published) Claim() string { return text.Printable(claim(p.Bound)) }

func claim(b *tracefmt.Bound) string { return kindWords[b.KindOf()] + " " + b.Messages }

// Convention says what it counts: "messages sent, excluding elected", or "all messages sent".
func (p *Published) Convention() string { return text.Printable(convention(p.Bound)) }

func convention(b *tracefmt.Bound) string {
	words := "messages " + b.Convention()
	if len(b.Without) == 0 {
		words = "all " + words
	}
	return words
}

// CountsAll reports whether it counts every message that is sent.
func (p *Published) CountsAll() bool { return p.Bound.Convention() == tracefmt.CountsSent }

// IsMost reports whether no run may be above the bound.
func (p *Published) IsMost() bool { return p.Bound.KindOf() == tracefmt.WorstCase }

// IsLeast reports whether no run may be below the bound.
func (p *Published) IsLeast() bool { return p.Bound.KindOf() == tracefmt.LeastCase }

// Reason says why the bound cannot be drawn beside a measure, and is "" if it can: in every
// cell it counts what the measure does, of each run, and is one number.
func (p *Published) Reason(measure string) string {
	for i := range p.Cells {
		b := &p.Cells[i]
		s := b.Cell.Measure(measure)
		switch {
		case s == nil || s.Count == 0:
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

// within reports whether either of a bound and a measure counts every message that the other
// does. Then they count the same in each run if they do so in the sum of the runs.
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

// CountsMessages reports whether a measure is a number of messages that bounds can be about.
func CountsMessages(measure string) bool {
	return measure == "messages" || measure == "delivered" || strings.HasPrefix(measure, trial.TypePrefix)
}

// BoundTable is what the cells of a table measured beside one published bound.
type BoundTable struct {
	// Its title is what the bound says and counts.
	document.Table
	// Source is the text that the bound is from.
	Source string
	// Broken are the rows in which a run is beyond the bound.
	Broken []bool
}

// BoundTables returns a table for each published bound.
func (t *Table) BoundTables() (tables []BoundTable) {
	for _, p := range t.Published() {
		b := BoundTable{Table: document.Table{Title: p.Claim() + ", of " + p.Convention(), Head: headsOf(t.places())}, Source: text.Printable(p.Bound.Source)}
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

func headsOf(columns []column) (heads []string) {
	for _, c := range columns {
		heads = append(heads, c.head)
	}
	return heads
}

// nearestWords name the column of what was measured.
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

func (b *Bounded) row() []string {
	kind := b.Bound.KindOf()
	if kind == tracefmt.MeanCase {
		return []string{fmt.Sprint(b.Runs), decimal(big.NewRat(b.Sum, b.Runs)), strconv.FormatFloat(b.Value, 'g', 6, 64), ""}
	}
	value := relations[kind][0] + " " + strconv.FormatFloat(b.Value, 'f', -1, 64)
	if b.Varies {
		value += ", in this run"
	}
	return []string{fmt.Sprint(b.Runs), fmt.Sprint(b.Measured), value, b.said()}
}

// said is how the bound stands.
func (b *Bounded) said() string {
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
