package spec

import (
	"slices"

	"etrace/analyze"
	"etrace/tracefmt"
)

// This file decides whether an unrecorded event could match a pattern. Such an event is tried with each kind,
// process, peer and type that the run allows. Its other fields may have any value, and so may the state of the
// processes.

// hypotheticalTests are the conditions of a pattern that can be evaluated for an unrecorded event.
type hypotheticalTests struct {
	// local are the conditions that read the event alone.
	local []test
	// ofProcess, ofPeer and ofType are set if they read the process, the peer or the type.
	ofProcess, ofPeer, ofType bool
	// complete is set if there are no other conditions.
	complete bool
	// required are the variables that the event must assign.
	required []string
}

// hypotheticalTests compiles the conditions that can be evaluated for an unrecorded event.
func (s *scope) hypotheticalTests(conditions []*node) (hypotheticalTests, error) {
	result := hypotheticalTests{required: s.requiredFields(conditions)}
	inner := *s
	// The conditions are compiled a second time, so this compilation must not demand fields or note texts again.
	texts := len(s.program.texts)
	inner.demanded = nil
	for _, n := range conditions {
		if !inner.decidableUnrecorded(n) {
			continue
		}
		t, err := inner.test(n)
		if err != nil {
			return result, err
		}
		result.local = append(result.local, t)
		n.walk(func(n *node) {
			result.ofProcess = result.ofProcess || n.op == "field" && n.name == "process"
			result.ofPeer = result.ofPeer || n.op == "field" && n.name == "peer"
			result.ofType = result.ofType || n.op == "field" && n.name == "type"
		})
	}
	s.program.texts = s.program.texts[:texts]
	result.complete = len(result.local) == len(conditions) && len(s.program.fluents) == 0
	return result, nil
}

// decidableUnrecorded reports whether a condition can be evaluated for an event that is not in the record: it reads
// only the event, fluents, and which processes are live.
func (s *scope) decidableUnrecorded(n *node) bool {
	local := true
	n.walk(func(n *node) {
		switch n.op {
		case "call":
			_, fluent, _ := s.fluent(n.name) // its error is reported where the fluent is compiled
			local = local && (fluent || n.name == "live" && len(n.operands) == 1 ||
				slices.Contains([]string{"matches", "len", "nobody", "participant", "prefix"}, n.name))
		case "field":
			_, fluent, _ := s.fluent(n.name)
			local = local && !(fluent && n.event == "")
		case "forall", "exists", "compiled":
			local = false
		}
	})
	return local
}

// everLive returns whether a process was up during the whole run.
func (f *frame) everLive(p tracefmt.ProcessID) truth {
	if f.state.Vocabulary().WentDown(p) || f.missingKind(p, tracefmt.Crash) || f.missingKind(p, tracefmt.Halt) {
		return unknown
	}
	return yes
}

// everHeld returns whether the fluent held at p at some time. The result is no only if it never held in any
// completion.
func (s *fluentState) everHeld(f *frame, p tracefmt.ProcessID) truth {
	lacks := func(fact tracefmt.Fact) bool { return f.state.Coverage().Missing(p, fact, 0, 0) }
	begins := s.def.beginFacts
	if s.def.while == nil && !s.held[p] && len(begins.reads) == 0 && !slices.ContainsFunc(begins.events, lacks) {
		return no
	}
	return unknown
}

// missingKind reports whether events of a kind may be missing at any time.
func (f *frame) missingKind(p tracefmt.ProcessID, k tracefmt.Kind) bool {
	return f.state.Coverage().Missing(p, tracefmt.Fact{Kind: k}, 0, 0)
}

// possibleEvents returns the needs for an unrecorded event that matches all patterns; nil if no such event is possible.
// It is called at the end of a run.
func (b *base) possibleEvents(end analyze.Ending, patterns ...*matcher) []analyze.Need {
	return b.possibleAssignments(nil, end, patterns...)
}

// possibleAssignments is possibleEvents for events that also assign the required variables.
func (b *base) possibleAssignments(required []string, end analyze.Ending, patterns ...*matcher) (needs []analyze.Need) {
	kinds := patterns[0].kinds
	for _, m := range patterns {
		kinds &= m.kinds
		if m.steps {
			kinds &= kindsOf(b.frame.state.Coverage().Steps())
		}
		required = append(required, m.required...)
	}
	h := hypothesis{base: b, patterns: patterns, end: end, sendsShown: b.countsShownSends}
	h.selfSends = b.frame.state.Vocabulary().ToItself()
	needs = h.needsOfKinds(kinds, required)
	if len(needs) > 0 && !h.selfSends {
		h.selfSends = true // a missing event may show that processes send to themselves
		needs = h.needsOfKinds(kinds, required)
	}
	return needs
}

