package causal

import (
	"iter"
	"maps"
	"math"
	"slices"

	"etrace/replay/sparse"
	"etrace/tracefmt"
)

// Pairs finds pairs of processes at which a local predicate holds at the same time, while the run goes on. It
// reports each pair once, and stores a bit for each reported pair.
//
// For possibly, it stores the latest interval of each process. For definitely it stores the open interval and,
// for each other process, the first ended interval that had heard of it. An ended interval can be met only by an
// interval that it knows to have begun; if several qualify, the first of them was heard of earliest. So the
// memory does not grow with the run, whether processes communicate or not.
type Pairs struct {
	tracker  *Tracker
	definite bool
	report   func(Witness)
	reported []sparse.Set // by ProcessID: the processes with which it was reported
	latest   map[tracefmt.ProcessID]*meeting
	// ends has, for possibly, at p-1 the end of the latest interval of p, as a number of a
	// [replay.Clock]. The end of an open interval is a number that no process knows. It is nil while
	// at most few processes have an interval.
	ends *sparse.Row
}

// maxPairwise is the largest number of processes for which intervals are compared pairwise.
const maxPairwise = 8

// meeting is an interval and, for definitely, the first interval of each process that overlaps it.
type meeting struct {
	Interval
	met map[tracefmt.ProcessID]Interval
}

// PossiblyPairs returns a detector that reports each two processes at which the predicate possibly holds at the
// same time, when the later of the two intervals begins.
func (t *Tracker) PossiblyPairs(report func(Witness)) *Pairs {
	return &Pairs{
		tracker: t, report: report, reported: make([]sparse.Set, t.processes+1),
		latest: make(map[tracefmt.ProcessID]*meeting),
	}
}

// DefinitelyPairs returns a detector that reports each two processes at which the predicate definitely holds at
// the same time, when their intervals have ended.
func (t *Tracker) DefinitelyPairs(report func(Witness)) *Pairs {
	d := t.PossiblyPairs(report)
	d.definite = true
	return d
}

// Fork returns a detector for another predicate, which has been equal to that of d until now. Only one of the two
// detectors reports a pair.
func (d *Pairs) Fork() *Pairs {
	f := &Pairs{
		tracker: d.tracker, definite: d.definite, report: d.report, reported: d.reported,
		latest: make(map[tracefmt.ProcessID]*meeting, len(d.latest)),
	}
	for p, i := range d.latest {
		f.replace(p, &meeting{i.Interval, maps.Clone(i.met)})
		f.tracker.countStored(len(i.met))
	}
	return f
}

// Idle reports whether the detector stores nothing, so that it may be dropped.
func (d *Pairs) Idle() bool { return len(d.latest) == 0 }

// Close drops the detector.
func (d *Pairs) Close() {
	for p := range d.latest {
		d.remove(p)
	}
}

// Set sets whether the predicate holds at p, as [Fluent.Set] does, but that it may be called twice for a step: to
// end an interval and to begin the next.
func (d *Pairs) Set(p tracefmt.ProcessID, holds bool) {
	i := d.latest[p]
	if open := i != nil && i.open(); holds == open || d.tracker.Undecided() != "" {
		return
	}
	clock := d.tracker.clocks.Clock(p)
	if holds {
		i = &meeting{Interval: Interval{Process: p, From: clock.Seq(), begin: clock}}
		if !d.definite {
			d.begin(&i.Interval)
		}
		d.replace(p, i)
		return
	}
	i.To, i.end, i.ends = clock.Seq(), clock, true
	if d.definite {
		d.remove(p)
		d.end(i)
	} else {
		d.replace(p, i)
	}
}

// replace replaces the interval of p.
func (d *Pairs) replace(p tracefmt.ProcessID, i *meeting) {
	if d.latest[p] == nil {
		d.tracker.countStored(1)
		d.tracker.keepers[d] = true // pruning may have removed it
	}
	d.latest[p] = i
	switch {
	case d.definite:
	case d.ends != nil:
		d.ends.Set(int(p)-1, i.ended())
	case len(d.latest) > maxPairwise:
		d.ends = new(sparse.Row)
		for p, i := range d.latest {
			d.ends.Set(int(p)-1, i.ended())
		}
	}
}

// ended returns the end as a number of a clock.
func (i *Interval) ended() uint64 {
	if i.open() {
		return math.MaxUint64
	}
	return i.end.Own()
}

