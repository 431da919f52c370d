package causal

import (
	"iter"
	"maps"
	"math"
	"slices"

	"etrace/replay/sparse"
	"etrace/tracefmt"
)

// Pairs looks for two processes at which a local predicate holds at one time,
// of all processes of a run, as the run goes on. It reports each two processes
// once, and does not ask for them again: a bit for each two processes of which one
// was reported.
//
// Of each process at most one interval is kept for possibly, the latest. For
// definitely it is the one that is open, and with it, of each other process, the
// first interval that ended and had heard that it is open: an interval that has
// ended can only be met by one that had begun by then as far as it knows, and if
// several can, the first of them was the earliest to be heard of. So what is kept
// does not grow with the run, whether a process learns anything or not.
type Pairs struct {
	tracker  *Tracker
	definite bool
	report   func(Witness)
	latest   []Interval                        // by ProcessID
	met      []map[tracefmt.ProcessID]Interval // by ProcessID, for the interval that is open
	open     sparse.Set                        // those whose latest interval is open
	ends     sparse.Row                        // by ProcessID - 1: where the latest interval ended, as a [replay.Clock.Own]
	told     []sparse.Set                      // by ProcessID: with whom it was reported
}

// PossiblyPairs returns a detector that reports each two processes at which
// the predicate possibly holds at one time, as soon as the later of the two
// intervals begins.
func (t *Tracker) PossiblyPairs(report func(Witness)) *Pairs {
	n := t.processes + 1
	d := &Pairs{
		tracker: t, report: report,
		latest: make([]Interval, n), open: sparse.NewSet(n), told: make([]sparse.Set, n),
	}
	t.keepers = append(t.keepers, d)
	return d
}

// DefinitelyPairs returns a detector that reports each two processes at which
// the predicate definitely holds at one time, when their intervals have ended.
func (t *Tracker) DefinitelyPairs(report func(Witness)) *Pairs {
	d := t.PossiblyPairs(report)
	d.definite = true
	d.met = make([]map[tracefmt.ProcessID]Interval, t.processes+1)
	return d
}

// Set says whether the predicate holds at p, as [Fluent.Set] does.
func (d *Pairs) Set(p tracefmt.ProcessID, holds bool) {
	i := &d.latest[p]
	if holds == i.open() || d.tracker.Undecided() != "" {
		return
	}
	switch now := d.tracker.clocks.Clock(p); {
	case holds:
		if i.Process == 0 {
			d.tracker.keep(1)
		}
		*i = Interval{Process: p, From: now.Seq(), begin: now}
		if !d.definite {
			d.begin(i)
		}
		d.open.Add(int(p))
		d.ends.Set(int(p)-1, math.MaxUint64)
	case now.Seq() == i.From: // it held in no state
		d.open.Remove(int(p))
		d.ends.Set(int(p)-1, 0)
		*i = Interval{}
		d.tracker.keep(-1)
	default:
		i.To, i.end, i.ends = now.Seq(), now, true
		d.open.Remove(int(p))
		d.ends.Set(int(p)-1, now.Own())
		if d.definite {
			d.end(i)
		}
	}
}

// End reports what only the end of the run decides; final is as for
// [Fluent.Intervals].
func (d *Pairs) End(final bool) {
	if !d.definite || d.tracker.Undecided() != "" {
		return
	}
	for p := range d.open.All() {
		if !final {
			i := &d.latest[p]
			i.end, i.ends = d.tracker.clocks.Clock(i.Process), true
		}
	}
	for p := range d.open.All() {
		d.stay(&d.latest[p])
	}
}

// begin compares the interval i, which begins, with those of other processes
// that may not be over where it does. Of each process the latest is enough: if
// that is over, all are.
func (d *Pairs) begin(i *Interval) {
	for at := range d.ends.Beyond(i.begin.Past()) {
		if j := &d.latest[at+1]; j != i && !d.told[i.Process].Has(at+1) {
			d.tell(j, i)
		}
	}
}

// end compares the interval i, which ends, with those that ended before, and keeps
// it for those that have not.
func (d *Pairs) end(i *Interval) {
	for q := range d.open.Without(d.told[i.Process]) {
		if d.latest[q].beginsBeforeEndOf(i) {
			d.meet(q, i)
		}
	}
	met := d.met[i.Process]
	for _, q := range slices.Sorted(maps.Keys(met)) {
		if j := met[q]; !d.told[i.Process].Has(int(q)) && j.beginsBeforeEndOf(i) {
			d.tell(&j, i)
		}
	}
	d.tracker.keep(-len(met))
	d.met[i.Process] = nil
}

// meet keeps the interval i, which has ended, for that of q, unless an earlier one
// of the same process is there.
func (d *Pairs) meet(q int, i *Interval) {
	if _, ok := d.met[q][i.Process]; ok {
		return
	}
	if d.met[q] == nil {
		d.met[q] = make(map[tracefmt.ProcessID]Interval)
	}
	d.met[q][i.Process] = *i
	d.tracker.keep(1)
}

// stay compares the interval i, which is open at the end of the run, with all
// others: those that are, too, and those that have ended.
func (d *Pairs) stay(i *Interval) {
	for q := tracefmt.ProcessID(1); int(q) < len(d.latest); q++ {
		if q == i.Process || d.told[i.Process].Has(int(q)) {
			continue
		}
		j, met := &d.latest[q], d.met[i.Process][q]
		switch {
		case j.open() && i.beginsBeforeEndOf(j) && j.beginsBeforeEndOf(i):
			d.tell(j, i)
		case met.Process != 0 && met.beginsBeforeEndOf(i):
			d.tell(&met, i)
		}
	}
}

func (d *Pairs) tell(j, i *Interval) {
	d.tells(i.Process).Add(int(j.Process))
	d.tells(j.Process).Add(int(i.Process))
	if i.From < j.From {
		i, j = j, i
	}
	d.report(Witness{Intervals: []Interval{*j, *i}})
}

func (d *Pairs) tells(p tracefmt.ProcessID) sparse.Set {
	if d.told[p] == nil {
		d.told[p] = sparse.NewSet(len(d.told))
	}
	return d.told[p]
}

// intervals yields all that are kept.
func (d *Pairs) intervals() iter.Seq[*Interval] {
	return func(yield func(*Interval) bool) {
		for p := range d.latest {
			if !yield(&d.latest[p]) {
				return
			}
		}
		for _, met := range d.met {
			for _, i := range met {
				if !yield(&i) {
					return
				}
			}
		}
	}
}
