package printer

import (
	"cmp"
	"math"
	"slices"

	"etrace/replay"
	"etrace/tracefmt"
	"etrace/tracefmt/text"
)

// missing says between the events of a run what is not recorded: the gaps, where they are.
type missing struct {
	p    Printer
	run  *tracefmt.Run
	gaps []tracefmt.Gap // still to be said, by place
}

// newMissing is for the gaps that concern a stretch, of one process or, for 0, of all.
func newMissing(p Printer, run *tracefmt.Run, s Stretch, process tracefmt.ProcessID) *missing {
	m := &missing{p: p, run: run}
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

// before says the gaps that begin before an event.
func (m *missing) before(seq tracefmt.Seq) error {
	for len(m.gaps) > 0 && m.gaps[0].From <= seq {
		if err := m.p.Missing(m.gaps[0].Text()); err != nil {
			return err
		}
		m.gaps = m.gaps[1:]
	}
	return nil
}

// rest says all gaps that are left.
func (m *missing) rest() error { return m.before(math.MaxInt64) }

// lacks says before the events of which processes and which sorts of events a run tells
// nothing, or not all.
func lacks(p Printer, run *tracefmt.Run) error {
	c := tracefmt.NewCoverage(run)
	if c.Complete() {
		return nil
	}
	silent, none, some := c.Lacking()
	var lines []string
	if len(silent) > 0 {
		lines = append(lines, "nothing of "+names(run, silent)+" is recorded")
	}
	if len(none) > 0 {
		lines = append(lines, "not recorded: "+text.And(text.Few(none, 8)))
	}
	if len(some) > 0 {
		lines = append(lines, "not all recorded: "+text.And(text.Few(some, 8)))
	}
	for _, line := range lines {
		if err := p.Missing(line); err != nil {
			return err
		}
	}
	return nil
}

// lacksVariable says of which processes not all assignments of a variable are recorded, of
// one or, for 0, of all.
func lacksVariable(p Printer, run *tracefmt.Run, variable string, process tracefmt.ProcessID) error {
	c := tracefmt.NewCoverage(run)
	at := make(map[tracefmt.Level][]tracefmt.ProcessID)
	for i := range run.Members {
		q := tracefmt.ProcessID(i + 1)
		if level := c.Said(q, tracefmt.StateOf(variable)); process == 0 || process == q {
			at[level] = append(at[level], q)
		}
	}
	for _, l := range []struct {
		level tracefmt.Level
		says  string
	}{{tracefmt.None, "not recorded: "}, {tracefmt.Some, "not all recorded: "}} {
		if len(at[l.level]) == 0 {
			continue
		}
		if err := p.Missing(l.says + text.Printable(variable) + " of " + names(run, at[l.level])); err != nil {
			return err
		}
	}
	return nil
}

// names lists processes, the first of many.
func names(run *tracefmt.Run, processes []tracefmt.ProcessID) string {
	var all []string
	for _, p := range processes {
		all = append(all, text.Printable(run.ProcessName(p)))
	}
	return text.And(text.Few(all, 5))
}

// watched is what is printed of a variable whose changes are watched.
func watched(m *missing, moment replay.Moment) error {
	if err := m.before(moment.Event.Seq); err != nil {
		return err
	}
	return m.p.Step(m.run, moment.Event, []replay.Change{moment.Change})
}
