package diagram

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"etrace/render/story"
	"etrace/tracefmt"
)

// keysOf returns the key of each step. Steps with the same key share a band, and greater keys are lower. A key is a
// causal level, a Lamport clock or a time.
func keysOf(s *story.Story, axis story.Axis) (keys []int64, unit keyUnit) {
	keys = make([]int64, len(s.Steps))
	fill := func(keyOf func(i int) int64) {
		for i := range keys {
			keys[i] = keyOf(i)
		}
	}
	switch {
	case axis == story.Causal:
		levels := s.Levels()
		fill(func(i int) int64 { return int64(levels[i]) })
		return keys, level
	case axis == story.Instants && s.Run.TimeUnit == tracefmt.Logical && clocksAgree(s) && timesAreClocks(s):
		fill(func(i int) int64 { return s.Steps[i].Lamport })
		return keys, lamport
	}
	times := s.Times()
	fill(func(i int) int64 { return int64(times[i]) })
	return keys, instant
}

// keyUnit is the unit of the keys of bands.
type keyUnit uint8

const (
	instant keyUnit = iota
	lamport
	level
)

// clocksAgree reports whether each step has a Lamport clock, and each arrival a later one than its send.
func clocksAgree(s *story.Story) bool {
	for i := range s.Steps {
		st := &s.Steps[i]
		if st.Lamport == 0 || st.Match >= 0 && st.Kind != tracefmt.Send && s.Steps[st.Match].Lamport >= st.Lamport {
			return false
		}
	}
	return true
}

// timesAreClocks reports whether the times order the steps in no more detail than the Lamport clocks.
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

// sorted returns the numbers below n in the order of compare; equal ones keep their order.
func sorted(n int, compare func(a, b int) int) []int {
	order := make([]int, n)
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, compare)
	return order
}

// bandLabels returns the texts beside the bands, such as "t = 3.5". A band has a text only if all its steps have that
// time, and never on a causal axis.
func (s *sequence) bandLabels() []string {
	labels := make([]string, len(s.schedule.bands))
	for i := range s.schedule.bands {
		if b := &s.schedule.bands[i]; s.sameTime(b) {
			labels[i] = s.bandLabel(b)
		}
	}
	if s.schedule.unit == instant && s.story.Run.TimeUnit == tracefmt.Nanoseconds {
		s.refine(labels)
	}
	return labels
}

// bandLabel returns the key of a band as text.
func (s *sequence) bandLabel(b *band) string {
	switch {
	case s.schedule.unit == level:
		return ""
	case s.schedule.unit == lamport:
		return "C = " + strconv.FormatInt(b.key, 10)
	case s.story.Run.TimeUnit == tracefmt.Nanoseconds:
		return s.story.ShortTime(tracefmt.Time(b.key))
	case s.story.Run.TimeUnit == tracefmt.Logical && s.story.Run.Imported(): // its ticks are Lamport clocks
		return "C = " + s.story.Run.TimeUnit.Units(tracefmt.Time(b.key)).String()
	case s.story.Run.TimeUnit == tracefmt.Logical:
		return "t = " + s.story.Run.TimeUnit.Units(tracefmt.Time(b.key)).String()
	}
	return "t = " + s.story.ShortTime(tracefmt.Time(b.key))
}

// sameTime reports whether the band's key is that of all its steps.
func (s *sequence) sameTime(b *band) bool {
	return s.schedule.unit != instant || !slices.ContainsFunc(b.steps, func(j int32) bool { return int64(s.story.Steps[j].Time) != b.key })
}

// refine gives the labels of a unit, such as seconds, as many decimals as distinguish each from the one above it.
func (s *sequence) refine(labels []string) {
	for _, decimals := range [...]int{6, 9} {
		alike := make(map[string]bool) // by unit
		last := ""
		for _, label := range labels {
			if label != "" {
				alike[unitOf(label)] = alike[unitOf(label)] || label == last
				last = label
			}
		}
		for i, label := range labels {
			if label != "" && alike[unitOf(label)] {
				labels[i] = s.story.TimeWith(tracefmt.Time(s.schedule.bands[i].key), decimals)
			}
		}
	}
}

// unitOf returns the unit after the number in a label.
func unitOf(label string) string {
	_, unit, _ := strings.Cut(label, " ")
	return unit
}