// remove drops the interval of p.
func (d *Pairs) remove(p tracefmt.ProcessID) {
	if i := d.latest[p]; i != nil {
		delete(d.latest, p)
		d.tracker.countStored(-1 - len(i.met))
	}
	if d.Idle() { // few of many detectors store anything
		delete(d.tracker.keepers, d)
	}
	if d.ends != nil {
		d.ends.Set(int(p)-1, 0)
	}
}

// End reports the pairs that only the end of the run decides; final is explained at [Fluent.Intervals].
func (d *Pairs) End(final bool) {
	if !d.definite || d.tracker.Undecided() != "" {
		return
	}
	for _, i := range d.latest {
		// If the run may go on, an open interval may end after the last recorded step.
		if !final {
			i.end, i.ends = d.tracker.clocks.Clock(i.Process), true
		}
	}
	for _, p := range slices.Sorted(maps.Keys(d.latest)) {
		d.endOpen(d.latest[p])
	}
}

// begin reports the intervals of other processes that may not be over when the interval i begins. The latest
// interval of each process is enough: if that is over, all are.
func (d *Pairs) begin(i *Interval) {
	if d.ends == nil {
		for _, q := range slices.Sorted(maps.Keys(d.latest)) {
			if j := d.latest[q]; !j.over(i) {
				d.add(&j.Interval, i)
			}
		}
		return
	}
	for at := range d.ends.Beyond(i.begin.Past()) {
		d.add(&d.latest[tracefmt.ProcessID(at+1)].Interval, i)
	}
}

// end reports the ended intervals that the interval i, which ends, overlaps in every order, and stores i for
// comparison with the open intervals.
func (d *Pairs) end(i *meeting) {
	for q, j := range d.latest {
		if !d.reported[i.Process].Has(int(q)) && j.beginsBeforeEndOf(&i.Interval) {
			d.storeWithOpen(j, &i.Interval)
		}
	}
	for _, q := range slices.Sorted(maps.Keys(i.met)) {
		if j := i.met[q]; j.beginsBeforeEndOf(&i.Interval) {
			d.add(&j, &i.Interval)
		}
	}
}

// storeWithOpen stores the ended interval i with the open interval j, unless an earlier one of the same process is
// stored.
func (d *Pairs) storeWithOpen(j *meeting, i *Interval) {
	if _, ok := j.met[i.Process]; ok {
		return
	}
	if j.met == nil {
		j.met = make(map[tracefmt.ProcessID]Interval)
	}
	j.met[i.Process] = *i
	d.tracker.countStored(1)
}

// endOpen reports the intervals, open or ended, that the interval i, which is open at the end of the run,
// overlaps in every order.
func (d *Pairs) endOpen(i *meeting) {
	rivals := slices.AppendSeq(slices.Collect(maps.Keys(d.latest)), maps.Keys(i.met))
	slices.Sort(rivals)
	for _, q := range slices.Compact(rivals) {
		j, met := d.latest[q], i.met[q]
		switch {
		case q == i.Process:
		case j != nil && i.beginsBeforeEndOf(&j.Interval) && j.beginsBeforeEndOf(&i.Interval):
			d.add(&j.Interval, &i.Interval)
		case met.Process != 0 && met.beginsBeforeEndOf(&i.Interval):
			d.add(&met, &i.Interval)
		}
	}
}

// add reports a pair of intervals, once for each pair of processes.
func (d *Pairs) add(j, i *Interval) {
	if i.Process == j.Process || d.reported[i.Process].Has(int(j.Process)) {
		return
	}
	d.reportedBy(i.Process).Add(int(j.Process))
	d.reportedBy(j.Process).Add(int(i.Process))
	if i.From < j.From {
		i, j = j, i
	}
	d.report(Witness{Intervals: []Interval{*j, *i}})
}

// reportedBy returns the set of processes with which p was reported.
func (d *Pairs) reportedBy(p tracefmt.ProcessID) sparse.Set {
	if d.reported[p] == nil {
		d.reported[p] = sparse.NewSet(len(d.reported))
	}
	return d.reported[p]
}

// prune drops the intervals whose ends every process knows: every later interval begins after them.
func (d *Pairs) prune() {
	for p, i := range d.latest {
		if !d.definite && !i.open() && d.tracker.knownToAll(p, i.To) {
			d.remove(p)
		}
	}
}

// intervals yields all stored intervals.
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
