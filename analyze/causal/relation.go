package causal

import (
	"sort"

	"etrace/tracefmt"
)

// SetValue says what a local value of p is after its latest step, where [Fluent.Set]
// says whether a predicate holds: 0 for none, else a number for each value. An
// interval is one of a single value, so that two may follow each other without a gap.
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

// latest returns the latest interval of p, one of no process if there is none.
func (f *Fluent) latest(p tracefmt.ProcessID) *Interval {
	if last := len(f.held[p]) - 1; last >= 0 {
		return &f.held[p][last]
	}
	return &Interval{}
}

// Meeting returns those intervals of a list, all of one process and in their
// order, that share a consistent cut with an interval of another process: they
// follow one another.
func Meeting(list []Interval, with *Interval) []Interval {
	from := sort.Search(len(list), func(i int) bool { return !list[i].over(with) })
	list = list[from:]
	return list[:sort.Search(len(list), func(i int) bool { return with.over(&list[i]) })]
}

// DefinitelyRelated decides whether every order that agrees with happened-before
// leads through a cut that lies in intervals of which holds is true, given the
// values of one of each conjunct. The intervals of the witness are the first such
// in the recorded order; another order may lead through others.
//
// That each order leads through one of several cuts is more than that all lead
// through the same, so that the orders themselves are followed, from one change
// of a value to the next: at worst as many places as the changes of the conjuncts
// multiplied. Each interval takes one of the steps, and each such place sixteen; where
// these become less than none, nothing was decided.
func DefinitelyRelated(steps *int, holds func(values []int) bool, conjuncts ...[]Interval) (Witness, bool) {
	w := ways{steps: steps, holds: holds, values: make([]int, len(conjuncts))}
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
func united(list []Interval) (all []Interval) {
	for _, i := range list {
		if last := len(all) - 1; last >= 0 && all[last].To == i.From {
			all[last].To, all[last].end, all[last].ends = i.To, i.end, i.ends
			continue
		}
		all = append(all, i)
	}
	return all
}

// stretches adds to the intervals of a process the gaps between them, of the value
// 0. One that is open but may be ended by a next step ends with such a step, of
// which no other process knows.
func stretches(list []Interval) []Interval {
	all := []Interval{{}}
	for _, i := range list {
		all[len(all)-1].Process = i.Process
		if last := &all[len(all)-1]; last.From == i.From {
			all = all[:len(all)-1]
		} else {
			last.To, last.end, last.ends = i.From, i.begin, true
		}
		gap := Interval{Process: i.Process, From: i.To, begin: i.end}
		if i.To == 0 && i.ends {
			i.To, gap.From = next, next
		}
		all = append(all, i)
		if i.To != 0 {
			all = append(all, gap)
		}
	}
	return all
}

// next stands for the step after the last of a process.
const next = tracefmt.Seq(1<<63 - 1)

// ways are those through the consistent cuts, as far as some of the processes
// take part in them.
type ways struct {
	stretches [][]Interval
	holds     func(values []int) bool
	values    []int
	steps     *int
}

// stepsPerPlace is what a place costs: its neighbours are compared and remembered.
const stepsPerPlace = 16

// mostConjuncts is how many conjuncts may be related.
const mostConjuncts = 3

// place says in which stretch each of the processes is.
type place [mostConjuncts]int32

// meets reports whether the condition holds at a place.
func (w *ways) meets(at place) bool {
	for i, list := range w.stretches {
		w.values[i] = list[at[i]].Value
		if w.values[i] == 0 {
			return false
		}
	}
	return w.holds(w.values)
}

// avoid reports whether a way leads to the end past all places where the condition
// holds. All ways take their steps together.
func (w *ways) avoid() bool {
	front := map[place]bool{{}: true}
	var end place
	for i, list := range w.stretches {
		end[i] = int32(len(list) - 1)
	}
	for len(front) > 0 {
		further := make(map[place]bool, len(front))
		for at := range front {
			switch *w.steps -= stepsPerPlace; {
			case w.meets(at):
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
func (w *ways) advance(at place, further map[place]bool) {
	for i, list := range w.stretches {
		if int(at[i])+1 == len(list) {
			continue
		}
		to := &list[at[i]+1]
		early := false // it knows of a step that another process has not taken
		for j, other := range w.stretches {
			early = early || j != i && other[at[j]].over(to)
		}
		if !early {
			then := at
			then[i]++
			further[then] = true
		}
	}
}

// recorded returns where the recorded order first meets the condition.
func (w *ways) recorded() (Witness, bool) {
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
