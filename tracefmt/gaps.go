package tracefmt

import (
	"fmt"
	"iter"
	"math"
	"slices"
	"sort"

	"etrace/tracefmt/text"
)

// gapList is the gaps of a process. A query finds its place in spans by binary search.
type gapList struct {
	all   []Gap
	spans []span // in order, merged where no event lies between them
}

// span is the seqs from which and to which events may be missing; without end, to is the
// greatest seq. dropped is how many are, 0 where that is not known.
type span struct {
	from, to Seq
	dropped  int64
}

// with is the span of both.
func (s span) with(o span) span {
	both := span{from: min(s.from, o.from), to: max(s.to, o.to)}
	if s.dropped > 0 && o.dropped > 0 {
		both.dropped = s.dropped + o.dropped
	}
	return both
}

// noEnd is where a span ends that has no end.
const noEnd = math.MaxInt64 - 1

// add takes in a gap, which mostly is a later one.
func (l *gapList) add(g Gap) {
	l.all = append(l.all, g)
	s := span{g.From, g.To, g.Dropped}
	if s.to == 0 {
		s.to = noEnd
	}
	begin := l.find(s.from - 1)
	end := begin
	for ; end < len(l.spans) && l.spans[end].from <= s.to+1; end++ {
		s = s.with(l.spans[end])
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

// between returns the spans in which an event may be missing between two others, as gaps.
func (l *gapList) between(after, before Seq) iter.Seq[Gap] {
	return func(yield func(Gap) bool) {
		for i := l.find(after); l != nil && i < len(l.spans); i++ {
			s := l.spans[i]
			if before != 0 && s.from > before {
				return
			}
			g := Gap{From: s.from, To: s.to, Dropped: s.dropped}
			if g.To == noEnd {
				g.To = 0
			}
			if !yield(g) {
				return
			}
		}
	}
}

// Text says what the gap lacks, and where: "8 events of n6 not recorded between seq 19 and 29".
func (g Gap) Text() string {
	what := "events"
	if g.Dropped > 0 {
		what = text.Counted(g.Dropped, "event", "events")
	}
	what += " of " + text.Printable(g.Process) + " not recorded"
	after, before := max(g.From-1, 0), g.To+1
	switch {
	case g.To == 0 && after == 0:
		return what
	case g.To == 0:
		return what + fmt.Sprintf(" after seq %d", after)
	case after == 0:
		return what + fmt.Sprintf(" before seq %d", before)
	}
	return what + fmt.Sprintf(" between seq %d and %d", after, before)
}

// Spans reports whether the moment after an event lies in the gap.
func (g Gap) Spans(seq Seq) bool { return g.From <= seq+1 && (g.To == 0 || seq <= g.To) }
