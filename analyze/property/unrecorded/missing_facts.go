package unrecorded

import (
	"cmp"
	"slices"

	"etrace/analyze"
	"etrace/analyze/property/memory"
	"etrace/replay"
	"etrace/tracefmt"
)

// VotedVariable is the variable in which processes vote.
const VotedVariable = "votedFor"

// The facts on which findings of several properties rest.
var (
	CrashFact   = tracefmt.Fact{Kind: tracefmt.Crash}
	HaltFact    = tracefmt.Fact{Kind: tracefmt.Halt}
	loseFact    = tracefmt.Fact{Kind: tracefmt.Lose}
	RecoverFact = tracefmt.Fact{Kind: tracefmt.Recover}
	StartFact   = tracefmt.Fact{Kind: tracefmt.Start}
	NoteFact    = tracefmt.Fact{Kind: tracefmt.Note}
	SendFact    = tracefmt.Fact{Kind: tracefmt.Send}
	StateFact   = tracefmt.Fact{Kind: tracefmt.State}
	ElectedFact = tracefmt.StateOf("elected")
	RoleFact    = tracefmt.StateOf("role")
	VotedFact   = tracefmt.StateOf(VotedVariable)
)

// The facts in the tables of properties.
var (
	NoteFacts    = analyze.Facts("note")
	SendFacts    = analyze.Facts("send")
	ReceiveFacts = analyze.Facts("receive")
	DownFacts    = analyze.Facts("crash", "halt")
)

// AllStepFacts are the kinds of all steps.
var AllStepFacts = func() (facts []tracefmt.Fact) {
	for _, k := range tracefmt.Kinds() {
		if k.IsStep() {
			facts = append(facts, tracefmt.Fact{Kind: k})
		}
	}
	return facts
}()

// IsOrphan reports whether an event is the receive or loss of a message without a recorded send, in an incomplete
// recording.
func IsOrphan(s *replay.State, e *tracefmt.Event) bool {
	return e.Cause == 0 && (e.Kind == tracefmt.Receive || e.Kind == tracefmt.Lose) && !s.Coverage().Complete()
}

// Send returns the needs for an unrecorded send; see [analyze.HiddenSends]. In a recording without sends, and without
// a declaration about them, any send may be missing.
func Send(s *replay.State, end analyze.Ending, state func(send *tracefmt.Event) bool, words ...string) []analyze.Need {
	if s.Coverage().Nowhere(SendFact) {
		return analyze.Needs(analyze.EveryProcess, 0, 0, SendFacts...)
	}
	return analyze.HiddenSends(s, end, state, words...)
}

// Lasting is a condition that lasts since an event, unless one of the excuses happened unrecorded.
type Lasting struct {
	Since   tracefmt.Seq
	Outcome string
	Excuses []analyze.Need
}

// Surest returns the first condition that certainly lasts or, if none does, the first one; ok is false if the
// list is empty.
func Surest(s *replay.State, list []Lasting) (found Lasting, ok bool) {
	for i, l := range list {
		if None(s, l.Excuses) {
			return l, true
		}
		if i == 0 {
			found = l
		}
	}
	return found, len(list) > 0
}

// Orphans are the first and the last receive without a recorded send.
type Orphans struct{ First, last tracefmt.Seq }

// Step takes an event.
func (o *Orphans) Step(e *tracefmt.Event) {
	if e.Kind == tracefmt.Receive && e.Cause == 0 {
		o.First, o.last = cmp.Or(o.First, e.Seq), e.Seq
	}
}

// Influence returns the facts by which one event may have happened before another without a recorded message: a
// message received in between, or one with only a recorded receive, which may be the later event.
func (o *Orphans) Influence(after, before tracefmt.Seq) []analyze.Need {
	needs := analyze.Needs(analyze.EveryProcess, after, before, ReceiveFacts...)
	if o.last > after && (before == 0 || o.First <= before) {
		needs = append(needs, analyze.Needs(analyze.EveryProcess, after, before, SendFacts...)...)
	}
	return needs
}

// Path returns the needs by which an unrecorded message went over a channel between two events, 0 for the
// end; nil if that is impossible. flights are the messages in transit at the end.
func Path(s *replay.State, flights []replay.Flight, channel memory.Channel, after, before tracefmt.Seq) []analyze.Need {
	sent := s.Coverage().Missing(channel.From, SendFact, after, before) ||
		slices.ContainsFunc(flights, func(f replay.Flight) bool {
			return f.From == channel.From && f.To == channel.Receiver && f.Sent > after &&
				(before == 0 || f.Sent < before)
		})
	if !sent {
		return nil
	}
	return analyze.Needs(channel.Receiver, after, before, ReceiveFacts...)
}

// Arrival returns the needs by which a message in transit may have arrived.
func Arrival(f replay.Flight, now tracefmt.Seq) []analyze.Need {
	return append(analyze.Needs(f.To, f.Sent, now, ReceiveFacts...), analyze.Needs(f.To, f.Sent, now, loseFact)...)
}
