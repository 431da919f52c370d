package analyze

import (
	"slices"

	"etrace/analyze/causal"
	"etrace/replay"
	"etrace/tracefmt"
)

// Edges finds out which kinds of events order processes in a run. In an incomplete recording, an unrecorded
// event of such a kind may order events that look concurrent. The zero value is ready to use.
type Edges struct {
	kinds uint32 // the kinds with a cause in another process, except messages
	// unclocked is set if some step lacks a vector clock of the log. While all steps have one, all causes are known.
	unclocked, stepped bool
	orphaned           bool // a message arrives without a recorded send
}

// Step takes the next event of an incomplete recording.
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

// Facts returns the facts whose events may order processes: messages, and kinds with recorded causes. It
// returns none if all steps have a vector clock.
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

// Missing returns those of the facts that the recording may lack, at the end of the run. A message orders
// processes only if it arrives, so both its send and its receive must be missing, or the send alone of an
// orphan.
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
	// A message of a process to itself orders no two processes, so one process that lacks both kinds is not enough.
	between := len(sends) > 0 && len(receives) > 0 && (len(receives) > 1 || !slices.Equal(sends, receives))
	arrives := between || slices.ContainsFunc(s.Flights(), func(f replay.Flight) bool {
		return s.Coverage().Missing(f.To, receive, f.Sent, 0)
	})
	sent := len(sends) > 0 && (arrives || o.orphaned)
	return slices.DeleteFunc(o.Facts(), func(f tracefmt.Fact) bool {
		return f == send && !sent || f == receive && !arrives
	})
}

// PossiblyUnless returns the needs that would leave the intervals of a witness without a common cut. One is a
// change at a process within its interval; changes returns those needs, and their place is set here. The
// other is a message from a finished interval to an interval that begins later. Events after the last
// beginning make no difference.
func PossiblyUnless(w causal.Witness, edges []tracefmt.Fact, changes func(tracefmt.ProcessID) []Need) (needs []Need) {
	latest := tracefmt.Seq(0)
	for _, i := range w.Intervals {
		latest = max(latest, i.From)
	}
	first := latest
	for at, i := range w.Intervals {
		end := latest
		if i.To != 0 && i.To <= latest {
			end = i.To
			first = min(first, end-1)
		}
		if len(edges) == 0 {
			// Without unrecorded messages, only changes matter that the other intervals know when they begin.
			end = min(end, w.Known(at))
		}
		if i.From < end {
			needs = append(needs, withPlace(changes(i.Process), i.From, end)...)
		}
	}
	if first < latest {
		needs = append(needs, Needs(EveryProcess, first, latest, edges...)...)
	}
	return needs
}

// DefinitelyUnless returns the needs that would let some order of the events avoid the intervals: changes at
// a process within its interval.
func DefinitelyUnless(w causal.Witness, changes func(tracefmt.ProcessID) []Need) (needs []Need) {
	for _, i := range w.Intervals {
		needs = append(needs, withPlace(changes(i.Process), i.From, i.To)...)
	}
	return needs
}

// withPlace returns the needs with the given place.
func withPlace(needs []Need, from, end tracefmt.Seq) []Need {
	list := slices.Clone(needs)
	for i := range list {
		list[i].From, list[i].To = from, end
	}
	return list
}

// Changes returns the needs of the facts at a process, without a place. A recovery of a process that was
// never down needs an unrecorded crash, too.
func Changes(p tracefmt.ProcessID, wasDown bool, facts []tracefmt.Fact) (needs []Need) {
	for _, f := range facts {
		needs = append(needs, Need{Process: p, Fact: f, Anew: f.Kind == tracefmt.Recover && !wasDown})
	}
	return needs
}
