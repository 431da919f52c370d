package causal

import (
	"fmt"
	"iter"
	"math"
	"slices"

	"etrace/replay"
	"etrace/tracefmt"
)

// Cut is a consistent cut: at p-1 the seq of the last event of process p in it, 0 for none. The empty cut may be
// nil.
type Cut []tracefmt.Seq

// Seqs returns the last events of the processes with events in the cut, in the order of the processes.
func (c Cut) Seqs() []tracefmt.Seq {
	return slices.DeleteFunc(slices.Clone(c), func(s tracefmt.Seq) bool { return s == 0 })
}

// Interval is a period in which a predicate held at a process: after its step From, 0 for its initial state,
// until its step To, 0 for the end of the run.
type Interval struct {
	Process  tracefmt.ProcessID
	From, To tracefmt.Seq
	// Value is the value of [Fluent.SetValue], 0 after [Fluent.Set].
	Value int
	// begin is the clock of From, and end that of To, if the interval has ended. For an open interval, end is a
	// lower bound of the clock of the process's next step, if there may be one.
	begin, end replay.Clock
	ends       bool
}

// open reports whether the interval has begun and not ended.
func (i *Interval) open() bool { return i.Process != 0 && i.To == 0 }

// String describes the interval, as far as it is known.
func (i Interval) String() string {
	if i.To == 0 {
		return fmt.Sprintf("from seq %d on", i.From)
	}
	return fmt.Sprintf("from seq %d to %d", i.From, i.To)
}

// The bounds of a [Tracker]. The memory of intervals is counted again when their number has doubled
// since the last count, from atLeast intervals on. They may take maxWords words of 8 bytes, and two
// more for each two processes of the run.
const (
	minCounted = 1 << 10
	maxWords   = 1 << 24
)

// Tracker follows a run and stores the intervals of its fluents. An interval takes little more than 100 bytes,
// beside the new entries in the clocks of its two ends. Up to 128 MB are stored and 16 bytes for each two
// processes, beside the clocks of the run (see [replay.Clocks]).
type Tracker struct {
	clocks     *replay.Clocks
	processes  int
	keepers    map[keeper]bool
	kept, next int // the stored intervals, and their number at the next count
	minimum    int // the least number of stored intervals at which their words are counted
	limit      int // the greatest number of stored words
	undecided  string
}

// keeper stores intervals.
type keeper interface {
	intervals() iter.Seq[*Interval]
	prune() // drops intervals that no later one can meet
}

// NewTracker returns a tracker before the first event of the run.
func NewTracker(run *tracefmt.Run) *Tracker {
	n := len(run.Members)
	return &Tracker{
		clocks: replay.NewClocks(run), processes: n, keepers: make(map[keeper]bool), next: minCounted,
		minimum: minCounted, limit: maxWords + 2*n*n,
	}
}

// Step takes the next event of the run.
func (t *Tracker) Step(e *tracefmt.Event) { t.clocks.Step(e) }

// Undecided returns why nothing can be decided: the intervals exceed the bound. It is "" otherwise. Afterwards
// the fluents and pairs of the tracker are those of an earlier part of the run.
func (t *Tracker) Undecided() string {
	if reason := t.clocks.Incomplete(); reason != "" {
		return reason
	}
	return t.undecided
}

// countStored adds to the number of stored intervals.
func (t *Tracker) countStored(intervals int) {
	if t.kept += intervals; t.kept < t.next {
		return
	}
	t.next = math.MaxInt // prune calls countStored as well: this ends the recursion
	for k := range t.keepers {
		k.prune()
	}
	t.count()
	t.next = max(t.minimum, 2*t.kept)
}

// knownToAll reports whether every process knows of a step of p.
func (t *Tracker) knownToAll(p tracefmt.ProcessID, step tracefmt.Seq) bool {
	for q := range t.processes {
		if t.clocks.Clock(tracefmt.ProcessID(q+1)).Latest(p) < step {
			return false
		}
	}
	return true
}

// count counts the words of the intervals.
func (t *Tracker) count() {
	words := replay.Words(func(yield func(replay.Clock) bool) {
		for k := range t.keepers {
			for i := range k.intervals() {
				if !yield(i.begin) || !yield(i.end) {
					return
				}
			}
		}
	})
	if words > t.limit && t.undecided == "" {
		const mega = 1 << 20 / 8.0
		t.undecided = fmt.Sprintf("the %d intervals of the local predicates take %.1f MB, more than the %.1f MB that are kept for %d processes",
			t.kept, float64(words)/mega, float64(t.limit)/mega, t.processes)
	}
}

// Fluent is a local predicate at each process: only steps of the process itself make it true and false.
type Fluent struct {
	tracker *Tracker
	held    [][]Interval // by ProcessID; 0 is unused
}

// Fluent returns a predicate that holds at no process.
func (t *Tracker) Fluent() *Fluent {
	f := &Fluent{tracker: t, held: make([][]Interval, t.processes+1)}
	t.keepers[f] = true
	return f
}

// Set sets whether the predicate holds at p, a process of the run, after its latest step, or before its first
// step in its initial state. It may be called at most once for each step, and need be called only if the value
// changes.
func (f *Fluent) Set(p tracefmt.ProcessID, holds bool) {
	last := len(f.held[p]) - 1
	open := last >= 0 && f.held[p][last].open()
	if holds == open || f.tracker.Undecided() != "" {
		return
	}
	clock := f.tracker.clocks.Clock(p)
	if holds {
		f.held[p] = append(f.held[p], Interval{Process: p, From: clock.Seq(), begin: clock})
		f.tracker.countStored(1)
		return
	}
	i := &f.held[p][last]
	if i.From == clock.Seq() { // it held in no state
		f.held[p] = f.held[p][:last]
		f.tracker.countStored(-1)
		return
	}
	i.To, i.end, i.ends = clock.Seq(), clock, true
}

// Intervals returns the maximal intervals of p in their order: a conjunct for [Possibly] and [Definitely]. With
// final, no process takes a further step, so that the present value lasts forever.
func (f *Fluent) Intervals(p tracefmt.ProcessID, final bool) []Interval {
	list := slices.Clone(f.held[p])
	if last := len(list) - 1; last >= 0 && list[last].open() && !final {
		list[last].end, list[last].ends = f.tracker.clocks.Clock(p), true
	}
	return list
}

// prune drops nothing: all intervals are needed at the end.
func (f *Fluent) prune() {}

// intervals yields all stored intervals.
func (f *Fluent) intervals() iter.Seq[*Interval] {
	return func(yield func(*Interval) bool) {
		for _, list := range f.held {
			for i := range list {
				if !yield(&list[i]) {
					return
				}
			}
		}
	}
}
