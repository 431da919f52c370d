package analyze

import (
	"slices"

	"etrace/analyze/causal"
	"etrace/tracefmt"
)

// Edges follows which events of a run bring an order between processes, so that one which
// is not recorded may order what looks concurrent. Its zero value is ready to use.
type Edges struct {
	kinds uint32 // with a cause in another process, beside messages
	// unclocked: some step of a process has no vector clock of the log that it was imported
	// from. As long as all have one, the causes are all that there are.
	unclocked, stepped bool
}

// Step takes in the next event of a run that is not recorded whole.
func (o *Edges) Step(e *tracefmt.Event) {
	if e.Process == 0 {
		return
	}
	o.stepped = true
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

// PossiblyUnless returns what, if it happened without being recorded, may keep the
// intervals of a witness from having a cut in common: a change of a process in its
// interval, by the needs, whose place is not looked at; and a message from one that is over
// to one that has not begun. In the recorded order all have begun at the latest beginning:
// what is later than that does not matter.
func PossiblyUnless(w causal.Witness, edges []tracefmt.Fact, changes func(tracefmt.ProcessID) []Need) (needs []Need) {
	latest := tracefmt.Seq(0)
	for _, i := range w.Intervals {
		latest = max(latest, i.From)
	}
	first := latest
	for _, i := range w.Intervals {
		to := latest
		if i.To != 0 && i.To <= latest {
			to = i.To
			first = min(first, to-1)
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
