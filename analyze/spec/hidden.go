package spec

import (
	"slices"

	"etrace/analyze"
	"etrace/tracefmt"
)

// What follows is about events that may have happened without being recorded: whether one
// could match a pattern. Of such an event the kind, the process, the peer and the type are
// supposed, each that there may be; all else of it may be anything, and so may the state of
// the processes where the rule asks for it.

// supposing is what a pattern demands of an event that is not recorded.
type supposing struct {
	// local are those of its conditions that are about the event alone.
	local []test
	// ofProcess, ofPeer and ofType: these ask for the process, the peer and the type.
	ofProcess, ofPeer, ofType bool
	// whole: it has no other conditions.
	whole bool
	// required are the variables that it must assign.
	required []string
}

// supposing compiles the conditions that can be asked of an event that is only supposed.
func (s *scope) supposing(conditions []*node) (supposing, error) {
	own := supposing{required: s.required(conditions)}
	inner := *s
	texts := len(s.program.texts)
	inner.asked = nil
	for _, n := range conditions {
		if !inner.supposable(n) {
			continue
		}
		t, err := inner.test(n)
		if err != nil {
			return own, err
		}
		own.local = append(own.local, t)
		n.walk(func(n *node) {
			own.ofProcess = own.ofProcess || n.op == "field" && n.name == "process"
			own.ofPeer = own.ofPeer || n.op == "field" && n.name == "peer"
			own.ofType = own.ofType || n.op == "field" && n.name == "type"
		})
	}
	s.program.texts = s.program.texts[:texts]
	own.whole = len(own.local) == len(conditions)
	return own, nil
}

// supposable reports whether a condition asks for nothing but the event, and for who is
// live.
func (s *scope) supposable(n *node) bool {
	local := true
	n.walk(func(n *node) {
		switch n.op {
		case "call":
			_, fluent, _ := s.fluent(n.name) // an error shows where it is compiled
			local = local && !fluent && (n.name == "live" && len(n.kids) == 1 ||
				slices.Contains([]string{"matches", "len", "nobody", "participant"}, n.name))
		case "field":
			_, fluent, _ := s.fluent(n.name)
			local = local && !(fluent && n.event == "")
		case "forall", "exists", "compiled":
			local = false
		}
	})
	return local
}

// everLive says of the whole run whether a process was up.
func (f *frame) everLive(p tracefmt.ProcessID) truth {
	if f.state.Vocabulary().WentDown(p) || f.mayMiss(p, tracefmt.Crash) || f.mayMiss(p, tracefmt.Halt) {
		return unknown
	}
	return yes
}

// mayMiss reports whether events of a kind may be missing anywhere.
func (f *frame) mayMiss(p tracefmt.ProcessID, k tracefmt.Kind) bool {
	return f.state.Coverage().Missing(p, tracefmt.Fact{Kind: k}, 0, 0)
}

// possible returns what must have happened without being recorded if an event that matches all
// of the patterns did; nothing if there can be none. It is for the end of a run.
func (b *base) possible(end analyze.Ending, patterns ...*matcher) []analyze.Need {
	return b.possibleOf(nil, end, patterns...)
}

// possibleOf is possible of events that assign variables, too, which are named.
func (b *base) possibleOf(required []string, end analyze.Ending, patterns ...*matcher) (needs []analyze.Need) {
	kinds := patterns[0].kinds
	for _, m := range patterns {
		kinds &= m.kinds
		required = append(required, m.required...)
	}
	g := guess{base: b, patterns: patterns, end: end, shows: b.looksAtShown}
	g.selfs = b.frame.state.Vocabulary().ToItself()
	needs = g.ofKinds(kinds, required)
	if len(needs) > 0 && !g.selfs {
		g.selfs = true // what is needed may show that there are such
		needs = g.ofKinds(kinds, required)
	}
	return needs
}

// guess supposes events.
type guess struct {
	base     *base
	patterns []*matcher
	end      analyze.Ending
	shows    bool // the sends that arrivals show were looked at
	selfs    bool // processes send to themselves: in a run that has no such message, none is hidden
	event    tracefmt.Event
}

