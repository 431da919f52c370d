package property

import (
	"cmp"
	"slices"
	"strings"

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

// Those that they name in their tables.
var (
	noteFacts    = analyze.Facts("note")
	sendFacts    = analyze.Facts("send")
	receiveFacts = analyze.Facts("receive")
	downFacts    = analyze.Facts("crash", "halt")
)

// allStepFacts are the sorts of steps that there are.
var allStepFacts = func() []tracefmt.Fact {
	var facts []tracefmt.Fact
	for _, k := range tracefmt.Kinds() {
		if isStep(k) {
			facts = append(facts, tracefmt.Fact{Kind: k})
		}
	}
	return facts
}()

// stepFacts are the sorts of steps that processes of the run take: those that occur, that it
// tells of some process, or names in what it declares. Of others it has no word, and no step
// of theirs is missing; nor does an event that is only stated make a word of its kind. It is
// known at the end of the run.
func stepFacts(s *replay.State) []tracefmt.Fact {
	c, facts := s.Coverage(), declaredFacts(s.Run.Completeness)
	for _, k := range tracefmt.Kinds() {
		if f := (tracefmt.Fact{Kind: k}); !slices.Contains(facts, f) && (c.Occurs(k) || !c.Nowhere(f)) {
			facts = append(facts, f)
		}
	}
	return slices.DeleteFunc(facts, func(f tracefmt.Fact) bool { return !isStep(f.Kind) || c.OnlyStated(f.Kind) })
}

// isStep reports whether an event of the kind is a step of its process.
func isStep(k tracefmt.Kind) bool {
	return k.Info().Process != tracefmt.Absent && k != tracefmt.Lose
}

// declaredFacts are those that a declaration names, each once, in an order that is always
// the same.
func declaredFacts(t *tracefmt.Completeness) []tracefmt.Fact {
	if t == nil {
		return nil
	}
	var facts []tracefmt.Fact
	add := func(of tracefmt.Levels) {
		for key := range of.Kinds {
			named, _ := tracefmt.ParseFacts(key) // the header is valid
			facts = append(facts, named...)
		}
	}
	add(t.Levels)
	for _, of := range t.Processes {
		add(of)
	}
	slices.SortFunc(facts, func(a, b tracefmt.Fact) int { return strings.Compare(a.String(), b.String()) })
	return slices.Compact(facts)
}

// isOrphan reports whether an event is the receive or the loss of a message of which no send is
// recorded, in a recording that does not tell everything.
func isOrphan(s *replay.State, e *tracefmt.Event) bool {
	return e.Cause == 0 && (e.Kind == tracefmt.Receive || e.Kind == tracefmt.Lose) && !s.Coverage().Complete()
}

// mayHaveSent is [analyze.HiddenSends], and any send in a recording that has none and tells
// nothing of them.
func mayHaveSent(s *replay.State, end analyze.Ending, of func(send *tracefmt.Event) bool, words ...string) []analyze.Need {
	if s.Coverage().Nowhere(sendFact) {
		return analyze.Needs(analyze.EveryProcess, 0, 0, sendFacts...)
	}
	return analyze.HiddenSends(s, end, of, words...)
}

// lasting is something that goes on since an event, unless one of the excuses happened without
// being recorded.
type lasting struct {
	since   tracefmt.Seq
	what    string
	excuses []analyze.Need
}

// surest returns the first that certainly goes on or, if none does, the first; ok is false if there
// is none.
func surest(s *replay.State, all []lasting) (found lasting, ok bool) {
	for i, l := range all {
		if certain(s, l.excuses) {
			return l, true
		}
		if i == 0 {
			found = l
		}
	}
	return found, len(all) > 0
}

// orphans are receives of which the record has no send.
type orphans struct{ first, last tracefmt.Seq }

// step takes in an event.
func (o *orphans) step(e *tracefmt.Event) {
	if e.Kind == tracefmt.Receive && e.Cause == 0 {
		o.first, o.last = cmp.Or(o.first, e.Seq), e.Seq
	}
}

// influence are the facts by which one event may have happened before another though no
// recorded message says so: a message that was received in between, or of which only the
// receive is recorded, which may be the later event.
func (o *orphans) influence(after, before tracefmt.Seq) []analyze.Need {
	needs := analyze.Needs(analyze.EveryProcess, after, before, receiveFacts...)
	if o.last > after && (before == 0 || o.first <= before) {
		needs = append(needs, analyze.Needs(analyze.EveryProcess, after, before, sendFacts...)...)
	}
	return needs
}

// mayPass is what must have happened without being recorded if a message went from p to q between two
// events, 0 for the end, of which no receipt is recorded: nil if none did. flights are the messages on
// their way at the end.
func mayPass(s *replay.State, flights []replay.Flight, p, q tracefmt.ProcessID, after, before tracefmt.Seq) []analyze.Need {
	sent := s.Coverage().Missing(p, sendFact, after, before) || slices.ContainsFunc(flights, func(f replay.Flight) bool {
		return f.From == p && f.To == q && f.Sent > after && (before == 0 || f.Sent < before)
	})
	if !sent {
		return nil
	}
	return analyze.Needs(q, after, before, receiveFacts...)
}
