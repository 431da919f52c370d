package spec

import (
	"slices"

	"etrace/analyze"
	"etrace/replay"
	"etrace/tracefmt"
)

// outlook collects what may have happened without being recorded so that a condition held
// at some moment. The condition is asked for after each event that may change it, and for
// the time until the next event; between events of other kinds only the beginning of a gap
// lets more happen than before.
type outlook struct {
	needs  []analyze.Need
	gaps   []tracefmt.Seq // the events after which one begins
	looked bool
	found  int // how many moments there were
	latest map[doubtful]stretches
}

// mostFound is after how many moments at which the condition may have held an outlook that
// is sure of one does not look for others.
const mostFound = 32

func newOutlook(run *tracefmt.Run) *outlook {
	var o outlook
	if run.Completeness != nil {
		for _, g := range run.Completeness.Gaps {
			o.gaps = append(o.gaps, g.From-1)
		}
	}
	slices.Sort(o.gaps)
	return &o
}

// before looks at the time before the first event.
func (o *outlook) before(b *base, condition *code) {
	if o.looked {
		return
	}
	o.looked = true
	f := newFrame(b.frame.run, b.program)
	f.begin(replay.NewState(b.frame.run), &tracefmt.Event{})
	o.look(f, condition)
}

// besides looks beside the events that were inferred.
func (o *outlook) besides(b *base, s *replay.State) []analyze.Need {
	for i := range s.Run.Members {
		for _, g := range s.Coverage().Gaps(tracefmt.ProcessID(i + 1)) {
			if _, inferred := s.Inferred(g.From); inferred {
				for _, n := range analyze.Needs(tracefmt.ProcessID(i+1), g.From-1, g.From+1, b.relies...) {
					o.add(n)
				}
			}
		}
	}
	return o.needs
}

// opens reports whether a gap begins after the event.
func (o *outlook) opens(e *tracefmt.Event) bool {
	i, found := slices.BinarySearch(o.gaps, e.Seq)
	o.gaps = o.gaps[i:]
	return found
}

// look asks for the condition now, and before the next event.
func (o *outlook) look(f *frame, condition *code) {
	if o.found >= mostFound {
		return
	}
	f.ahead = true
	if condition.possible(f)&(mayBeYes|mayBeUnknown) != 0 {
		o.take(f, f.needed(condition))
	}
	f.ahead = false
}

// take takes in what was found at a moment.
func (o *outlook) take(f *frame, needs []analyze.Need) {
	for _, n := range needs {
		o.add(n)
	}
	if !f.state.Coverage().Silent() && len(analyze.Untold(f.state, needs)) > 0 {
		o.found++
	}
}

// add takes in a need, as one with what it continues. Of very many stretches of one fact of
// a process the last ones are one with what lies between them, which is more than is needed.
func (o *outlook) add(n analyze.Need) {
	if o.latest == nil {
		o.latest = make(map[doubtful]stretches)
	}
	key := doubtful{of: n.Process, fact: n.Fact, anew: n.Anew}
	s, known := o.latest[key]
	if !known || s.count < mostStretches && (n.From < o.needs[s.last].From || o.needs[s.last].To != 0 && n.From > o.needs[s.last].To) {
		o.latest[key] = stretches{len(o.needs), s.count + 1}
		o.needs = append(o.needs, n)
		return
	}
	m := &o.needs[s.last]
	m.From = min(m.From, n.From)
	if m.To != 0 && (n.To == 0 || n.To > m.To) {
		m.To = n.To
	}
}

// stretches are those of one fact of a process: the place of the last, and how many.
type stretches struct{ last, count int }

// mostStretches is how many are kept apart.
const mostStretches = 64
