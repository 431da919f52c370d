package causal

import (
	"slices"

	"etrace/tracefmt"
)

// Pairs looks for two processes at which a local predicate holds at one time,
// of all processes of a run, as the run goes on. It tells each two processes
// once. An interval that begins (possibly) or ends (definitely) costs a look,
// or a binary search, at each process.
type Pairs struct {
	fluent   *Fluent
	definite bool
	over     bool // the run
	report   func(Witness)
	told     map[[2]tracefmt.ProcessID]bool
}

// PossiblyPairs returns a detector that reports each two processes at which
// the predicate possibly holds at one time, as soon as the later of the two
// intervals begins.
func (t *Tracker) PossiblyPairs(report func(Witness)) *Pairs {
	return &Pairs{fluent: t.Fluent(), report: report, told: make(map[[2]tracefmt.ProcessID]bool)}
}

// DefinitelyPairs returns a detector that reports each two processes at which
// the predicate definitely holds at one time, when their intervals have ended.
func (t *Tracker) DefinitelyPairs(report func(Witness)) *Pairs {
	d := t.PossiblyPairs(report)
	d.definite = true
	return d
}

// Set says whether the predicate holds at p, as [Fluent.Set] does.
func (d *Pairs) Set(p tracefmt.ProcessID, holds bool) {
	if !d.fluent.change(p, holds) {
		return
	}
	i := d.fluent.latest(p)
	switch {
	case i == nil:
	case !d.definite && holds:
		d.begin(i)
		d.fluent.drop(p, len(d.fluent.intervals[p])-1)
	case d.definite && i.To != 0:
		d.end(i)
		d.prune(p)
	}
}

// End reports what only the end of the run decides; final is as for
// [Fluent.Intervals].
func (d *Pairs) End(final bool) {
	if !d.definite || d.fluent.tracker.Undecided() != "" {
		return
	}
	d.over = true
	for p := range d.fluent.intervals[1:] {
		p := tracefmt.ProcessID(p + 1)
		d.fluent.intervals[p] = d.fluent.Intervals(p, final)
	}
	for p := range d.fluent.intervals {
		if i := d.fluent.latest(tracefmt.ProcessID(p)); i != nil && i.To == 0 {
			d.end(i)
		}
	}
}

// begin compares the interval i, which begins, with those of other processes
// that may not be over where it does. Of each process the latest is enough: if
// that is over, all are.
func (d *Pairs) begin(i *Interval) {
	for q := range d.fluent.intervals {
		if j := d.fluent.latest(tracefmt.ProcessID(q)); j != nil && j != i && !j.over(i) {
			d.tell(j, i)
		}
	}
}

// end compares the interval i, which ends, with those of other processes that
// have ended. Of each process the latest that i begins before the end of is
// enough: the later one ends, the more happened before that. One that has not
// ended yet compares itself with i, or with a later one, when it does.
func (d *Pairs) end(i *Interval) {
	for q, list := range d.fluent.intervals {
		n, _ := slices.BinarySearchFunc(list, i, func(j Interval, i *Interval) int {
			if j.beginsBeforeEndOf(i) {
				return -1
			}
			return 1
		})
		if n > 0 && list[n-1].To == 0 && !d.over {
			n--
		}
		if q != int(i.Process) && n > 0 && i.beginsBeforeEndOf(&list[n-1]) {
			d.tell(&list[n-1], i)
		}
	}
}

func (d *Pairs) tell(j, i *Interval) {
	key := [2]tracefmt.ProcessID{min(i.Process, j.Process), max(i.Process, j.Process)}
	if d.told[key] {
		return
	}
	d.told[key] = true
	if i.From < j.From {
		i, j = j, i
	}
	var w Witness
	w.add(*j)
	w.add(*i)
	d.report(w)
}

// prune drops the intervals of p that cannot be the latest for any end to
// come, since every process knows of the beginning of a later one.
func (d *Pairs) prune(p tracefmt.ProcessID) {
	list, known := d.fluent.intervals[p], d.fluent.tracker.known(p)
	old := 0
	for old+1 < len(list) && list[old+1].From <= known {
		old++
	}
	d.fluent.drop(p, old)
}
