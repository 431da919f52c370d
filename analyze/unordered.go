package analyze

import (
	"slices"

	"etrace/analyze/causal"
	"etrace/replay"
	"etrace/tracefmt"
)

// Edges follows which events of a run bring an order between processes, so that one which
// is not recorded may order what looks concurrent. Its zero value is ready to use.
type Edges struct {
	kinds uint32 // with a cause in another process, beside messages
	// unclocked: some step of a process has no vector clock of the log that it was imported
	// from. As long as all have one, the causes are all that there are.
	unclocked, stepped bool
	orphaned           bool // of a message that arrives the send is not recorded
}

// Step takes in the next event of a run that is not recorded whole.
func (o *Edges) Step(e *tracefmt.Event) {
	if e.Process == 0 {
		return
	}
	o.stepped = true
	o.orphaned = o.orphaned || e.Kind == tracefmt.Receive && e.Cause == 0
	if e.Cause != 0 && e.Kind != tracefmt.Receive && e.Kind != tracefmt.Lose {
		o.kinds |= 1 << e.Kind
	}
	if o.unclocked {
		return
	}
	log, _ := e.Field(tracefmt.LogKey)
	for name := range tracefmt.Fields(log) {
		if string(name) == "clock" {
			return
		}
	}
	o.unclocked = true
}

// Facts are those of which each event may order processes.
func (o *Edges) Facts() (facts []tracefmt.Fact) {
	if o.stepped && !o.unclocked {
		return nil
	}
	for _, k := range tracefmt.Kinds() {
		if k == tracefmt.Send || k == tracefmt.Receive || o.kinds>>k&1 != 0 {
			facts = append(facts, tracefmt.Fact{Kind: k})
		}
	}
	return facts
}

// Missing are those of the facts of which events may be missing that order processes; it is
// known at the end of the run. A message orders them if it arrives: of one that is not
// recorded both the send and the receive must be missing, or the other is recorded.
func (o *Edges) Missing(s *replay.State) []tracefmt.Fact {
	send, receive := tracefmt.Fact{Kind: tracefmt.Send}, tracefmt.Fact{Kind: tracefmt.Receive}
	var sends, receives []tracefmt.ProcessID
	for i := range s.Run.Members {
		p, c := tracefmt.ProcessID(i+1), s.Coverage()
		if c.Missing(p, send, 0, 0) {
			sends = append(sends, p)
		}
		if c.Missing(p, receive, 0, 0) {
			receives = append(receives, p)
		}
	}
	arrives := len(sends) > 0 && len(receives) > 0 && (len(receives) > 1 || !slices.Equal(sends, receives)) ||
		slices.ContainsFunc(s.Flights(), func(f replay.Flight) bool { return s.Coverage().Missing(f.To, receive, f.Sent, 0) })
	sent := len(sends) > 0 && (arrives || o.orphaned)
	return slices.DeleteFunc(o.Facts(), func(f tracefmt.Fact) bool {
		return f == send && !sent || f == receive && !arrives
	})
}

// PossiblyUnless returns what, if it happened without being recorded, may keep the
// intervals of a witness from having a cut in common: a change of a process in its
// interval, by the needs, whose place is not looked at; and a message from one that is over
// to one that has not begun. In the recorded order all have begun at the latest beginning:
// what is later than that does not matter. Without edges a change matters only before what the
// others know of the process when they begin.
func PossiblyUnless(w causal.Witness, edges []tracefmt.Fact, changes func(tracefmt.ProcessID) []Need) (needs []Need) {
	latest := tracefmt.Seq(0)
	for _, i := range w.Intervals {
		latest = max(latest, i.From)
	}
	first := latest
	for at, i := range w.Intervals {
		to := latest
		if i.To != 0 && i.To <= latest {
			to = i.To
			first = min(first, to-1)
		}
		if len(edges) == 0 {
			to = min(to, w.Known(at))
		}
		if i.From < to {
			needs = append(needs, within(changes(i.Process), i.From, to)...)
		}
	}
	if first < latest {
		needs = append(needs, Needs(EveryProcess, first, latest, edges...)...)
	}
	return needs
}

// DefinitelyUnless returns what may keep an order of the events past the intervals: a change
// of a process in its interval.
func DefinitelyUnless(w causal.Witness, changes func(tracefmt.ProcessID) []Need) (needs []Need) {
	for _, i := range w.Intervals {
		needs = append(needs, within(changes(i.Process), i.From, i.To)...)
	}
	return needs
}

// within puts needs between two events.
func within(needs []Need, from, to tracefmt.Seq) []Need {
	all := slices.Clone(needs)
	for i := range all {
		all[i].From, all[i].To = from, to
	}
	return all
}

// Changes are needs of a process of one of the facts, the place of which is not said. One
// that has not been down recovers only after it has gone down.
func Changes(p tracefmt.ProcessID, wasDown bool, facts []tracefmt.Fact) (needs []Need) {
	for _, f := range facts {
		needs = append(needs, Need{Process: p, Fact: f, Anew: f.Kind == tracefmt.Recover && !wasDown})
	}
	return needs
}
