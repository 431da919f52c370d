package causal

import (
	"sort"

	"etrace/tracefmt"
)

// SetValue sets a local value of p after its latest step, where [Fluent.Set] sets a predicate: 0 for none, else a
// number for each value. An interval has a single value, so that two may follow each other without a gap.
func (f *Fluent) SetValue(p tracefmt.ProcessID, value int) {
	if i := f.latest(p); i.open() && i.Value != value {
		f.Set(p, false)
	}
	if value == 0 {
		return
	}
	f.Set(p, true)
	if i := f.latest(p); i.open() {
		i.Value = value
	}
}

// latest returns the latest interval of p, an interval of process 0 if there was no interval.
func (f *Fluent) latest(p tracefmt.ProcessID) *Interval {
	if last := len(f.held[p]) - 1; last >= 0 {
		return &f.held[p][last]
	}
	return &Interval{}
}

// Meeting returns the intervals of a list, all of one process and in their order, that share a consistent cut
// with an interval of another process. They are consecutive.
func Meeting(list []Interval, reference *Interval) []Interval {
	from := sort.Search(len(list), func(i int) bool { return !list[i].over(reference) })
	list = list[from:]
	return list[:sort.Search(len(list), func(i int) bool { return reference.over(&list[i]) })]
}

// DefinitelyRelated decides whether every order that agrees with happened-before leads through a cut in intervals
// for which holds is true, given the values of one interval of each conjunct. The intervals of the witness are
// the first such in the recorded order; another order may lead through others.
//
// Each order may lead through a different cut, so the orders themselves are followed from one change of a value
// to the next. The number of places is at most the product of the numbers of changes. Each interval takes one of
// the steps, and each place sixteen; if steps becomes negative, nothing was decided.
func DefinitelyRelated(steps *int, holds func(values []int) bool, conjuncts ...[]Interval) (Witness, bool) {
	w := cutPaths{steps: steps, holds: holds, values: make([]int, len(conjuncts))}
	var somehow [][]Interval
	for _, c := range conjuncts {
		somehow = append(somehow, united(c))
		w.stretches = append(w.stretches, stretches(c))
		*steps -= len(c)
	}
	if _, ok := Definitely(somehow...); !ok || w.avoid() {
		return Witness{}, false
	}
	return w.recorded()
}

// united joins intervals that follow one another without a gap.
func united(list []Interval) (joined []Interval) {
	for _, i := range list {
		if last := len(joined) - 1; last >= 0 && joined[last].To == i.From {
			joined[last].To, joined[last].end, joined[last].ends = i.To, i.end, i.ends
			continue
		}
		joined = append(joined, i)
	}
	return joined
}

// stretches fills the time before, between and after the intervals of a process with intervals of the value 0, so that
// the result covers the whole run. If the run can go on and the last interval is open, it ends at a supposed next step.
// No other process has heard of that step.
func stretches(list []Interval) []Interval {
	result := []Interval{{}}
	for _, i := range list {
		result[len(result)-1].Process = i.Process
		// The stretch before the interval is open so far. It is dropped if it would be empty, else it ends where the
		// interval begins.
		if last := &result[len(result)-1]; last.From == i.From {
			result = result[:len(result)-1]
		} else {
			last.To, last.end, last.ends = i.From, i.begin, true
		}
		gap := Interval{Process: i.Process, From: i.To, begin: i.end}
		// The interval is open, and ends at the supposed step.
		if i.To == 0 && i.ends {
			i.To, gap.From = next, next
		}
		result = append(result, i)
		if i.To != 0 {
			result = append(result, gap)
		}
	}
	return result
}

// next is the step after the last one of a process.
const next = tracefmt.Seq(1<<63 - 1)

// cutPaths are the paths through the consistent cuts, projected to some processes.
type cutPaths struct {
	stretches [][]Interval
	holds     func(values []int) bool
	values    []int
	steps     *int
}

// stepsPerPlace is the cost of a place: its neighbours are compared and stored.
const stepsPerPlace = 16

// maxConjuncts bounds the related conjuncts.
const maxConjuncts = 3

// place has the stretch of each of the processes.
type place [maxConjuncts]int32

// meets reports whether the condition holds at a place.
func (w *cutPaths) meets(at place) bool {
	for i, list := range w.stretches {
		w.values[i] = list[at[i]].Value
		if w.values[i] == 0 {
			return false
		}
	}
	return w.holds(w.values)
}

// avoid reports whether a path leads to the end past all places where the condition holds. All paths advance
// together, step by step.
func (w *cutPaths) avoid() bool {
	front := map[place]bool{{}: true}
	var end place
	for i, list := range w.stretches {
		end[i] = int32(len(list) - 1)
	}
	for len(front) > 0 {
		further := make(map[place]bool, len(front))
		for at := range front {
			switch *w.steps -= stepsPerPlace; {
			case w.meets(at): // no path may pass here
			case at == end || *w.steps < 0:
				return true
			default:
				w.advance(at, further)
			}
		}
		front = further
	}
	return false
}

// advance adds the places that are one step further.
func (w *cutPaths) advance(at place, further map[place]bool) {
	for i, list := range w.stretches {
		if int(at[i])+1 == len(list) {
			continue
		}
		end := &list[at[i]+1]
		// A process may not advance to an interval that knows of a step which another process has not taken.
		early := false
		for j, rival := range w.stretches {
			early = early || j != i && rival[at[j]].over(end)
		}
		if !early {
			later := at
			later[i]++
			further[later] = true
		}
	}
}

// recorded returns the first place of the recorded order at which the condition holds.
func (w *cutPaths) recorded() (Witness, bool) {
	var at place
	for !w.meets(at) {
		first := -1
		for i, list := range w.stretches {
			if int(at[i])+1 < len(list) && (first < 0 || list[at[i]+1].From < w.stretches[first][at[first]+1].From) {
				first = i
			}
		}
		if first < 0 {
			return Witness{}, false
		}
		at[first]++
	}
	var joint Witness
	for i, list := range w.stretches {
		interval := list[at[i]]
		if interval.To == next {
			interval.To = 0
		}
		joint.Intervals = append(joint.Intervals, interval)
	}
	return joint, true
}
