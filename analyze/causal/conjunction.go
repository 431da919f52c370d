package causal

import "etrace/tracefmt"

// Witness shows a conjunction of local predicates: intervals, one of each conjunct, with a common consistent cut.
type Witness struct {
	Intervals []Interval
}

// Cut returns the least consistent cut in all the intervals, nil without intervals. Its cost is proportional to
// the processes that they know.
func (w Witness) Cut() Cut {
	var cut Cut
	for _, i := range w.Intervals {
		begin := Cut(i.begin.Cut())
		if cut == nil {
			cut = begin
		}
		for p, seq := range begin {
			cut[p] = max(cut[p], seq)
		}
	}
	return cut
}

// Known returns the last event of the process at that place that another of the processes knows when its interval
// begins, 0 for no event.
func (w Witness) Known(at int) (last tracefmt.Seq) {
	for j, i := range w.Intervals {
		if j != at {
			last = max(last, i.begin.Latest(w.Intervals[at].Process))
		}
	}
	return last
}

// Possibly decides whether a consistent cut lies in an interval of each conjunct. A conjunct is the list of the
// intervals of a process, as [Fluent.Intervals] returns it. The cut of the witness is the least one. The cost is
// k comparisons for each interval of k conjuncts.
func Possibly(conjuncts ...[]Interval) (Witness, bool) {
	return advance(conjuncts, func(a, b *Interval) bool { return !a.over(b) })
}

// Definitely decides whether every order that agrees with happened-before leads through a cut in an interval of
// each conjunct. All orders lead through the intervals of the witness at once. The cost is that of [Possibly].
func Definitely(conjuncts ...[]Interval) (Witness, bool) {
	return advance(conjuncts, func(a, b *Interval) bool { return b.beginsBeforeEndOf(a) })
}

// over reports whether a has ended before or where b begins, in every order.
func (a *Interval) over(b *Interval) bool { return a.To != 0 && b.begin.Latest(a.Process) >= a.To }

// beginsBeforeEndOf reports whether a has begun before b ends, in every order.
func (a *Interval) beginsBeforeEndOf(b *Interval) bool {
	switch {
	case a.From == 0 || !b.ends:
		return true
	case a.From == b.To:
		return false
	}
	return b.end.Latest(a.Process) >= a.From
}

// advance finds the first interval of each conjunct such that any two suit one another. If a does not suit b, a
// suits no later interval of b's conjunct either, so a is in no answer. So each interval is passed only once, and
// only a changed first interval must be compared with the others again. The loop ends since each round either
// succeeds or drops an interval permanently (Garg and Waldecker 1994, section 4).
func advance(conjuncts [][]Interval, suits func(a, b *Interval) bool) (Witness, bool) {
	first := make([]int, len(conjuncts))
	var changed []int
	for i, c := range conjuncts {
		if len(c) == 0 {
			return Witness{}, false
		}
		changed = append(changed, i)
	}
	pass := func(i int) bool {
		first[i]++
		changed = append(changed, i)
		return first[i] < len(conjuncts[i])
	}
	for len(changed) > 0 {
		i := changed[len(changed)-1]
		changed = changed[:len(changed)-1]
		for j := range conjuncts {
			a, b := &conjuncts[i][first[i]], &conjuncts[j][first[j]]
			switch {
			case i == j:
			case !suits(b, a):
				if !pass(j) {
					return Witness{}, false
				}
			case !suits(a, b):
				if !pass(i) {
					return Witness{}, false
				}
			}
		}
	}
	return witness(conjuncts, first), true
}

// witness returns a witness with the chosen interval of each conjunct.
func witness(conjuncts [][]Interval, chosen []int) Witness {
	var w Witness
	for i, c := range conjuncts {
		w.Intervals = append(w.Intervals, c[chosen[i]])
	}
	return w
}
