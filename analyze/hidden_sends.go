package analyze

import (
	"slices"

	"etrace/replay"
	"etrace/tracefmt"
)

// HiddenSends returns what must have happened without being recorded if a message was sent of
// which the record shows nothing, neither the send nor an arrival: nothing if there can be
// none for which of is true, which is asked for each process, peer and type that there may be:
// those of the record, none, and the words, which the record need not have. It is for the end
// of a run.
func HiddenSends(s *replay.State, end Ending, of func(send *tracefmt.Event) bool, words ...string) []Need {
	if s.Coverage().Complete() {
		return nil
	}
	h := hiddenSends{state: s, end: end, of: of, peers: unheard(s, end)}
	h.types, h.known = s.Vocabulary().Types(tracefmt.Send)
	h.types = append(append(h.types, words...), "")
	var all []Need
	for i := range s.Run.Members {
		if p := tracefmt.ProcessID(i + 1); h.from(p) {
			all = append(all, Needs(p, 0, 0, sendFact)...)
		}
	}
	if len(all) == len(s.Run.Members) && len(all) > 1 {
		return Needs(EveryProcess, 0, 0, sendFact)
	}
	return all
}

var sendFact = tracefmt.Fact{Kind: tracefmt.Send}

type hiddenSends struct {
	state *replay.State
	end   Ending
	types []string
	known bool // which types there are
	of    func(*tracefmt.Event) bool
	peers []tracefmt.ProcessID // to which messages may go of which nothing is heard again
}

// from reports whether there may be such a message from p.
func (h *hiddenSends) from(p tracefmt.ProcessID) bool {
	return slices.ContainsFunc(h.peers, func(q tracefmt.ProcessID) bool {
		return maySend(h.state, h.end, p, q) && (!h.known || slices.ContainsFunc(h.types, func(typ string) bool {
			return h.of(&tracefmt.Event{Kind: tracefmt.Send, Process: p, Peer: q, Type: typ})
		}))
	})
}

// unheard are the processes to which a message may go of which nothing is heard again.
func unheard(s *replay.State, end Ending) (all []tracefmt.ProcessID) {
	for i := range s.Run.Members {
		if q := tracefmt.ProcessID(i + 1); !end.Quiescent || mayVanish(s, q, 0) {
			all = append(all, q)
		}
	}
	return all
}

// maySend reports whether p may have sent a message to q of which the record shows nothing,
// neither the send nor an arrival. To itself a process sends only in a run that has such
// messages. It is for the end of a run.
func maySend(s *replay.State, end Ending, p, q tracefmt.ProcessID) bool {
	if p == q && !s.Vocabulary().ToItself() {
		return false
	}
	c := s.Coverage()
	return c.Missing(p, sendFact, 0, 0) && (!end.Quiescent || mayVanish(s, q, firstHidden(c, p, sendFact)))
}

// firstHidden is an event after which the fact may have happened at p without being recorded,
// and not before.
func firstHidden(c *tracefmt.Coverage, p tracefmt.ProcessID, f tracefmt.Fact) tracefmt.Seq {
	if c.Level(p, f) == tracefmt.All {
		for g := range c.GapsBetween(p, 0, 0) {
			return max(g.From, 1) - 1
		}
	}
	return 0
}

// goesDown are the facts by which a process is down.
var goesDown = [...]tracefmt.Fact{{Kind: tracefmt.Crash}, {Kind: tracefmt.Halt}}

// vanishing are the facts by which a message is no longer on its way.
var vanishing = [...]tracefmt.Fact{{Kind: tracefmt.Receive}, {Kind: tracefmt.Lose}}

// mayVanish reports whether of a message that was sent to q after an event nothing may be
// heard again in a run that came to rest: it may have arrived or been lost without that
// being recorded, or q is down at the end, or may be.
func mayVanish(s *replay.State, q tracefmt.ProcessID, after tracefmt.Seq) bool {
	missing := func(after tracefmt.Seq, facts []tracefmt.Fact) bool {
		return slices.ContainsFunc(facts, func(f tracefmt.Fact) bool { return s.Coverage().Missing(q, f, after, 0) })
	}
	return !s.Live(q) || missing(after, vanishing[:]) || missing(s.StepAt(q), goesDown[:])
}
