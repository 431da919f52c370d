package story

import (
	"cmp"
	"slices"

	"etrace/replay"
	"etrace/tracefmt"
)

// Gap is a stretch of a process in which events of it are not recorded, as far as it
// concerns the window.
type Gap struct {
	Process tracefmt.ProcessID
	// After and Before are the indices of the steps between which it is, of the process or,
	// if the window has none, of others: -1 and the number of the steps where it has no end.
	After, Before int
	// Last is the last step of the process that is recorded within, -1 for none.
	Last int
	// Dropped is how many events are missing, 0 if that is not known.
	Dropped int64
}

// Text describes the missing events.
func (g *Gap) Text() string {
	if g.Dropped > 0 {
		return Plural(g.Dropped, "event") + " not recorded"
	}
	return "events not recorded"
}

// Gaps returns the gaps of the window, by process and place. onLine reports whether a step is drawn on the line of
// its process.
func (s *Story) Gaps(onLine func(step int) bool) []Gap {
	if s.Complete() || len(s.Steps) == 0 {
		return nil
	}
	first, last := s.Steps[0].Seq, s.Steps[len(s.Steps)-1].Seq
	var list []Gap
	for _, p := range s.Order {
		for _, g := range s.state.Coverage().Gaps(p) {
			if g.To != 0 && g.To < first || g.From > last+1 {
				continue
			}
			list = append(list, s.placeGap(p, g, onLine))
		}
	}
	slices.SortStableFunc(list, func(a, b Gap) int { return cmp.Or(cmp.Compare(a.Process, b.Process), cmp.Compare(a.After, b.After)) })
	return list
}

// placeGap returns the place of a gap among the steps.
func (s *Story) placeGap(p tracefmt.ProcessID, g tracefmt.Gap, onLine func(int) bool) Gap {
	out := Gap{Process: p, After: s.lastBefore(g.From, p, onLine), Before: len(s.Steps), Last: -1, Dropped: g.Dropped}
	if out.After < 0 {
		out.After = s.lastBefore(g.From, 0, onLine)
	}
	if g.To == 0 {
		return out
	}
	out.Before = s.firstAfter(g.To, p, onLine)
	if out.Before == len(s.Steps) {
		out.Before = s.firstAfter(g.To, 0, onLine)
	}
	out.Last = s.lastBefore(g.To+1, p, onLine)
	return out
}

// lastBefore returns the last step before an event, of a process or, for 0, of any; -1 for none.
func (s *Story) lastBefore(seq tracefmt.Seq, p tracefmt.ProcessID, onLine func(int) bool) int {
	i, _ := s.Find(seq)
	for i--; i >= 0; i-- {
		if (p == 0 || s.Steps[i].Process == p) && onLine(i) {
			break
		}
	}
	return i
}

// firstAfter returns the first step after an event, of a process or, for 0, of any. Without such a step it returns
// the number of steps.
func (s *Story) firstAfter(seq tracefmt.Seq, p tracefmt.ProcessID, onLine func(int) bool) int {
	i, found := s.Find(seq)
	if found {
		i++
	}
	for ; i < len(s.Steps); i++ {
		if (p == 0 || s.Steps[i].Process == p) && onLine(i) {
			break
		}
	}
	return i
}

// Unrecorded reports whether the run declares that no event of the process is recorded.
func (s *Story) Unrecorded(p tracefmt.ProcessID) bool {
	return !s.Complete() && s.state.Coverage().NothingRecorded(p)
}

// Complete reports whether the run is recorded completely.
func (s *Story) Complete() bool { return s.state.Coverage().Complete() }

// markUncertain counts the messages whose fate is uncertain, and marks their steps. It is called after the last event.
func (s *Story) markUncertain() {
	if s.Complete() {
		return
	}
	for _, f := range s.state.Flights() {
		// The window counts the messages only whose sends it shows.
		counted := []*totals{&s.totals, &s.window}
		if !s.window.messages.has(int64(f.Message)) {
			counted = counted[:1]
		}
		for _, t := range counted {
			switch {
			case s.state.MayHaveArrived(f):
				t.unsure++
			case s.state.MayBeLost(f):
				t.mayBeLost++
			}
		}
	}
	for i := range s.Steps {
		st := &s.Steps[i]
		if st.Kind == tracefmt.Send && st.Fate == tracefmt.InFlight && !st.Later {
			f := replay.Flight{From: st.Process, To: st.Peer, Sent: st.Seq}
			st.Unsure = s.state.MayHaveArrived(f)
			st.MayBeLost = !st.Unsure && s.state.MayBeLost(f)
		}
	}
}

// LossesMissing reports whether a message that was not received may be lost, since its loss may be missing.
func (s *Story) LossesMissing() bool { return s.totals.mayBeLost > 0 }

// moreMessages reports whether messages may have been sent that are not recorded.
func (s *Story) moreMessages() bool { return s.state.MoreFlights() }

// countDropped returns the number of missing events in gaps of known size, and the number of gaps of
// unknown size.
func (s *Story) countDropped() (events, gaps int64) {
	for _, p := range s.ringOrder {
		for _, g := range s.state.Coverage().Gaps(p) {
			events += g.Dropped
			if g.Dropped == 0 {
				gaps++
			}
		}
	}
	return events, gaps
}

// droppedText describes the number of missing events, "" for a run without gaps.
func (s *Story) droppedText() string {
	events, gaps := s.countDropped()
	switch {
	case events > 0 && gaps > 0:
		return "at least " + Plural(events, "event") + " not recorded"
	case events > 0:
		return Plural(events, "event") + " not recorded"
	case gaps > 0:
		return Plural(gaps, "gap") + " in the record"
	}
	return ""
}

// unrecordedNames lists at most six processes without recorded events.
func (s *Story) unrecordedNames() []string { return s.listMatching(6, s.Unrecorded) }
