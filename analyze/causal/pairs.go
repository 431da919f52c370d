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
	told     []sparse.Set // by ProcessID: with whom it was reported
	latest   map[tracefmt.ProcessID]*meeting
	// ends has, for possibly, at p-1 of p the end of its latest interval, as a number
	// of a [replay.Clock]: one that no process knows of as long as it is open. nil as
	// long as few processes have any.
	ends *sparse.Row
}

// few is of how many processes the intervals are looked at one by one.
const few = 8

// meeting is an interval, and the first one of each process that met it, for
// definitely.
type meeting struct {
	Interval
	met map[tracefmt.ProcessID]Interval
}

// PossiblyPairs returns a detector that reports each two processes at which
// the predicate possibly holds at one time, as soon as the later of the two
// intervals begins.
func (t *Tracker) PossiblyPairs(report func(Witness)) *Pairs {
	return &Pairs{tracker: t, report: report, told: make([]sparse.Set, t.processes+1), latest: make(map[tracefmt.ProcessID]*meeting)}
}

// DefinitelyPairs returns a detector that reports each two processes at which
// the predicate definitely holds at one time, when their intervals have ended.
func (t *Tracker) DefinitelyPairs(report func(Witness)) *Pairs {
	d := t.PossiblyPairs(report)
	d.definite = true
	return d
}

// Fork returns a detector for another predicate, which has held until now where
// that of d has. Of the two only one reports two processes.
func (d *Pairs) Fork() *Pairs {
	f := &Pairs{tracker: d.tracker, definite: d.definite, report: d.report, told: d.told,
		latest: make(map[tracefmt.ProcessID]*meeting, len(d.latest))}
	for p, i := range d.latest {
		f.put(p, &meeting{i.Interval, maps.Clone(i.met)})
		f.tracker.keep(len(i.met))
	}
	return f
}

// Idle reports whether the detector keeps nothing, so that it may be forgotten.
func (d *Pairs) Idle() bool { return len(d.latest) == 0 }

// Close forgets the detector.
func (d *Pairs) Close() {
	for p := range d.latest {
		d.remove(p)
	}
}

// Set says whether the predicate holds at p, as [Fluent.Set] does.
func (d *Pairs) Set(p tracefmt.ProcessID, holds bool) {
	i := d.latest[p]
	if open := i != nil && i.open(); holds == open || d.tracker.Undecided() != "" {
		return
	}
	switch now := d.tracker.clocks.Clock(p); {
	case holds:
		i = &meeting{Interval: Interval{Process: p, From: now.Seq(), begin: now}}
		if !d.definite {
			d.begin(&i.Interval)
		}
		d.put(p, i)
	case now.Seq() == i.From: // it held in no state
		d.remove(p)
	default:
		i.To, i.end, i.ends = now.Seq(), now, true
		if d.definite {
			d.remove(p)
			d.end(i)
		} else {
			d.put(p, i)
		}
	}
}

// put keeps an interval of p in the place of the one before.
func (d *Pairs) put(p tracefmt.ProcessID, i *meeting) {
	if d.latest[p] == nil {
		d.tracker.keep(1)
		d.tracker.keepers[d] = true // which pruning may have ended
	}
	d.latest[p] = i
	switch {
	case d.definite:
	case d.ends != nil:
		d.ends.Set(int(p)-1, i.ended())
	case len(d.latest) > few:
		d.ends = new(sparse.Row)
		for p, i := range d.latest {
			d.ends.Set(int(p)-1, i.ended())
		}
	}
}

// ended is the end as a number of a clock.
func (i *Interval) ended() uint64 {
	if i.open() {
		return math.MaxUint64
	}
	return i.end.Own()
}

func (d *Pairs) remove(p tracefmt.ProcessID) {
	if i := d.latest[p]; i != nil {
		delete(d.latest, p)
		d.tracker.keep(-1 - len(i.met))
	}
	if d.Idle() { // of many detectors few keep anything
		delete(d.tracker.keepers, d)
	}
	if d.ends != nil {
		d.ends.Set(int(p)-1, 0)
	}
}

// End reports what only the end of the run decides; final is as for
// [Fluent.Intervals].
func (d *Pairs) End(final bool) {
	if !d.definite || d.tracker.Undecided() != "" {
		return
	}
	for _, i := range d.latest {
		if !final {
			i.end, i.ends = d.tracker.clocks.Clock(i.Process), true
		}
	}
	for _, p := range slices.Sorted(maps.Keys(d.latest)) {
		d.stay(d.latest[p])
	}
}

// begin compares the interval i, which begins, with those of other processes
// that may not be over where it does. Of each process the latest is enough: if
// that is over, all are.
func (d *Pairs) begin(i *Interval) {
	if d.ends == nil {
		for _, q := range slices.Sorted(maps.Keys(d.latest)) {
			if j := d.latest[q]; !j.over(i) {
				d.tell(&j.Interval, i)
			}
		}
		return
	}
	for at := range d.ends.Beyond(i.begin.Past()) {
		d.tell(&d.latest[tracefmt.ProcessID(at+1)].Interval, i)
	}
}

// end compares the interval i, which ends, with those that ended before, and keeps
// it for those that have not.
func (d *Pairs) end(i *meeting) {
	for q, j := range d.latest {
		if !d.told[i.Process].Has(int(q)) && j.beginsBeforeEndOf(&i.Interval) {
			d.meet(j, &i.Interval)
		}
	}
	for _, q := range slices.Sorted(maps.Keys(i.met)) {
		if j := i.met[q]; j.beginsBeforeEndOf(&i.Interval) {
			d.tell(&j, &i.Interval)
		}
	}
}

// meet keeps the interval i, which has ended, for j, which has not, unless an
// earlier one of the same process is there.
func (d *Pairs) meet(j *meeting, i *Interval) {
	if _, ok := j.met[i.Process]; ok {
		return
	}
	if j.met == nil {
		j.met = make(map[tracefmt.ProcessID]Interval)
	}
	j.met[i.Process] = *i
	d.tracker.keep(1)
}

// stay compares the interval i, which is open at the end of the run, with all
// others: those that are, too, and those that have ended.
func (d *Pairs) stay(i *meeting) {
	others := slices.AppendSeq(slices.Collect(maps.Keys(d.latest)), maps.Keys(i.met))
	slices.Sort(others)
	for _, q := range slices.Compact(others) {
		j, met := d.latest[q], i.met[q]
		switch {
		case q == i.Process:
		case j != nil && i.beginsBeforeEndOf(&j.Interval) && j.beginsBeforeEndOf(&i.Interval):
			d.tell(&j.Interval, &i.Interval)
		case met.Process != 0 && met.beginsBeforeEndOf(&i.Interval):
			d.tell(&met, &i.Interval)
		}
	}
}

// tell reports two intervals, unless it has reported their processes.
func (d *Pairs) tell(j, i *Interval) {
	if i.Process == j.Process || d.told[i.Process].Has(int(j.Process)) {
		return
	}
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

// prune drops the intervals of whose ends every process knows: whatever is still to
// begin, begins after them.
func (d *Pairs) prune() {
	for p, i := range d.latest {
		if !d.definite && !i.open() && d.tracker.known(p, i.To) {
			d.remove(p)
		}
	}
}

// intervals yields all that are kept.
func (d *Pairs) intervals() iter.Seq[*Interval] {
	return func(yield func(*Interval) bool) {
		for _, i := range d.latest {
			if !yield(&i.Interval) {
				return
			}
			for _, met := range i.met {
				if !yield(&met) {
					return
				}
			}
		}
	}
}
