package causal

import (
	"fmt"
	"iter"
	"math"
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

// Interval says that something held at a process: after its step From, 0 for
// its initial state, until its step To, 0 for the end of the run.
type Interval struct {
	Process  tracefmt.ProcessID
	From, To tracefmt.Seq
	// Value is what [Fluent.SetValue] was given, 0 after [Fluent.Set].
	Value int
	// begin is the clock of From, and end that of To, if the interval ends. For one
	// that is open, end is what the next step of the process would come after at
	// least, if there may be one.
	begin, end replay.Clock
	ends       bool
}

// open reports whether it has begun and not ended.
func (i *Interval) open() bool { return i.Process != 0 && i.To == 0 }

// String says in words when it held, as far as is known.
func (i Interval) String() string {
	if i.To == 0 {
		return fmt.Sprintf("from seq %d on", i.From)
	}
	return fmt.Sprintf("from seq %d to %d", i.From, i.To)
}

// The bounds of what a [Tracker] keeps. What intervals take is counted when there
// are twice as many as at the last count, and atLeast; they may take so many words of
// 8 bytes, and two more for each two processes of the run.
const (
	atLeast  = 1 << 10
	maxWords = 1 << 24
)

// Tracker follows a run and keeps the intervals of its fluents. An interval takes
// little more than 100 bytes beside what is new in the clocks of its two ends. Up to
// 128 MB are kept and 16 bytes for each two processes, beside the clocks of the run
// (see [replay.Clocks]).
type Tracker struct {
	clocks     *replay.Clocks
	processes  int
	keepers    map[keeper]bool
	kept, next int // intervals, and with how many they are counted next
	least      int // atLeast
	limit      int // words
	undecided  string
}

// keeper keeps intervals.
type keeper interface {
	intervals() iter.Seq[*Interval]
	prune() // drops those that nothing can meet any more
}

// NewTracker returns a tracker before the first event of the run.
func NewTracker(run *tracefmt.Run) *Tracker {
	n := len(run.Members)
	return &Tracker{clocks: replay.NewClocks(run), processes: n, keepers: make(map[keeper]bool), next: atLeast,
		least: atLeast, limit: maxWords + 2*n*n}
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

// keep counts intervals that are kept from now on, or no longer if negative.
func (t *Tracker) keep(intervals int) {
	if t.kept += intervals; t.kept < t.next {
		return
	}
	t.next = math.MaxInt // what is pruned is counted, too
	for k := range t.keepers {
		k.prune()
	}
	t.count()
	t.next = max(t.least, 2*t.kept)
}

// known reports whether every process knows of a step of p.
func (t *Tracker) known(p tracefmt.ProcessID, step tracefmt.Seq) bool {
	for q := range t.processes {
		if t.clocks.Clock(tracefmt.ProcessID(q+1)).Latest(p) < step {
			return false
		}
	}
	return true
}

// count counts the words that the intervals take.
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

// Fluent is a local predicate of each process: something that only steps of
// the process itself make true and false.
type Fluent struct {
	tracker *Tracker
	held    [][]Interval // by ProcessID; 0 is unused
}

// Fluent returns a predicate that holds nowhere yet.
func (t *Tracker) Fluent() *Fluent {
	f := &Fluent{tracker: t, held: make([][]Interval, t.processes+1)}
	t.keepers[f] = true
	return f
}

// Set says whether the predicate holds at p, a process of the run, after its
// latest step; before its first step, in its initial state. It is said at most
// once for each step, and only where it changes need it be said.
func (f *Fluent) Set(p tracefmt.ProcessID, holds bool) {
	last := len(f.held[p]) - 1
	open := last >= 0 && f.held[p][last].open()
	if holds == open || f.tracker.Undecided() != "" {
		return
	}
	now := f.tracker.clocks.Clock(p)
	if holds {
		f.held[p] = append(f.held[p], Interval{Process: p, From: now.Seq(), begin: now})
		f.tracker.keep(1)
		return
	}
	i := &f.held[p][last]
	if i.From == now.Seq() { // it held in no state
		f.held[p] = f.held[p][:last]
		f.tracker.keep(-1)
		return
	}
	i.To, i.end, i.ends = now.Seq(), now, true
}

// Intervals returns the maximal intervals of p in their order: a conjunct for
// [Possibly] and [Definitely]. final says that no process takes a step any
// more, so that what holds now holds forever.
func (f *Fluent) Intervals(p tracefmt.ProcessID, final bool) []Interval {
	list := slices.Clone(f.held[p])
	if last := len(list) - 1; last >= 0 && list[last].open() && !final {
		list[last].end, list[last].ends = f.tracker.clocks.Clock(p), true
	}
	return list
}

// prune drops nothing: all intervals are asked for in the end.
func (f *Fluent) prune() {}

// intervals yields all that are kept.
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
