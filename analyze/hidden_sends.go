package analyze

import (
	"slices"

	"etrace/replay"
	"etrace/tracefmt"
)

// HiddenSends returns the needs for a message without a recorded send and arrival; nil if no
// such message is possible. It tries each process, peer and type: the recorded ones, none, and the given words.
// It must be called at the end of a run.
func HiddenSends(s *replay.State, end Ending, accepts func(send *tracefmt.Event) bool, words ...string) []Need {
	if s.Coverage().Complete() {
		return nil
	}
	h := hiddenSends{state: s, end: end, accepts: accepts, peers: unheard(s, end)}
	h.types, h.known = s.Vocabulary().Types(tracefmt.Send)
	h.types = append(append(h.types, words...), "")
	var list []Need
	for i := range s.Run.Members {
		if p := tracefmt.ProcessID(i + 1); h.from(p) {
			list = append(list, Needs(p, 0, 0, sendFact)...)
		}
	}
	if len(list) == len(s.Run.Members) && len(list) > 1 {
		return Needs(EveryProcess, 0, 0, sendFact)
	}
	return list
}

var sendFact = tracefmt.Fact{Kind: tracefmt.Send}

type hiddenSends struct {
	state   *replay.State
	end     Ending
	types   []string
	known   bool // the possible types are known
	accepts func(*tracefmt.Event) bool
	peers   []tracefmt.ProcessID // the receivers whose messages may leave no trace
}

// from reports whether p may have sent such a message.
func (h *hiddenSends) from(p tracefmt.ProcessID) bool {
	return slices.ContainsFunc(h.peers, func(q tracefmt.ProcessID) bool {
		return possibleSend(h.state, h.end, p, q) && (!h.known || slices.ContainsFunc(h.types, func(typ string) bool {
			return h.accepts(&tracefmt.Event{Kind: tracefmt.Send, Process: p, Peer: q, Type: typ})
		}))
	})
}

// unheard returns the processes that may receive a message without any record.
func unheard(s *replay.State, end Ending) (list []tracefmt.ProcessID) {
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

// firstHidden returns the earliest event after which the fact may have happened unrecorded at p.
func firstHidden(c *tracefmt.Coverage, p tracefmt.ProcessID, f tracefmt.Fact) tracefmt.Seq {
	if c.Level(p, f) == tracefmt.All {
		for g := range c.GapsBetween(p, 0, 0) {
			return max(g.From, 1) - 1
		}
	}
	return 0
}

// goesDown are the facts by which a process goes down.
var goesDown = [...]tracefmt.Fact{{Kind: tracefmt.Crash}, {Kind: tracefmt.Halt}}

// vanishing are the facts by which a message ceases to be in transit.
var vanishing = [...]tracefmt.Fact{{Kind: tracefmt.Receive}, {Kind: tracefmt.Lose}}

// possibleLoss reports whether a message that was sent to q after an event may leave no trace in a quiescent run:
// its arrival or loss may be unrecorded, or q is or may be down at the end.
func possibleLoss(s *replay.State, q tracefmt.ProcessID, after tracefmt.Seq) bool {
	missing := func(after tracefmt.Seq, facts []tracefmt.Fact) bool {
		return slices.ContainsFunc(facts, func(f tracefmt.Fact) bool { return s.Coverage().Missing(q, f, after, 0) })
	}
	return !s.Live(q) || missing(after, vanishing[:]) || missing(s.StepAt(q), goesDown[:])
}
