package analyze

import "etrace/tracefmt"

// mostGaps bounds the gaps of a process into which a need is divided.
const mostGaps = 8

// inGaps returns the needs, each divided by the gaps of the record if only gaps may hide it.
func inGaps(c *tracefmt.Coverage, run *tracefmt.Run, needs []Need) []Need {
	var all []Need
	for _, n := range needs {
		if n.Process != AnyProcess && n.Process != EveryProcess {
			all = append(all, n.inGaps(c)...)
			continue
		}
		own, ok := n.ofEach(c, run)
		if !ok {
			own = []Need{n}
		}
		all = append(all, own...)
	}
	return all
}

// ofEach divides a need of every process by their gaps, unless some process may lack it anywhere.
func (n Need) ofEach(c *tracefmt.Coverage, run *tracefmt.Run) (all []Need, ok bool) {
	for i := range run.Members {
		own := n
		own.Process = tracefmt.ProcessID(i + 1)
		if n.Process == AnyProcess && run.Part(own.Process) == tracefmt.StandsBy {
			continue
		}
		if !own.hidden(c) {
			return nil, false
		}
		all = append(all, own.inGaps(c)...)
	}
	return all, true
}

// hidden reports whether only a gap may hide the fact, since its record is complete otherwise.
func (n Need) hidden(c *tracefmt.Coverage) bool {
	return n.Process > 0 && c.Level(n.Process, n.Fact) == tracefmt.All && c.InGap(n.Process, n.From, n.To)
}

// inGaps divides a need of one process by the gaps that hide it.
func (n Need) inGaps(c *tracefmt.Coverage) []Need {
	if !n.hidden(c) {
		return []Need{n}
	}
	var all []Need
	for g := range c.GapsBetween(n.Process, n.From, n.To) {
		within := n
		if from := g.From - 1; from >= n.From {
			within.From = from
		}
		if g.To != 0 && (n.To == 0 || g.To+1 <= n.To) {
			within.To = g.To + 1
		}
		if within.From == max(g.From-1, 0) && within.To == afterGap(g) {
			within.Dropped = g.Dropped
		}
		all = append(all, within)
	}
	if len(all) > mostGaps {
		return hulls(all)
	}
	return all
}

// afterGap returns the event before which the events of a gap happened, 0 for none.
func afterGap(g tracefmt.Gap) tracefmt.Seq {
	if g.To == 0 {
		return 0
	}
	return g.To + 1
}

// room reports whether a crash and a later event may both have happened: not if only gaps may hide them that lack
// a single event.
func (n Need) room(c *tracefmt.Coverage) bool {
	for _, f := range []tracefmt.Fact{n.Fact, fall} {
		n.Fact = f
		if c.Missing(n.Process, f, n.From, n.To) && !n.hidden(c) {
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
