package story

import (
	"maps"
	"math"
	"slices"

	"etrace/tracefmt"
)

// The limits of an overview: the number of stretches into which a run is divided, at most twice that while it is read, and the
// number of intervals of each kind.
const (
	mostStretches = 300
	mostIntervals = 2000
)

// Overview is a run as a whole, of any length: how much happens when, who leads, and what is broken.
type Overview struct {
	// First and Last are the places where the run begins and ends: times, or seqs if it has no clock.
	First, Last int64
	Clock       bool
	// Messages counts the messages sent, Lost the lost messages, Invoked the operations that begin, by stretch. Each stretch is
	// Stretch long.
	Messages, Lost, Invoked []int64
	Stretch                 int64
	// Leading and Down are when processes lead and are down, Divided when there is a partition.
	Leading, Down, Divided []Interval
	// Violations are the events that show violations, by their places.
	Violations []Violation
}

// Interval is from one place to another.
type Interval struct {
	Process  tracefmt.ProcessID // 0 for none
	From, To int64
}

// Violation is where a violation shows.
type Violation struct {
	Text string
	// Object is that of the operation whose result shows it, "" for none.
	Object string
	At     int64
}

// overview makes an [Overview].
type overview struct {
	Overview
	open map[tracefmt.Kind]map[tracefmt.ProcessID]int64 // since when, by the kind of event that begins it
}

// followOverview takes in an event, after the state has, and the object of the operation that it begins or ends.
func (s *Story) followOverview(e *tracefmt.Event, object string) {
	before := e.Seq < s.Options.From
	if !s.Options.Overview || !before && !s.Options.Inside(e.Seq) {
		return
	}
	o := &s.overview
	at := int64(e.Seq)
	o.Clock = s.Run.TimeUnit != tracefmt.Logical
	if o.Clock {
		at = int64(e.Time)
	}
	if o.open == nil {
		o.open = map[tracefmt.Kind]map[tracefmt.ProcessID]int64{tracefmt.State: {}, tracefmt.Crash: {}, tracefmt.Partition: {}}
	}
	if o.Stretch > 0 {
		at = max(at, o.Last) // clocks of several machines go back
	}
	if !before && o.Stretch == 0 { // the window begins
		o.First, o.Stretch = at, 1
		o.Leading, o.Down, o.Divided = nil, nil, nil
	}
	o.Last = at
	switch e.Kind {
	case tracefmt.Send:
		o.count(&o.Messages, at)
	case tracefmt.Lose:
		o.count(&o.Lost, at)
	case tracefmt.Invoke:
		o.count(&o.Invoked, at)
	case tracefmt.Crash:
		o.lasts(tracefmt.Crash, e.Process, at, true)
	case tracefmt.Recover, tracefmt.Start:
		o.lasts(tracefmt.Crash, e.Process, at, false)
	case tracefmt.Partition:
		o.lasts(tracefmt.Partition, 0, at, true)
	case tracefmt.Heal:
		o.lasts(tracefmt.Partition, 0, at, false)
	}
	if e.Process != 0 {
		o.lasts(tracefmt.State, e.Process, at, s.state.Leads(e.Process))
	}
	if before {
		return
	}
	for _, text := range s.Options.Violations[e.Seq] {
		o.Violations = append(o.Violations, Violation{Clean(text, maxTip), object, at})
	}
}

// count adds one to the stretch of a place. If there are too many stretches, each two become one.
func (o *overview) count(counts *[]int64, at int64) {
	if o.Stretch == 0 { // before the window
		return
	}
	for (at-o.First)/o.Stretch >= 2*mostStretches && o.Stretch <= math.MaxInt64/2 {
		o.Stretch *= 2
		for _, list := range [...]*[]int64{&o.Messages, &o.Lost, &o.Invoked} {
			half := make([]int64, (len(*list)+1)/2)
			for i, n := range *list {
				half[i/2] += n
			}
			*list = half
		}
	}
	i := int((at - o.First) / o.Stretch)
	for len(*counts) <= i {
		*counts = append(*counts, 0)
	}
	(*counts)[i]++
}

// lasts begins or ends an interval, if it has not begun or ended.
func (o *overview) lasts(kind tracefmt.Kind, p tracefmt.ProcessID, at int64, on bool) {
	from, begun := o.open[kind][p]
	switch {
	case on && !begun:
		o.open[kind][p] = at
	case !on && begun:
		delete(o.open[kind], p)
		list := map[tracefmt.Kind]*[]Interval{tracefmt.State: &o.Leading, tracefmt.Crash: &o.Down, tracefmt.Partition: &o.Divided}[kind]
		if len(*list) < mostIntervals {
			*list = append(*list, Interval{p, max(from, o.First), at})
		}
	}
}

// Overview returns the overview of the run, if the options ask for one.
func (s *Story) Overview() *Overview {
	o := &s.overview
	for _, kind := range [...]tracefmt.Kind{tracefmt.State, tracefmt.Crash, tracefmt.Partition} {
		for _, p := range slices.Sorted(maps.Keys(o.open[kind])) {
			o.lasts(kind, p, o.Last, false)
		}
	}
	return &o.Overview
}
