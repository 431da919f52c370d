package analyze

import "etrace/tracefmt"

// maxGaps is the greatest number of gaps by which a need is divided.
const maxGaps = 8

// inGaps divides each need that only gaps may hide into one need for each gap.
func inGaps(c *tracefmt.Coverage, run *tracefmt.Run, needs []Need) []Need {
	var list []Need
	for _, n := range needs {
		if n.Process != AnyProcess && n.Process != EveryProcess {
			list = append(list, n.inGaps(c)...)
			continue
		}
		single, ok := n.byProcess(c, run)
		if !ok {
			single = []Need{n}
		}
		list = append(list, single...)
	}
	return list
}

// byProcess divides a need of every process into needs for the gaps of each process. ok is false if some process
// may lack the fact outside gaps.
func (n Need) byProcess(c *tracefmt.Coverage, run *tracefmt.Run) (list []Need, ok bool) {
	for i := range run.Members {
		single := n
		single.Process = tracefmt.ProcessID(i + 1)
		if n.Process == AnyProcess && run.Part(single.Process) == tracefmt.Bystander {
			continue
		}
		if !single.onlyInGaps(c) {
			return nil, false
		}
		list = append(list, single.inGaps(c)...)
	}
	return list, true
}

// onlyInGaps reports whether only a gap may hide the fact: outside gaps its record is complete.
func (n Need) onlyInGaps(c *tracefmt.Coverage) bool {
	return n.Process > 0 && c.Level(n.Process, n.Fact) == tracefmt.All && c.InGap(n.Process, n.From, n.To)
}

// inGaps divides a need of one process by the gaps that may hide it.
func (n Need) inGaps(c *tracefmt.Coverage) []Need {
	if !n.onlyInGaps(c) {
		return []Need{n}
	}
	var list []Need
	for g := range c.GapsBetween(n.Process, n.From, n.To) {
		stretch := n
		if from := g.From - 1; from >= n.From {
			stretch.From = from
		}
		if g.To != 0 && (n.To == 0 || g.To+1 <= n.To) {
			stretch.To = g.To + 1
		}
		if stretch.From == max(g.From-1, 0) && stretch.To == afterGap(g) {
			stretch.Dropped = g.Dropped
		}
		list = append(list, stretch)
	}
	if len(list) > maxGaps {
		return []Need{stretchAround(list)}
	}
	return list
}

// afterGap returns the event before which the events of a gap happened, 0 for none.
func afterGap(g tracefmt.Gap) tracefmt.Seq {
	if g.To == 0 {
		return 0
	}
	return g.To + 1
}

// fitsCrashAndFact reports whether the stretch may lack both a crash and the fact. It cannot if only a gap may hide
// them, and the gap lacks a single event.
func (n Need) fitsCrashAndFact(c *tracefmt.Coverage) bool {
	for _, f := range []tracefmt.Fact{n.Fact, crashFact} {
		n.Fact = f
		if c.Missing(n.Process, f, n.From, n.To) && !n.onlyInGaps(c) {
			return true
		}
	}
	lacking := int64(0)
	for g := range c.GapsBetween(n.Process, n.From, n.To) {
		if lacking += g.Dropped; g.Dropped == 0 || lacking > 1 {
			return true
		}
	}
	return false
}