// ofKinds are the processes at which an event of one of the kinds may have happened that matches.
func (g *guess) ofKinds(kinds kindSet, required []string) (needs []analyze.Need) {
	for _, k := range tracefmt.Kinds() {
		if kinds.has(k) {
			needs = append(needs, g.ofKind(k, required)...)
		}
	}
	return distinctNeeds(needs)
}

// ofKind are the processes at which an event of the kind may have happened that matches.
func (g *guess) ofKind(k tracefmt.Kind, required []string) []analyze.Need {
	if k.Info().Process == tracefmt.Absent {
		return g.untoldAt(k, 0, required)
	}
	everywhere := len(g.base.frame.run.Members) > 1
	var all []analyze.Need
	for i := range g.base.frame.run.Members {
		p := tracefmt.ProcessID(i + 1)
		at := g.untoldAt(k, p, required)
		if at == nil || !g.at(k, p) {
			everywhere = false
			continue
		}
		all = append(all, at...)
	}
	if everywhere {
		all = all[:1]
		all[0].Process = analyze.EveryProcess
	}
	if len(all) == 0 && k.Info().Process == tracefmt.Optional && g.at(k, 0) {
		return g.untoldAt(k, 0, required)
	}
	return all
}

// untoldAt is the fact for want of which an event of the kind that assigns the variables may
// have happened at p, nothing if all such are told.
func (g *guess) untoldAt(k tracefmt.Kind, p tracefmt.ProcessID, required []string) []analyze.Need {
	c := g.base.frame.state.Coverage()
	fact := tracefmt.Fact{Kind: k}
	if k == tracefmt.State && len(required) > 0 {
		fact.Variable = required[0]
	}
	if !c.Missing(p, fact, 0, 0) {
		return nil
	}
	if k.AssignsVariables() && len(required) > 0 { // which is then not told in events of other kinds either
		fact = tracefmt.StateOf(required[0])
	}
	if k.AssignsVariables() {
		for _, name := range required {
			if v := tracefmt.StateOf(name); !c.Exists(v) || !c.Missing(p, v, 0, 0) {
				return nil
			}
		}
	}
	if k == tracefmt.Recover && !g.base.frame.state.Vocabulary().WentDown(p) &&
		!g.base.frame.mayMiss(p, tracefmt.Crash) && !g.base.frame.mayMiss(p, tracefmt.Halt) {
		return nil
	}
	return analyze.Needs(p, 0, 0, fact)
}

// mostPeers is how many processes a run may have of which each peer is supposed.
const mostPeers = 100

// at reports whether an event of the kind at p may match.
func (g *guess) at(k tracefmt.Kind, p tracefmt.ProcessID) bool {
	g.event = tracefmt.Event{Kind: k, Process: p}
	if k.Info().Peer == tracefmt.Absent || len(g.base.frame.run.Members) > mostPeers {
		return g.ofTypes()
	}
	for i := range g.base.frame.run.Members {
		g.event.Peer = tracefmt.ProcessID(i + 1)
		if g.event.Peer == p && k.Info().Message != tracefmt.Absent && !g.selfs {
			continue
		}
		if g.ofTypes() {
			return true
		}
	}
	if k.Info().Peer == tracefmt.Optional {
		g.event.Peer = 0
		return g.ofTypes()
	}
	return false
}

// ofTypes reports whether the event matches, with some type that it may have.
func (g *guess) ofTypes() bool {
	need := g.event.Kind.Info().Type
	if need == tracefmt.Absent {
		return g.matches()
	}
	types, known := g.base.frame.state.Vocabulary().Types(g.event.Kind)
	if !known {
		return g.ofAnyType()
	}
	if need == tracefmt.Optional && !slices.Contains(types, "") {
		types = append(types, "")
	}
	return slices.ContainsFunc(types, func(typ string) bool {
		g.event.Type = typ
		return g.happens() && g.matches()
	}) || g.mayBeNew() && g.ofAnyType()
}

// ofAnyType reports whether the event matches, whatever its type.
func (g *guess) ofAnyType() bool {
	g.event.Type, g.base.frame.anyType = "", true
	defer func() { g.base.frame.anyType = false }()
	return g.matches()
}

