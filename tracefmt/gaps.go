package tracefmt

import (
	"fmt"
	"iter"
	"math"
	"slices"
	"sort"

	"etrace/tracefmt/text"
)

// gapList holds the gaps of a process. A query searches spans by binary search.
type gapList struct {
	gaps  []Gap
	spans []span // in order, merged where no event lies between them
}

// span is an interval of seqs next to missing events. Without an end, last is the greatest seq. dropped is the
// number of missing events, 0 if unknown.
type span struct {
	first, last Seq
	dropped     int64
}

// union returns the smallest span that contains two spans.
func (s span) union(o span) span {
	both := span{first: min(s.first, o.first), last: max(s.last, o.last)}
	if s.dropped > 0 && o.dropped > 0 {
		both.dropped = s.dropped + o.dropped
	}
	return both
}

// noEnd is the last seq of a span without an end.
const noEnd = math.MaxInt64 - 1

// add adds a gap, which is usually a later one.
func (l *gapList) add(g Gap) {
	l.gaps = append(l.gaps, g)
	s := span{g.From, g.To, g.Dropped}
	if s.last == 0 {
		s.last = noEnd
	}
	begin := l.find(s.first - 1)
	// Spans that overlap the new one, or end directly before it or begin directly after it, become one span.
	end := begin
	for ; end < len(l.spans) && l.spans[end].first <= s.last+1; end++ {
		s = s.union(l.spans[end])
	}
	l.spans = slices.Replace(l.spans, begin, end, s)
}

// find returns the index of the first span that does not end before the event.
func (l *gapList) find(seq Seq) int {
	if l == nil {
		return 0
	}
	return sort.Search(len(l.spans), func(i int) bool { return l.spans[i].last >= seq })
}

// meets reports whether an event may be missing between two others; 0 for before means the end of the run.
func (l *gapList) meets(after, before Seq) bool {
	i := l.find(after)
	return l != nil && i < len(l.spans) && (before == 0 || l.spans[i].first <= before)
}

// has reports whether events are missing directly before or after the event.
func (l *gapList) has(seq Seq) bool {
	i := l.find(seq)
	return l != nil && i < len(l.spans) && l.spans[i].first <= seq
}

// between returns the spans that overlap the interval between two events, as gaps.
func (l *gapList) between(after, before Seq) iter.Seq[Gap] {
	return func(yield func(Gap) bool) {
		for i := l.find(after); l != nil && i < len(l.spans); i++ {
			s := l.spans[i]
			if before != 0 && s.first > before {
				return
			}
			g := Gap{From: s.first, To: s.last, Dropped: s.dropped}
			if g.To == noEnd {
				g.To = 0
			}
			if !yield(g) {
				return
			}
		}
	}
}

// Text describes the gap: "8 events of n6 not recorded between seq 19 and 29".
func (g Gap) Text() string {
	description := "events"
	if g.Dropped > 0 {
		description = text.Counted(g.Dropped, "event", "events")
	}
	description += " of " + text.Printable(g.Process) + " not recorded"
	after, before := max(g.From-1, 0), g.To+1
	switch {
	case g.To == 0 && after == 0:
		return description
	case g.To == 0:
		return description + fmt.Sprintf(" after seq %d", after)
	case after == 0:
		return description + fmt.Sprintf(" before seq %d", before)
	}
	return description + fmt.Sprintf(" between seq %d and %d", after, before)
}

// Spans reports whether the moment after an event lies in the gap.
func (g Gap) Spans(seq Seq) bool { return g.From <= seq+1 && (g.To == 0 || seq <= g.To) }