// hypothesis tries unrecorded events, and reports whether one of them would match all patterns.
type hypothesis struct {
	base     *base
	patterns []*matcher
	end      analyze.Ending
	// sendsShown is set if the sends that arrivals prove were already examined.
	sendsShown bool
	// selfSends is set if some process sends to itself. Otherwise no such message is tried.
	selfSends bool
	event     tracefmt.Event
}

// needsOfKinds returns the needs for a matching event of one of the kinds.
func (g *hypothesis) needsOfKinds(kinds kindSet, required []string) (needs []analyze.Need) {
	for _, k := range tracefmt.Kinds() {
		if kinds.has(k) {
			needs = append(needs, g.needsOfKind(k, required)...)
		}
	}
	return distinctNeeds(needs)
}

// needsOfKind returns the needs for a matching event of the kind, at each process where it is possible.
func (g *hypothesis) needsOfKind(k tracefmt.Kind, required []string) []analyze.Need {
	if k.Info().Process == tracefmt.Absent {
		return g.needAt(k, 0, required)
	}
	everywhere := len(g.base.frame.run.Members) > 1
	var needs []analyze.Need
	for i := range g.base.frame.run.Members {
		p := tracefmt.ProcessID(i + 1)
		processNeeds := g.needAt(k, p, required)
		if processNeeds == nil || !g.matchesAt(k, p) {
			everywhere = false
			continue
		}
		needs = append(needs, processNeeds...)
	}
	// A single need of every process replaces equal needs of each.
	if everywhere {
		needs = needs[:1]
		needs[0].Process = analyze.EveryProcess
	}
	if len(needs) == 0 && k.Info().Process == tracefmt.Optional && g.matchesAt(k, 0) {
		return g.needAt(k, 0, required)
	}
	return needs
}

// needAt returns the need whose missing fact allows an event of the kind, with the required variables, at
// p; nil if all such events are recorded.
func (g *hypothesis) needAt(k tracefmt.Kind, p tracefmt.ProcessID, required []string) []analyze.Need {
	c := g.base.frame.state.Coverage()
	fact := tracefmt.Fact{Kind: k}
	if k == tracefmt.State && len(required) > 0 {
		fact.Variable = required[0]
	}
	if !c.Missing(p, fact, 0, 0) {
		return nil
	}
	if k.AssignsVariables() && len(required) > 0 { // then events of other kinds do not record it either
		fact = tracefmt.StateOf(required[0])
	}
	if k.AssignsVariables() {
		for _, name := range required {
			if v := tracefmt.StateOf(name); !c.Exists(v) || !c.Missing(p, v, 0, 0) {
				return nil
			}
		}
	}
	// A process that never went down cannot recover.
	if k == tracefmt.Recover && !g.base.frame.state.Vocabulary().WentDown(p) &&
		!g.base.frame.missingKind(p, tracefmt.Crash) && !g.base.frame.missingKind(p, tracefmt.Halt) {
		return nil
	}
	return analyze.Needs(p, 0, 0, fact)
}

// maxPeers bounds the processes of a run for which each peer is tried.
const maxPeers = 100

// matchesAt reports whether an event of the kind at p may match.
func (g *hypothesis) matchesAt(k tracefmt.Kind, p tracefmt.ProcessID) bool {
	g.event = tracefmt.Event{Kind: k, Process: p}
	if k.Info().Peer == tracefmt.Absent || len(g.base.frame.run.Members) > maxPeers {
		return g.matchesSomeType()
	}
	for i := range g.base.frame.run.Members {
		g.event.Peer = tracefmt.ProcessID(i + 1)
		if g.event.Peer == p && k.Info().Message != tracefmt.Absent && !g.selfSends {
			continue
		}
		if g.matchesSomeType() {
			return true
		}
	}
	if k.Info().Peer == tracefmt.Optional {
		g.event.Peer = 0
		return g.matchesSomeType()
	}
	return false
}

// matchesSomeType reports whether the event matches with some type that it may have.
func (g *hypothesis) matchesSomeType() bool {
	need := g.event.Kind.Info().Type
	if need == tracefmt.Absent {
		return g.matches()
	}
	// An unrecorded event has a type that events of related kinds have or, if such events may be missing, any type.
	types, known := g.base.frame.state.Vocabulary().Types(g.event.Kind)
	if !known {
		return g.matchesAnyType()
	}
	if need == tracefmt.Optional && !slices.Contains(types, "") {
		types = append(types, "")
	}
	return slices.ContainsFunc(types, func(typ string) bool {
		g.event.Type = typ
		return g.allowed() && g.matches()
	}) || g.possibleNewType() && g.matchesAnyType()
}

// matchesAnyType reports whether the event may match, whatever its type.
func (g *hypothesis) matchesAnyType() bool {
	g.event.Type, g.base.frame.anyType = "", true
	defer func() { g.base.frame.anyType = false }()
	return g.matches()
}