// mayBeNew reports whether the event may have a type that no recorded one has: what arrives,
// expires or returns has that of what may be missing, too.
func (g *guess) mayBeNew() bool {
	switch e := &g.event; e.Kind {
	case tracefmt.Send:
		return !g.end.Quiescent || e.Peer == 0 || g.mayVanish(e.Peer)
	case tracefmt.Receive, tracefmt.Lose:
		return e.Peer == 0 || g.base.frame.mayMiss(e.Peer, tracefmt.Send)
	case tracefmt.CancelTimer, tracefmt.Timeout:
		return g.base.frame.mayMiss(e.Process, tracefmt.SetTimer)
	case tracefmt.Return:
		return g.base.frame.mayMiss(e.Process, tracefmt.Invoke)
	}
	return true
}

// happens reports whether the run allows of the event. To itself a process sends only in a
// run that has such messages.
func (g *guess) happens() bool {
	e, words := &g.event, g.base.frame.state.Vocabulary()
	switch sent, arrives := e.Kind == tracefmt.Send, slices.Contains(arrivals, e.Kind); {
	case e.Peer == 0 || !sent && !arrives:
		return true
	case e.Peer == e.Process && !words.ToItself():
		return false
	case arrives:
		return words.MayArrive(e.Peer, e.Process, e.Type) || g.base.frame.mayMiss(e.Peer, tracefmt.Send)
	}
	return !g.end.Quiescent || g.mayVanish(e.Peer) || !g.shows && words.LacksSends(e.Process, e.Type)
}

// mayVanish reports whether a message to p may not be heard of again in a run that came to
// rest: if its arrival or loss may be missing, or p went down.
func (g *guess) mayVanish(p tracefmt.ProcessID) bool {
	return g.base.frame.mayMiss(p, tracefmt.Receive) || g.base.frame.mayMiss(p, tracefmt.Lose) || g.base.frame.everLive(p) != yes
}

// matches reports whether no condition excludes the event.
func (g *guess) matches() bool { return g.base.supposes(&g.event, g.patterns...) != no }

// supposes evaluates patterns of an event that is not recorded: whether it matches all.
func (b *base) supposes(e *tracefmt.Event, patterns ...*matcher) (result truth) {
	result = yes
	b.frame.suppose(e, func() {
		for _, m := range patterns {
			if !m.kinds.has(e.Kind) {
				result = no
			}
			if !m.whole {
				result = min(result, unknown)
			}
			for _, t := range m.local {
				result = min(result, t(b.frame))
			}
		}
	})
	return result
}

// suppose has an event at hand that is not recorded.
func (f *frame) suppose(e *tracefmt.Event, evaluate func()) {
	event, missing, refused, unordered := f.event, f.missing, f.refused, f.unordered
	f.event, f.supposed = e, true
	evaluate()
	f.event, f.supposed = event, false
	f.missing, f.refused, f.unordered = missing, refused, unordered
}

// arrivals show that a message was sent.
var arrivals = []tracefmt.Kind{tracefmt.Receive, tracefmt.Lose}

// shownSend returns the send that the event at hand shows to have happened without being
// recorded, once of each message; nil for none.
func (b *base) shownSend() *tracefmt.Event {
	e := b.frame.event
	if b.frame.state.Coverage().Complete() || e.Cause != 0 || !slices.Contains(arrivals, e.Kind) || b.arrived.Get(e.Message) != nil {
		return nil
	}
	b.arrived.Put(e.Message, struct{}{})
	return &tracefmt.Event{Kind: tracefmt.Send, Process: e.Peer, Peer: e.Process, Type: e.Type, Message: e.Message}
}

// restOn states on what it rests that the event at hand is not one for which all the tests are
// true, which may be nil.
func (b *base) restOn(r *analyze.Result, tests ...test) {
	if !b.frame.partial() || len(b.program.reads) == 0 {
		return
	}
	tests = slices.DeleteFunc(tests, func(t test) bool { return t == nil })
	r.Lacks(b.frame.doubts(func() { b.frame.decided(no, tests) })...)
}

// unheard reports whether the recording has nothing, of any process, of a fact without which
// the rule has nothing to say.
func (b *base) unheard() bool {
	return slices.ContainsFunc(b.triggers, b.frame.state.Coverage().Nowhere)
}
