package causal

import (
	"fmt"
	"slices"

	"etrace/replay"
	"etrace/tracefmt"
)

// Cut is a consistent cut: at p-1 the seq of the last event of process p in
// it, 0 for none. The empty cut may be nil.
type Cut []tracefmt.Seq

// Seqs returns the last events of the processes that have any in the cut, in
// the order of the processes.
func (c Cut) Seqs() []tracefmt.Seq {
	return slices.DeleteFunc(slices.Clone(c), func(s tracefmt.Seq) bool { return s == 0 })
}

// last returns the last event of p in the cut.
func (c Cut) last(p tracefmt.ProcessID) tracefmt.Seq {
	if c == nil {
		return 0
	}
	return c[p-1]
}

// union returns the least cut that holds both; it changes neither.
func (c Cut) union(d Cut) Cut {
	if c == nil {
		return d
	}
	u := slices.Clone(c)
	for i, seq := range d {
		u[i] = max(u[i], seq)
	}
	return u
}

// Interval says that something held at a process: after its step From, 0 for
// its initial state, until its step To, 0 for the end of the run.
type Interval struct {
	Process  tracefmt.ProcessID
	From, To tracefmt.Seq
	// begin is the least cut that holds From, and end that which holds To: all
	// that happened before. For an interval that is open, end is what the next
	// step of the process would come after at least, nil if there is none.
	begin, end Cut
}

// String says in words when it held, as far as is known.
func (i Interval) String() string {
	if i.To == 0 {
		return fmt.Sprintf("from seq %d on", i.From)
	}
	return fmt.Sprintf("from seq %d to %d", i.From, i.To)
}

// MaxEntries bounds what a [Tracker] keeps: so many entries of cuts, of 8
// bytes, two cuts an interval.
const MaxEntries = 1 << 22

// Tracker follows a run and keeps the intervals of its fluents.
type Tracker struct {
	clocks    *replay.Clocks
	processes int
	kept      int // entries
	limit     int // MaxEntries
	undecided string
	// cut is the least cut that holds the step at, 0 for an initial state;
	// fluents that change together share it.
	cut Cut
	at  tracefmt.Seq
}

// NewTracker returns a tracker before the first event of the run.
func NewTracker(run *tracefmt.Run) *Tracker {
	return &Tracker{clocks: replay.NewClocks(run), processes: len(run.Members), limit: MaxEntries}
}

// Step takes in the next event of the run.
func (t *Tracker) Step(e *tracefmt.Event) { t.clocks.Step(e) }

// Undecided says why nothing can be decided any more: more would have to be
// kept than is. It is "" as long as all is well; afterwards the fluents and
// pairs of the tracker tell of an earlier part of the run.
func (t *Tracker) Undecided() string {
	if why := t.clocks.Incomplete(); why != "" {
		return why
	}
	return t.undecided
}

// now returns the latest step of p and the least cut that holds it.
func (t *Tracker) now(p tracefmt.ProcessID) (tracefmt.Seq, Cut) {
	seq := t.clocks.Latest(p, p)
	if t.cut == nil || seq != t.at {
		t.cut, t.at = t.clocks.Cut(p), seq
	}
	return seq, t.cut
}

// known returns the latest step of p that all other processes know of.
func (t *Tracker) known(p tracefmt.ProcessID) tracefmt.Seq {
	known := t.clocks.Latest(p, p)
	for q := range t.processes {
		known = min(known, t.clocks.Latest(tracefmt.ProcessID(q+1), p))
	}
	return known
}

// keep counts intervals that are kept from now on, or no longer if negative.
func (t *Tracker) keep(intervals int) {
	if t.kept += intervals * 2 * t.processes; t.kept > t.limit && t.undecided == "" {
		t.undecided = fmt.Sprintf("the intervals of the local predicates take more than the %d clock entries that are kept", t.limit)
	}
}

// Fluent is a local predicate of each process: something that only steps of
// the process itself make true and false.
type Fluent struct {
	tracker   *Tracker
	intervals [][]Interval // by ProcessID; 0 is unused
}

// Fluent returns a predicate that holds nowhere yet.
func (t *Tracker) Fluent() *Fluent {
	return &Fluent{tracker: t, intervals: make([][]Interval, t.processes+1)}
}

// Set says whether the predicate holds at p, a process of the run, after its
// latest step; before its first step, in its initial state. It is said at most
// once for each step, and only where it changes need it be said.
func (f *Fluent) Set(p tracefmt.ProcessID, holds bool) { f.change(p, holds) }

// change reports whether an interval has begun or ended.
func (f *Fluent) change(p tracefmt.ProcessID, holds bool) bool {
	i, t := f.latest(p), f.tracker
	open := i != nil && i.To == 0
	if holds == open || t.Undecided() != "" {
		return false
	}
	seq, cut := t.now(p)
	switch {
	case holds:
		t.keep(1)
		f.intervals[p] = append(f.intervals[p], Interval{Process: p, From: seq, begin: cut})
	case seq == i.From: // it held in no state
		t.keep(-1)
		f.intervals[p] = f.intervals[p][:len(f.intervals[p])-1]
	default:
		i.To, i.end = seq, cut
	}
	return true
}

// latest returns the latest interval of p, nil if there is none.
func (f *Fluent) latest(p tracefmt.ProcessID) *Interval {
	list := f.intervals[p]
	if len(list) == 0 {
		return nil
	}
	return &list[len(list)-1]
}

// drop drops the first n intervals of p.
func (f *Fluent) drop(p tracefmt.ProcessID, n int) {
	clear(f.intervals[p][:n]) // or the cuts would stay in memory
	f.intervals[p] = f.intervals[p][n:]
	f.tracker.keep(-n)
}

// Intervals returns the maximal intervals of p in their order: a conjunct for
// [Possibly] and [Definitely]. final says that no process takes a step any
// more, so that what holds now holds forever.
func (f *Fluent) Intervals(p tracefmt.ProcessID, final bool) []Interval {
	list := slices.Clone(f.intervals[p])
	if last := len(list) - 1; last >= 0 && list[last].To == 0 && !final {
		_, list[last].end = f.tracker.now(p)
	}
	return list
}