// possibleNewType reports whether the event may have a type that no recorded event has. An arrival, a timeout and
// a return have the type of an earlier event, which may be missing, too.
func (g *hypothesis) possibleNewType() bool {
	switch e := &g.event; e.Kind {
	case tracefmt.Send:
		// In a quiescent run, a message of a new type must have arrived or been lost without a record.
		return !g.end.Quiescent || e.Peer == 0 || g.possibleLoss(e.Peer)
	case tracefmt.Receive, tracefmt.Lose:
		return e.Peer == 0 || g.base.frame.missingKind(e.Peer, tracefmt.Send)
	case tracefmt.CancelTimer, tracefmt.Timeout:
		return g.base.frame.missingKind(e.Process, tracefmt.SetTimer)
	case tracefmt.Return:
		return g.base.frame.missingKind(e.Process, tracefmt.Invoke)
	}
	return true
}

// allowed reports whether the run admits the event. A process sends to itself only in a run that records such messages.
func (g *hypothesis) allowed() bool {
	e, words := &g.event, g.base.frame.state.Vocabulary()
	switch sent, arrives := e.Kind == tracefmt.Send, slices.Contains(arrivals, e.Kind); {
	case e.Peer == 0 || !sent && !arrives:
		return true
	case e.Peer == e.Process && !words.ToItself():
		return false
	case arrives:
		return words.MayArrive(e.Peer, e.Process, e.Type) || g.base.frame.missingKind(e.Peer, tracefmt.Send)
	}
	// An unrecorded send needs an unrecorded arrival or loss if nothing is in flight at the end, unless a recorded
	// arrival lacks its send.
	return !g.end.Quiescent || g.possibleLoss(e.Peer) || !g.sendsShown && words.LacksSends(e.Process, e.Type)
}

// possibleLoss reports whether a message to p may leave no trace in a quiescent run: its arrival or loss may be
// missing, or p went down.
func (g *hypothesis) possibleLoss(p tracefmt.ProcessID) bool {
	return g.base.frame.missingKind(p, tracefmt.Receive) || g.base.frame.missingKind(p, tracefmt.Lose) ||
		g.base.frame.everLive(p) != yes
}

// matches reports whether the event may match: no condition excludes it.
func (g *hypothesis) matches() bool { return g.base.matchesHypothetical(&g.event, g.patterns...) != no }

// matchesHypothetical evaluates patterns for an unrecorded event: whether it matches all.
func (b *base) matchesHypothetical(e *tracefmt.Event, patterns ...*matcher) (result truth) {
	result = yes
	b.frame.evaluateHypothetical(e, func() {
		for _, m := range patterns {
			if !m.kinds.has(e.Kind) {
				result = no
			}
			if !m.complete {
				result = min(result, unknown)
			}
			for _, t := range m.local {
				result = min(result, t(b.frame))
			}
		}
	})
	return result
}

// evaluateHypothetical evaluates with an unrecorded event as the current one.
func (f *frame) evaluateHypothetical(e *tracefmt.Event, evaluate func()) {
	event, missing, refused, unordered := f.event, f.missingField, f.inexact, f.unorderedOperand
	f.event, f.hypothetical = e, true
	evaluate()
	f.event, f.hypothetical = event, false
	f.missingField, f.inexact, f.unorderedOperand = missing, refused, unordered
}

// arrivals are the kinds that show that a message was sent.
var arrivals = []tracefmt.Kind{tracefmt.Receive, tracefmt.Lose}

// shownSend returns the unrecorded send that the current event shows, once for each message; nil if there is
// none.
func (b *base) shownSend() *tracefmt.Event {
	e := b.frame.event
	if b.frame.state.Coverage().Complete() || e.Cause != 0 || !slices.Contains(arrivals, e.Kind) || b.arrived.Get(e.Message) != nil {
		return nil
	}
	b.arrived.Put(e.Message, struct{}{})
	return &tracefmt.Event{Kind: tracefmt.Send, Process: e.Peer, Peer: e.Process, Type: e.Type, Message: e.Message}
}

// noteDoubts records the needs on which it rests that some test is false for the current event. Nil tests are
// skipped.
func (b *base) noteDoubts(r *analyze.Result, tests ...test) {
	if !b.frame.partial() || len(b.program.facts) == 0 {
		return
	}
	tests = slices.DeleteFunc(tests, func(t test) bool { return t == nil })
	r.Lacks(b.frame.doubts(func() { b.frame.evaluateTests(no, tests) })...)
}

// unrecordedTrigger reports whether a fact without which the rule is never examined is missing at all processes.
func (b *base) unrecordedTrigger() bool {
	return slices.ContainsFunc(b.triggers, b.frame.state.Coverage().Nowhere)
}
