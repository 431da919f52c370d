package property

import (
	"cmp"
	"slices"

	"etrace/analyze"
	"etrace/replay"
	"etrace/tracefmt"
)

// The facts on which findings of several properties rest.
var (
	crashFact   = tracefmt.Fact{Kind: tracefmt.Crash}
	haltFact    = tracefmt.Fact{Kind: tracefmt.Halt}
	recoverFact = tracefmt.Fact{Kind: tracefmt.Recover}
	startFact   = tracefmt.Fact{Kind: tracefmt.Start}
	noteFact    = tracefmt.Fact{Kind: tracefmt.Note}
	sendFact    = tracefmt.Fact{Kind: tracefmt.Send}
	stateFact   = tracefmt.Fact{Kind: tracefmt.State}
	electedFact = tracefmt.StateOf("elected")
	roleFact    = tracefmt.StateOf("role")
	votedFact   = tracefmt.StateOf(votedVariable)
)

// The facts in the tables of properties.
var (
	noteFacts    = analyze.Facts("note")
	sendFacts    = analyze.Facts("send")
	receiveFacts = analyze.Facts("receive")
	downFacts    = analyze.Facts("crash", "halt")
)

// allStepFacts are the kinds of all steps.
var allStepFacts = func() (facts []tracefmt.Fact) {
	for _, k := range tracefmt.Kinds() {
		if k.IsStep() {
			facts = append(facts, tracefmt.Fact{Kind: k})
		}
	}
	return facts
}()

// isOrphan reports whether an event is the receive or loss of a message without a recorded send, in an incomplete
// recording.
func isOrphan(s *replay.State, e *tracefmt.Event) bool {
	return e.Cause == 0 && (e.Kind == tracefmt.Receive || e.Kind == tracefmt.Lose) && !s.Coverage().Complete()
}

// possibleSend is [analyze.HiddenSends]; in a recording without sends and without a declaration about them, it is
// any send.
func possibleSend(s *replay.State, end analyze.Ending, state func(send *tracefmt.Event) bool, words ...string) []analyze.Need {
	if s.Coverage().Nowhere(sendFact) {
		return analyze.Needs(analyze.EveryProcess, 0, 0, sendFacts...)
	}
	return analyze.HiddenSends(s, end, state, words...)
}

// lasting is a condition that lasts since an event, unless one of the excuses happened unrecorded.
type lasting struct {
	since   tracefmt.Seq
	outcome string
	excuses []analyze.Need
}

// surest returns the first condition that certainly lasts or, if none does, the first one; ok is false if the
// list is empty.
func surest(s *replay.State, list []lasting) (found lasting, ok bool) {
	for i, l := range list {
		if certain(s, l.excuses) {
			return l, true
		}
		if i == 0 {
			found = l
		}
	}
	return found, len(list) > 0
}

// orphans are the first and the last receive without a recorded send.
type orphans struct{ first, last tracefmt.Seq }

// step takes an event.
func (o *orphans) step(e *tracefmt.Event) {
	if e.Kind == tracefmt.Receive && e.Cause == 0 {
		o.first, o.last = cmp.Or(o.first, e.Seq), e.Seq
	}
}

// influence returns the facts by which one event may have happened before another without a recorded message: a
// message received in between, or one with only a recorded receive, which may be the later event.
func (o *orphans) influence(after, before tracefmt.Seq) []analyze.Need {
	needs := analyze.Needs(analyze.EveryProcess, after, before, receiveFacts...)
	if o.last > after && (before == 0 || o.first <= before) {
		needs = append(needs, analyze.Needs(analyze.EveryProcess, after, before, sendFacts...)...)
	}
	return needs
}

// possiblePath returns the needs by which an unrecorded message went over a channel between two events, 0 for the
// end; nil if that is impossible. flights are the messages in transit at the end.
func possiblePath(s *replay.State, flights []replay.Flight, path link, after, before tracefmt.Seq) []analyze.Need {
	sent := s.Coverage().Missing(path.from, sendFact, after, before) || slices.ContainsFunc(flights, func(f replay.Flight) bool {
		return f.From == path.from && f.To == path.receiver && f.Sent > after && (before == 0 || f.Sent < before)
	})
	if !sent {
		return nil
	}
	return analyze.Needs(path.receiver, after, before, receiveFacts...)
}
