package printer

import (
	"cmp"
	"math"
	"slices"

	"etrace/replay"
	"etrace/tracefmt"
	"etrace/tracefmt/text"
)

// gapPrinter prints the gaps of a recording between its events.
type gapPrinter struct {
	p   Printer
	run *tracefmt.Run
	// gaps are not printed yet, in ascending order of their beginnings.
	gaps []tracefmt.Gap
}

// newMissing selects the gaps that overlap a stretch, of one process or, if process is 0, of all.
func newMissing(p Printer, run *tracefmt.Run, s Stretch, process tracefmt.ProcessID) *gapPrinter {
	m := &gapPrinter{p: p, run: run}
	if run.Completeness == nil {
		return m
	}
	for _, g := range run.Completeness.Gaps {
		inside := (g.To == 0 || g.To >= s.From-1) && g.From-1 <= s.To
		if inside && (process == 0 || g.Process == run.ProcessName(process)) {
			m.gaps = append(m.gaps, g)
		}
	}
	slices.SortStableFunc(m.gaps, func(a, b tracefmt.Gap) int { return cmp.Compare(a.From, b.From) })
	return m
}

// printUpTo prints the gaps that begin up to seq.
func (m *gapPrinter) printUpTo(seq tracefmt.Seq) error {
	for len(m.gaps) > 0 && m.gaps[0].From <= seq {
		if err := m.p.Missing(m.gaps[0].Text()); err != nil {
			return err
		}
		m.gaps = m.gaps[1:]
	}
	return nil
}

// remaining prints all gaps that are left.
func (m *gapPrinter) remaining() error { return m.printUpTo(math.MaxInt64) }

// printIncomplete prints which processes are not recorded, and which kinds of events are not recorded or incomplete.
func printIncomplete(p Printer, run *tracefmt.Run) error {
	c := tracefmt.NewCoverage(run)
	if c.Complete() {
		return nil
	}
	silent, empty, partly := c.Lacking()
	var lines []string
	if len(silent) > 0 {
		lines = append(lines, "nothing of "+names(run, silent)+" is recorded")
	}
	if len(empty) > 0 {
		lines = append(lines, "not recorded: "+text.And(text.Few(empty, 8)))
	}
	if len(partly) > 0 {
		lines = append(lines, "not all recorded: "+text.And(text.Few(partly, 8)))
	}
	for _, line := range lines {
		if err := p.Missing(line); err != nil {
			return err
		}
	}
	return nil
}

// lacksVariable prints for which processes the assignments of a variable are not recorded or incomplete: for
// one process, or for all if process is 0.
func lacksVariable(p Printer, run *tracefmt.Run, variable string, process tracefmt.ProcessID) error {
	c := tracefmt.NewCoverage(run)
	byLevel := make(map[tracefmt.Level][]tracefmt.ProcessID)
	for i := range run.Members {
		q := tracefmt.ProcessID(i + 1)
		if level := c.Declared(q, tracefmt.StateOf(variable)); process == 0 || process == q {
			byLevel[level] = append(byLevel[level], q)
		}
	}
	for _, l := range []struct {
		level tracefmt.Level
		text  string
	}{{tracefmt.None, "not recorded: "}, {tracefmt.Some, "not all recorded: "}} {
		if len(byLevel[l.level]) == 0 {
			continue
		}
		if err := p.Missing(l.text + text.Printable(variable) + " of " + names(run, byLevel[l.level])); err != nil {
			return err
		}
	}
	return nil
}

// names lists the names of processes, at most five.
func names(run *tracefmt.Run, processes []tracefmt.ProcessID) string {
	var names []string
	for _, p := range processes {
		names = append(names, text.Printable(run.ProcessName(p)))
	}
	return text.And(text.Few(names, 5))
}

// watched prints a change of a watched variable, after the gaps before it.
func watched(m *gapPrinter, moment replay.Moment) error {
	if err := m.printUpTo(moment.Event.Seq); err != nil {
		return err
	}
	return m.p.Step(m.run, moment.Event, []replay.Change{moment.Change})
}
