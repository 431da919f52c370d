package spec

import (
	"slices"

	"etrace/analyze"
	"etrace/tracefmt"
)

// openCount counts the open obligations that were listed; a report shows only the first few.
type openCount int

// oweUnless lists an open obligation, unless one of the facts happened unrecorded.
func (o *openCount) oweUnless(r *analyze.Result, met []analyze.Need, obligation string, witness ...tracefmt.Seq) {
	if *o++; *o <= analyze.MostOwed {
		r.OweUnless(met, obligation, witness...)
	}
}

// close adds the number of the obligations that the report does not list.
func (o *openCount) close(r *analyze.Result) {
	if *o > analyze.MostOwed {
		r.OweMore(int(*o - analyze.MostOwed))
	}
}

// obligation is an open demand of a rule "each A leads to B". Events A that are equal in all that the rule reads
// share one obligation.
type obligation struct {
	eventSummary     // the first of these events
	count        int // the number of these events
	deadline     tracefmt.Time
	// keys are the key of the answer and the key of the release.
	keys [2]key
	kept []value
	// keptToRelease has the values that the release reads. origin is the event of the first pattern; mark may be an
	// answer in the chain.
	keptToRelease []value
	origin        tracefmt.Seq
	since         tracefmt.Seq // the event after which an answer counts, 0 for that of eventSummary
	// peer is the process that must answer, since the answer is of the same message; 0 for any process.
	peer tracefmt.ProcessID
	// lost is set if the message cannot arrive, since its loss is recorded.
	lost bool
	// doubts are the needs on which it rests that the first event matches. A ledger stores a copy, in the memory of
	// closed obligations.
	doubts []analyze.Need
	// next and previous are the links in three lists: of the answer's key, of the release's key, and of all
	// obligations by time; 0 ends a list.
	next, previous [3]int32
}

// countsAfter returns the event after which an answer counts.
func (o *obligation) countsAfter() tracefmt.Seq {
	if o.since != 0 {
		return min(o.since, o.seq)
	}
	return o.seq
}

// The lists of a ledger.
const (
	byAnswer = iota
	byRelease
	byTime
)

// ledger holds the open obligations. It allocates memory for the greatest number open at one time, and finds the
// obligations of a key in constant time.
type ledger struct {
	entries     []obligation // entry 0 is unused
	free        []int32
	heads       [2]map[key]int32
	first, last int32 // byTime
}

// newLedger returns an empty ledger.
func newLedger() ledger {
	return ledger{entries: make([]obligation, 1), heads: [2]map[key]int32{{}, {}}}
}

// open adds an obligation. It only increases the count of the latest one with the same key if both are
// indistinguishable.
func (l *ledger) open(o obligation) {
	if i := l.heads[byAnswer][o.keys[byAnswer]]; i != 0 && len(o.kept)+len(o.keptToRelease) == 0 {
		if same := &l.entries[i]; same.keys == o.keys && same.deadline == o.deadline {
			same.count += o.count
			return
		}
	}
	i := l.allocate(o)
	for list := range l.heads {
		k := o.keys[list]
		head := l.heads[list][k]
		l.entries[i].next[list] = head
		l.entries[head].previous[list] = i
		l.heads[list][k] = i
	}
	l.entries[i].previous[byTime] = l.last
	l.entries[l.last].next[byTime] = i
	l.last = i
	if l.first == 0 {
		l.first = i
	}
}

// size returns the number of open obligations; indistinguishable ones count once.
func (l *ledger) size() int { return len(l.entries) - 1 - len(l.free) }

// allocate returns memory for an obligation.
func (l *ledger) allocate(o obligation) int32 {
	if last := len(l.free) - 1; last >= 0 {
		i := l.free[last]
		l.free = l.free[:last]
		o.doubts = append(l.entries[i].doubts, o.doubts...)
		l.entries[i] = o
		return i
	}
	o.doubts = slices.Clone(o.doubts)
	l.entries = append(l.entries, o)
	return int32(len(l.entries) - 1)
}

// close removes an obligation from all lists.
func (l *ledger) close(i int32) {
	o := &l.entries[i]
	for list := range l.heads {
		if o.previous[list] == 0 {
			l.setHead(list, o.keys[list], o.next[list])
		}
		l.unlink(list, o)
	}
	if l.first == i {
		l.first = o.next[byTime]
	}
	if l.last == i {
		l.last = o.previous[byTime]
	}
	l.unlink(byTime, o)
	*o = obligation{doubts: o.doubts[:0]}
	l.free = append(l.free, i)
}

// setHead makes the obligation i the first of its key in a list; 0 removes the key.
func (l *ledger) setHead(list int, k key, i int32) {
	if i == 0 {
		delete(l.heads[list], k)
	} else {
		l.heads[list][k] = i
	}
}

// unlink joins the neighbours of an obligation. The links of entry 0 are meaningless.
func (l *ledger) unlink(list int, o *obligation) {
	l.entries[o.next[list]].previous[list] = o.previous[list]
	l.entries[o.previous[list]].next[list] = o.next[list]
	l.entries[0].next[list], l.entries[0].previous[list] = 0, 0
}
