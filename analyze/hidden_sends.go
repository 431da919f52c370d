package analyze

import (
	"slices"

	"etrace/replay"
	"etrace/tracefmt"
)

// HiddenSends returns the needs for a message whose send and arrival are both unrecorded and that accepts
// would accept; nil if no such message is possible. It tries every sender, receiver and type: the recorded
// types, the given words, and no type. It must be called at the end of a run.
func HiddenSends(s *replay.State, end Ending, accepts func(send *tracefmt.Event) bool, words ...string) []Need {
	if s.Coverage().Complete() {
		return nil
	}
	h := hiddenSends{state: s, end: end, accepts: accepts, peers: silentReceivers(s, end)}
	h.types, h.known = s.Vocabulary().Types(tracefmt.Send)
	h.types = append(append(h.types, words...), "")
	var list []Need
	for i := range s.Run.Members {
		if p := tracefmt.ProcessID(i + 1); h.possibleFrom(p) {
			list = append(list, Needs(p, 0, 0, sendFact)...)
		}
	}
	if len(list) == len(s.Run.Members) && len(list) > 1 {
		return Needs(EveryProcess, 0, 0, sendFact)
	}
	return list
}

var sendFact = tracefmt.Fact{Kind: tracefmt.Send}

// hiddenSends is one search for possible unrecorded messages.
type hiddenSends struct {
	state   *replay.State
	end     Ending
	types   []string
	known   bool // types lists all possible types
	accepts func(*tracefmt.Event) bool
	peers   []tracefmt.ProcessID // processes that may receive a message without any record
}

// possibleFrom reports whether p may have sent such a message.
func (h *hiddenSends) possibleFrom(p tracefmt.ProcessID) bool {
	return slices.ContainsFunc(h.peers, func(q tracefmt.ProcessID) bool {
		return possibleSend(h.state, h.end, p, q) && (!h.known || slices.ContainsFunc(h.types, func(typ string) bool {
			return h.accepts(&tracefmt.Event{Kind: tracefmt.Send, Process: p, Peer: q, Type: typ})
		}))
	})
}

// silentReceivers returns the receivers of messages whose arrival or loss may lack any record.
func silentReceivers(s *replay.State, end Ending) (list []tracefmt.ProcessID) {
	for i := range s.Run.Members {
		if q := tracefmt.ProcessID(i + 1); !end.Quiescent || possibleLoss(s, q, 0) {
			list = append(list, q)
		}
	}
	return list
}

// possibleSend reports whether p may have sent a message to q whose send and arrival are both unrecorded. A
// process sends to itself only in a run that records such messages. It must be called at the end of a run.
func possibleSend(s *replay.State, end Ending, p, q tracefmt.ProcessID) bool {
	if p == q && !s.Vocabulary().ToItself() {
		return false
	}
	c := s.Coverage()
	return c.Missing(p, sendFact, 0, 0) && (!end.Quiescent || possibleLoss(s, q, firstHidden(c, p, sendFact)))
}

// firstHidden returns the event after which the fact may first have happened unrecorded at p; 0 is the
// beginning.
func firstHidden(c *tracefmt.Coverage, p tracefmt.ProcessID, f tracefmt.Fact) tracefmt.Seq {
	if c.Level(p, f) == tracefmt.All {
		for g := range c.GapsBetween(p, 0, 0) {
			return max(g.From, 1) - 1
		}
	}
	return 0
}

// downFacts are the facts by which a process goes down.
var downFacts = [...]tracefmt.Fact{{Kind: tracefmt.Crash}, {Kind: tracefmt.Halt}}

// arrivalFacts are the facts that end the flight of a message.
var arrivalFacts = [...]tracefmt.Fact{{Kind: tracefmt.Receive}, {Kind: tracefmt.Lose}}

// possibleLoss reports whether a message sent to q after an event may leave no trace in a quiescent run. That
// is so if its arrival or loss may be unrecorded, or if q is or may be down at the end.
func possibleLoss(s *replay.State, q tracefmt.ProcessID, after tracefmt.Seq) bool {
	missing := func(after tracefmt.Seq, facts []tracefmt.Fact) bool {
		return slices.ContainsFunc(facts, func(f tracefmt.Fact) bool { return s.Coverage().Missing(q, f, after, 0) })
	}
	return !s.Live(q) || missing(after, arrivalFacts[:]) || missing(s.StepAt(q), downFacts[:])
}
