package spec

import (
	"cmp"
	"slices"

	"etrace/analyze"
	"etrace/tracefmt"
)

// unsure is what it rests on that recorded events are not of a pattern, or not with another
// key: for each process at which they are and each fact as one, so that it stays small.
type unsure map[doubtful]*doubted

// doubtful is a fact that was read at events of a process.
type doubtful struct {
	at, of tracefmt.ProcessID
	fact   tracefmt.Fact
	anew   bool
}

// doubted is where it was read.
type doubted struct {
	need analyze.Need
	last tracefmt.Seq // of the events
}

// add takes in what is doubted of the event.
func (u *unsure) add(e *tracefmt.Event, needs []analyze.Need) {
	for _, n := range needs {
		k := doubtful{e.Process, n.Process, n.Fact, n.Anew}
		d := (*u)[k]
		if d == nil {
			if *u == nil {
				*u = make(unsure)
			}
			(*u)[k] = &doubted{n, e.Seq}
			continue
		}
		d.need.From = min(d.need.From, n.From)
		if n.To == 0 || d.need.To != 0 && n.To > d.need.To {
			d.need.To = n.To
		}
		d.last = e.Seq
	}
}

// since returns what is doubted of events after one, at a process or, for 0, at all.
func (u unsure) since(after tracefmt.Seq, at tracefmt.ProcessID) (needs []analyze.Need) {
	for k, d := range u {
		if d.last > after && (at == 0 || k.at == at) {
			needs = append(needs, d.need)
		}
	}
	slices.SortFunc(needs, func(a, b analyze.Need) int {
		return cmp.Or(cmp.Compare(a.Process, b.Process), cmp.Compare(a.Fact.String(), b.Fact.String()), cmp.Compare(a.From, b.From))
	})
	return needs
}
