package spec

import (
	"cmp"
	"slices"

	"etrace/analyze"
	"etrace/tracefmt"
)

// doubtTable has the needs by which recorded events may match a pattern, or match it with another key. It merges the
// needs of each process and fact, so that it stays small.
type doubtTable map[doubtful]*doubted

// doubtful is a fact that was read at events of a process; it is the key of the table.
type doubtful struct {
	process, source tracefmt.ProcessID
	fact            tracefmt.Fact
	anew            bool
}

// doubted is the merged need.
type doubted struct {
	need analyze.Need
	last tracefmt.Seq // the last of the events
}

// add adds the needs of an event.
func (u *doubtTable) add(e *tracefmt.Event, needs []analyze.Need) {
	for _, n := range needs {
		k := doubtful{e.Process, n.Process, n.Fact, n.Anew}
		d := (*u)[k]
		if d == nil {
			if *u == nil {
				*u = make(doubtTable)
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

// since returns the needs of events after one, at a process or, if process is 0, at all.
func (u doubtTable) since(after tracefmt.Seq, at tracefmt.ProcessID) (needs []analyze.Need) {
	for k, d := range u {
		if d.last > after && (at == 0 || k.process == at) {
			needs = append(needs, d.need)
		}
	}
	slices.SortFunc(needs, func(a, b analyze.Need) int {
		return cmp.Or(cmp.Compare(a.Process, b.Process), cmp.Compare(a.Fact.String(), b.Fact.String()),
			cmp.Compare(a.From, b.From))
	})
	return needs
}
