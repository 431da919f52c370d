package spec

import (
	"slices"

	"etrace/analyze"
	"etrace/tracefmt"
)

// owed counts what is listed as open.
type owed int

// oweUnless lists what is open unless one of the facts happened without being recorded.
func (o *owed) oweUnless(r *analyze.Result, met []analyze.Need, obligation string, witness ...tracefmt.Seq) {
	if *o++; *o <= analyze.MostOwed {
		r.OweUnless(met, obligation, witness...)
	}
}

func (o *owed) close(r *analyze.Result) {
	if *o > analyze.MostOwed {
		r.OweMore(int(*o - analyze.MostOwed))
	}
}

// obligation is what a rule "each A leads to B" still demands: the events A
// that are alike in all that counts.
type obligation struct {
	mark         // the first of the events
	count    int // how many they are
	deadline tracefmt.Time
	// keys are those of the answer and of the release.
	keys [2]key
	kept []value
	// keptToRelease is what the release asks for, and origin the event of the first
	// pattern, of which mark may be an answer.
	keptToRelease []value
	origin        tracefmt.Seq
	since         tracefmt.Seq // the event after which an answer counts, 0 for that of mark
	// peer is where the answer must be since it is of the same message, 0 for anywhere.
	peer tracefmt.ProcessID
	// lost: the message is not to arrive any more.
	lost bool
	// doubts is what it rests on that the event of the first pattern is one. A ledger has a
	// copy, in the memory of obligations that were closed.
	doubts []analyze.Need
	// next and previous in the lists of the answer's key, of the release's
	// key, and of all, in the order of time; 0 is none.
	next, previous [3]int32
}

// after is the event after which an answer counts.
func (o *obligation) after() tracefmt.Seq {
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

// ledger holds the open obligations. It allocates for as many as are open at
// one time, and finds those of a key at once.
type ledger struct {
	all         []obligation // 0 is unused
	free        []int32
	heads       [2]map[key]int32
	first, last int32 // byTime
}

func newLedger() ledger {
	return ledger{all: make([]obligation, 1), heads: [2]map[key]int32{{}, {}}}
}

// open adds an obligation, or counts it with the latest of its key if there is
// no telling them apart.
func (l *ledger) open(o obligation) {
	if i := l.heads[byAnswer][o.keys[byAnswer]]; i != 0 && len(o.kept)+len(o.keptToRelease) == 0 {
		if same := &l.all[i]; same.keys == o.keys && same.deadline == o.deadline {
			same.count += o.count
			return
		}
	}
	i := l.place(o)
	for list := range l.heads {
		k := o.keys[list]
		head := l.heads[list][k]
		l.all[i].next[list] = head
		l.all[head].previous[list] = i
		l.heads[list][k] = i
	}
	l.all[i].previous[byTime] = l.last
	l.all[l.last].next[byTime] = i
	l.last = i
	if l.first == 0 {
		l.first = i
	}
}

// size is how many obligations are open, apart from those that are counted
// with others.
func (l *ledger) size() int { return len(l.all) - 1 - len(l.free) }

// place finds memory for an obligation.
func (l *ledger) place(o obligation) int32 {
	if last := len(l.free) - 1; last >= 0 {
		i := l.free[last]
		l.free = l.free[:last]
		o.doubts = append(l.all[i].doubts, o.doubts...)
		l.all[i] = o
		return i
	}
	o.doubts = slices.Clone(o.doubts)
	l.all = append(l.all, o)
	return int32(len(l.all) - 1)
}

// close removes an obligation from all lists.
func (l *ledger) close(i int32) {
	o := &l.all[i]
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

func (l *ledger) setHead(list int, k key, i int32) {
	if i == 0 {
		delete(l.heads[list], k)
	} else {
		l.heads[list][k] = i
	}
}

// unlink joins the neighbours of an obligation. The links of entry 0 mean
// nothing.
func (l *ledger) unlink(list int, o *obligation) {
	l.all[o.next[list]].previous[list] = o.previous[list]
	l.all[o.previous[list]].next[list] = o.next[list]
	l.all[0].next[list], l.all[0].previous[list] = 0, 0
}
