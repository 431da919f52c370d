package story

import (
	"maps"
	"math"
	"slices"

	"etrace/replay"
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
	// Inferred: the process went down in it, at a place that is not recorded.
	Inferred bool
}

// Violation is where a violation shows.
type Violation struct {
	Text string
	// Object is that of the operation whose result shows it, "" for none.
	Object string
	At     int64
}

// overview collects an [Overview] event by event.
type overview struct {
	Overview
	open map[tracefmt.Kind]map[tracefmt.ProcessID]Interval // the intervals without an end, by the kind of event that begins them
	// latest is the place of the latest event of each process.
	latest map[tracefmt.ProcessID]int64
}

// followOverview takes an event after the state was updated, with the object of the operation that it begins or ends.
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
		o.open = map[tracefmt.Kind]map[tracefmt.ProcessID]Interval{tracefmt.State: {}, tracefmt.Crash: {}, tracefmt.Partition: {}}
		o.latest = map[tracefmt.ProcessID]int64{}
	}
	if o.Stretch > 0 {
		at = max(at, o.Last) // times may go back between the clocks of machines
	}
	if !before && o.Stretch == 0 { // this event begins the window
		o.First, o.Stretch = at, 1
		o.Leading, o.Down, o.Divided = nil, nil, nil
	}
	o.Last = at
	// A process that leads has an open interval of kind State.
	switch e.Kind {
	case tracefmt.Send:
		o.addToStretch(&o.Messages, at)
	case tracefmt.Lose:
		o.addToStretch(&o.Lost, at)
	case tracefmt.Invoke:
		o.addToStretch(&o.Invoked, at)
	case tracefmt.Partition:
		o.toggleInterval(tracefmt.Partition, Interval{From: at}, true)
	case tracefmt.Heal:
		o.toggleInterval(tracefmt.Partition, Interval{From: at}, false)
	}
	if e.Process != 0 && e.Kind != tracefmt.Lose {
		o.toggleInterval(tracefmt.State, Interval{Process: e.Process, From: at}, s.state.Leads(e.Process))
		s.followDown(e, at)
	}
	if before {
		return
	}
	for _, text := range s.Options.Violations[e.Seq] {
		o.Violations = append(o.Violations, Violation{Clean(text, maxTip), object, at})
	}
}

// followDown takes in whether a process is down after an event of it, or went down before.
func (s *Story) followDown(e *tracefmt.Event, at int64) {
	o, p := &s.overview, s.state.Process(e.Process)
	crashed := p.Status == replay.Crashed
	_, wasDown := o.open[tracefmt.Crash][e.Process]
	// A restart without a recorded crash shows that the process went down at some unknown time before.
	unrecorded := s.state.NextLife() && !wasDown && !s.Complete()
	if crashed && p.Inferred || unrecorded {
		fall := Interval{e.Process, at, at, true}
		if latest, seen := o.latest[e.Process]; seen {
			fall.From = latest
		}
		o.toggleInterval(tracefmt.Crash, fall, true)
	}
	o.toggleInterval(tracefmt.Crash, Interval{Process: e.Process, From: at}, crashed)
	o.latest[e.Process] = at
}

// addToStretch adds one to the stretch of a place. If there are too many stretches, each two become one.
func (o *overview) addToStretch(counts *[]int64, at int64) {
	if o.Stretch == 0 { // the window has not begun
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

// toggleInterval begins an interval, or ends it where the given one begins, unless it has begun or ended.
func (o *overview) toggleInterval(kind tracefmt.Kind, i Interval, on bool) {
	interval, open := o.open[kind][i.Process]
	switch {
	case on && !open:
		o.open[kind][i.Process] = i
	case !on && open:
		delete(o.open[kind], i.Process)
		list := map[tracefmt.Kind]*[]Interval{tracefmt.State: &o.Leading, tracefmt.Crash: &o.Down, tracefmt.Partition: &o.Divided}[kind]
		interval.From, interval.To = max(interval.From, o.First), i.From
		if len(*list) < mostIntervals {
			*list = append(*list, interval)
		}
	}
}

// Overview returns the overview of the run, if the options ask for one.
func (s *Story) Overview() *Overview {
	o := &s.overview
	for _, kind := range [...]tracefmt.Kind{tracefmt.State, tracefmt.Crash, tracefmt.Partition} {
		for _, p := range slices.Sorted(maps.Keys(o.open[kind])) {
			o.toggleInterval(kind, Interval{Process: p, From: o.Last}, false)
		}
	}
	return &o.Overview
}
