package diagram

import (
	"cmp"
	"slices"

	"etrace/render/story"
	"etrace/tracefmt"
)

// instants says how bands are separated.
type instants uint8

const (
	byTime instants = iota
	byLamport
	byRound
)

// instantsOf chooses how to separate bands. Logical times are taken from the
// Lamport clocks if every step has one that agrees with its cause, and with the
// times of the run.
func instantsOf(s *story.Story) instants {
	switch s.Run.TimeUnit {
	case tracefmt.Delays:
		return byTime
	case tracefmt.Logical:
		if clocksAgree(s) && timesAreClocks(s) {
			return byLamport
		}
	}
	return byRound
}

// clocksAgree reports whether each step has a Lamport clock, and arrivals later
// ones than their sends.
func clocksAgree(s *story.Story) bool {
	for i := range s.Steps {
		st := &s.Steps[i]
		if st.Lamport == 0 || st.Match >= 0 && st.Kind != tracefmt.Send && s.Steps[st.Match].Lamport >= st.Lamport {
			return false
		}
	}
	return true
}

// timesAreClocks reports whether the times order the steps no further than
// the Lamport clocks do.
func timesAreClocks(s *story.Story) bool {
	order := sorted(len(s.Steps), func(a, b int) int { return cmp.Compare(s.Steps[a].Lamport, s.Steps[b].Lamport) })
	for k := 1; k < len(order); k++ {
		st, before := &s.Steps[order[k]], &s.Steps[order[k-1]]
		if st.Time < before.Time || st.Time != before.Time && st.Lamport == before.Lamport {
			return false
		}
	}
	return true
}

// causalTimes returns the times of the steps, put right where they contradict
// causality, as those of several clocks can: a step is no earlier than what its
// process did before, and than the event that it follows from.
func causalTimes(s *story.Story) []tracefmt.Time {
	times := make([]tracefmt.Time, len(s.Steps))
	latest := make([]int, len(s.Column)) // the step before, by process, from 1
	for i := range s.Steps {
		st := &s.Steps[i]
		times[i] = st.Time
		if j, ok := causeOf(s, st); ok {
			times[i] = max(times[i], times[j])
		}
		if onTheWay(st) {
			continue
		}
		if before := latest[st.Process]; before > 0 {
			times[i] = max(times[i], times[before-1])
		}
		latest[st.Process] = i + 1
	}
	return times
}

// passesAnywhere reports whether the times are not all the same.
func passesAnywhere(times []tracefmt.Time) bool {
	for _, t := range times {
		if t != times[0] {
			return true
		}
	}
	return false
}

// order returns the indices of the steps in the order of their bands.
func (p *planner) order() []int {
	return sorted(len(p.Steps), func(a, b int) int {
		switch p.mode {
		case byLamport:
			return cmp.Compare(p.Steps[a].Lamport, p.Steps[b].Lamport)
		case byRound:
			return cmp.Compare(p.times[a], p.times[b])
		}
		return 0
	})
}

// sorted returns the numbers below n in that order, and else in their own.
func sorted(n int, compare func(a, b int) int) []int {
	order := make([]int, n)
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, compare)
	return order
}

// causeOf returns the index of the step that directly happened before, on
// another process as a rule.
func causeOf(s *story.Story, st *story.Step) (int, bool) {
	i := st.Match
	if st.Kind == tracefmt.Send {
		i = -1
	}
	if i < 0 && st.Cause > 0 {
		if j, ok := s.Find(st.Cause); ok && s.Steps[j].Seq < st.Seq {
			i = j
		}
	}
	return i, i >= 0
}

// onTheWay reports whether the step is shown on the way of a message, which was
// lost there.
func onTheWay(st *story.Step) bool {
	return st.Kind == tracefmt.Lose && st.Fate == tracefmt.Lost && st.Match >= 0
}
