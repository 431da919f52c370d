package tracefmt

import (
	"math"
	"slices"
	"sort"
)

// gapList is the gaps of a process. A query finds its place in spans by binary search.
type gapList struct {
	all   []Gap
	spans []span // in order, merged where no event lies between them
}

// span is the seqs from which and to which events may be missing; without end, to is the
// greatest seq.
type span struct{ from, to Seq }

// add takes in a gap, which mostly is a later one.
func (l *gapList) add(g Gap) {
	l.all = append(l.all, g)
	s := span{g.From, g.To}
	if s.to == 0 {
		s.to = math.MaxInt64 - 1
	}
	begin := l.find(s.from - 1)
	end := begin
	for ; end < len(l.spans) && l.spans[end].from <= s.to+1; end++ {
		s = span{min(s.from, l.spans[end].from), max(s.to, l.spans[end].to)}
	}
	l.spans = slices.Replace(l.spans, begin, end, s)
}

// find returns the index of the first span that does not end before the event.
func (l *gapList) find(seq Seq) int {
	if l == nil {
		return 0
	}
	return sort.Search(len(l.spans), func(i int) bool { return l.spans[i].to >= seq })
}

// meets reports whether an event may be missing between two others, 0 for before is the
// end of the run.
func (l *gapList) meets(after, before Seq) bool {
	i := l.find(after)
	return l != nil && i < len(l.spans) && (before == 0 || l.spans[i].from <= before)
}

// has reports whether events are missing right before or after the event.
func (l *gapList) has(seq Seq) bool {
	i := l.find(seq)
	return l != nil && i < len(l.spans) && l.spans[i].from <= seq
}
