package replay

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"etrace/tracefmt"
)

// Cell is a text in a table. Changed is true if the current event changed it. A text that ends in [NotKnown]
// is the last recorded value, which may be outdated.
type Cell struct {
	Text    string
	Changed bool
}

// String marks changed cells with *.
func (c Cell) String() string {
	if c.Changed {
		return c.Text + "*"
	}
	return c.Text
}

const (
	// maxColumns is the number of variables with their own columns; the others share one.
	maxColumns = 8
	// maxVector is the number of entries of a vector clock to show.
	maxVector = 16
	// nothing marks an empty cell.
	nothing = "-"
)

// NotKnown follows the last recorded value where later changes may be missing: see [State.Doubtful].
const NotKnown = "?"

// Table returns the state of the processes at the cursor, for people: a row of headings, and one row for each
// process with its status, variables, armed timers and clocks. Texts are as in the trace, see text.Printable
// of package etrace/tracefmt/text. The named variables have columns at every place, so that the tables of a
// run can be alike.
func (c *Cursor) Table(variables ...string) [][]Cell {
	names := c.Variables(variables...)
	heading := []string{"process", "status"}
	if len(names) <= maxColumns {
		heading = append(heading, names...)
	} else {
		heading = append(heading, "variables")
	}
	heading = append(heading, "timers", "clock")
	if c.showsVectors() {
		heading = append(heading, "vector clock")
	}
	rows := make([][]Cell, 1, len(c.Run().Members)+1)
	for _, text := range heading {
		rows[0] = append(rows[0], Cell{Text: text})
	}
	for i := range c.Run().Members {
		rows = append(rows, c.row(tracefmt.ProcessID(i+1), names))
	}
	return rows
}

// showsVectors reports whether the table has a column of vector clocks: they are known and short enough.
func (c *Cursor) showsVectors() bool {
	return c.clocks != nil && len(c.Run().Members) <= maxVector && c.clocks.Incomplete() == ""
}

// Variables returns the given names and those of all variables that any process has, has just lost, or may
// have unrecorded, with elected first.
func (c *Cursor) Variables(names ...string) []string {
	names = append(slices.Clone(names), c.state.unrecorded()...)
	for i := range c.Run().Members {
		names = append(names, c.state.Variables(tracefmt.ProcessID(i+1))...)
	}
	for _, change := range c.changes {
		if change.Aspect == VariableAspect {
			names = append(names, change.Name)
		}
	}
	slices.Sort(names)
	names = slices.Compact(names)
	if i := slices.Index(names, "elected"); i > 0 {
		names = slices.Insert(slices.Delete(names, i, i+1), 0, "elected")
	}
	return names
}

// row returns the row of process p: name, status, variables, timers and clocks.
func (c *Cursor) row(p tracefmt.ProcessID, names []string) []Cell {
	process := c.state.Process(p)
	row := []Cell{{Text: c.Run().ProcessName(p)}, {process.StatusText(), c.changed(p, StatusAspect, "")}}
	if c.state.DoubtfulStatus(p) {
		row[1].Text += NotKnown
	}
	if len(names) <= maxColumns {
		for _, name := range names {
			row = append(row, c.variable(p, name))
		}
	} else {
		row = append(row, c.allVariables(p, names))
	}
	// No clock is recorded, or there is no event.
	clock := "-"
	if process.Lamport != 0 {
		clock = fmt.Sprint(process.Lamport)
	}
	row = append(row, c.timers(p), Cell{Text: clock})
	if c.showsVectors() {
		row = append(row, Cell{Text: strings.Trim(fmt.Sprint(c.clocks.At(p)), "[]")})
	}
	return row
}

// changed reports whether the event changed this aspect of the process; the name * matches any.
func (c *Cursor) changed(p tracefmt.ProcessID, a Aspect, name string) bool {
	return slices.ContainsFunc(c.changes, func(ch Change) bool {
		return ch.Process == p && ch.Aspect == a && (name == "*" || ch.Name == name)
	})
}

// variable returns the cell of a variable of p: its value, "?" after a value that may be outdated, "-" for
// none.
func (c *Cursor) variable(p tracefmt.ProcessID, name string) Cell {
	text := ""
	if value := c.state.value(p, name); value != "" {
		text = Plain([]byte(value))
	}
	if c.state.Doubtful(p, name) {
		if text == "" && c.state.recordedEmpty(p, name) {
			text = nothing
		}
		text += NotKnown
	}
	return Cell{cmp.Or(text, nothing), c.changed(p, VariableAspect, name)}
}

// allVariables returns one cell with all variables of p that have a value or have just changed, as
// name=value.
func (c *Cursor) allVariables(p tracefmt.ProcessID, names []string) Cell {
	var named []string
	for _, name := range names {
		if cell := c.variable(p, name); cell.Text != nothing && cell.Text != NotKnown || cell.Changed {
			named = append(named, name+"="+cell.String())
		}
	}
	return Cell{cmp.Or(strings.Join(named, " "), nothing), false}
}

// timers returns the cell of the armed timers of p.
func (c *Cursor) timers(p tracefmt.ProcessID) Cell {
	return Cell{cmp.Or(TimersText(c.Run(), c.state, p), nothing), c.changed(p, TimerAspect, "*")}
}

// moreTimers follows the timers of a process that may have armed others.
const moreTimers = "more" + NotKnown

// TimersText lists the armed timers of a process, as a [Cursor.Table] shows them.
func TimersText(run *tracefmt.Run, s *State, p tracefmt.ProcessID) string {
	var armed []string
	for _, t := range s.Timers(p) {
		if t.Known {
			armed = append(armed, t.Name+" at "+run.When(t.Due))
		} else {
			armed = append(armed, t.Name)
		}
		if s.DoubtfulTimer(p, t) {
			armed[len(armed)-1] += NotKnown
		}
	}
	switch {
	case !s.MoreTimers(p): // all timers are recorded
	case armed == nil:
		return NotKnown
	default:
		armed = append(armed, moreTimers)
	}
	return strings.Join(armed, ", ")
}
