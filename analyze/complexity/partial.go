package complexity

import (
	"encoding/json"
	"fmt"
	"slices"

	"etrace/tracefmt"
)

// bound says what the count of what is recorded says of what happened.
type bound uint8

// The bounds. A complete run has exact counts only.
const (
	exact bound = iota
	atLeast
	atMost
	near   // more or less may have been
	untold // none of it is recorded, whatever happened
	unmeasured
)

// bounds are those of the counts of a run that does not tell everything, by the names that
// budgets have for them; nil of all others.
type bounds map[string]bound

// boundNames are the counts that have a bound, with the key that JSON has for them.
var boundNames = []struct{ name, key string }{
	{"events", "events"},
	{"messages", "messages.sent"},
	{"type", "messages.by_type"},
	{"to_itself", "messages.to_itself"},
	{"link", "by_link"},
	{"delivered", "messages.delivered"},
	{"lost", "messages.lost"},
	{"to_crashed", "messages.to_crashed"},
	{"in_flight", "messages.in_flight"},
	{"depth", "causal_depth"},
	{"time", "last_delivery"},
	{"decided", "last_decision"},
	{"suspicions", "suspicions"},
	{"bytes", "messages.bytes"},
	{"bits", "messages.bits"},
}

// record is what may be missing in the record of a run, or wrong.
type record struct {
	run      *tracefmt.Run
	coverage *tracefmt.Coverage
	// guesses: of some arrivals it is not known of which send they are; see [tracefmt.GuessKey].
	guesses bool
}

// whole reports whether there is nothing.
func (r *record) whole() bool { return r.coverage.Complete() && !r.guesses }

// missing reports whether the fact may be missing of some process, or of the run if it happens at none, and
// whether it is told of no process when it happens.
func (r *record) missing(f tracefmt.Fact) (some, all bool) {
	if f.Kind.Info().Process == tracefmt.Absent {
		all = r.coverage.Said(0, f) == tracefmt.None
		return r.coverage.Said(0, f) > tracefmt.All, all
	}
	return saidOfAll(r.run, r.coverage, f)
}

func (r *record) missingKind(k tracefmt.Kind) (some, all bool) {
	return r.missing(tracefmt.Fact{Kind: k})
}

// settles reports whether it is known what was before what, and caused by what, where that rests on
// the facts: none is missing, each arrival belongs to its send, and the events of different processes happened in the
// order that they have. The order of an import is only one of those that may have been.
func (r *record) settles(facts ...tracefmt.Fact) bool {
	exist := slices.DeleteFunc(slices.Clone(facts), func(f tracefmt.Fact) bool { return !r.coverage.Exists(f) })
	return !r.guesses && r.coverage.Whole(exist...) && (!r.run.Imported() || len(r.run.Members) == 1)
}

// copied reports whether a message may have arrived, or been lost, more than once.
func (r *record) copied() bool { return !r.run.States(tracefmt.NoDuplicates) }

// newBounds returns the bounds of the counts of a run that is not whole, by what it says that it tells; lost says
// whether any loss is recorded.
func newBounds(s *Stats, r *record, lost bool) bounds {
	sends, noSends := r.missingKind(tracefmt.Send)
	receives, noReceives := r.missingKind(tracefmt.Receive)
	losses, noLosses := r.missingKind(tracefmt.Lose)
	suspicions, noSuspicions := r.missingKind(tracefmt.Suspect)
	decisions, noDecisions := r.missing(decisionOf(r.run).fact)
	m := s.Messages
	noMessages := noSends && noReceives && m.Sent == 0 && m.Delivered == 0
	// Two arrivals that were taken for those of two messages may be those of two copies of one, or the other way round.
	mixed := r.guesses && r.copied()
	// What was lost may have arrived all the same, as another copy.
	arrived := receives && r.copied() || mixed
	b := bounds{}
	b.set("events", slices.ContainsFunc(tracefmt.Kinds(), func(k tracefmt.Kind) bool { some, _ := r.missingKind(k); return some }), false, false)
	more := sends || m.WithoutSend > 0
	b.set("messages", more, false, noSends && m.Sent == 0)
	b.set("type", more, false, false)
	b.set("link", more, false, false)
	b.set("to_itself", more, false, false)
	b.set("delivered", receives || mixed, mixed, noReceives && m.Delivered == 0)
	b.set("lost", losses || mixed && lost, (arrived || losses && r.copied()) && m.Lost > 0, noLosses && m.Lost == 0)
	b.set("to_crashed", losses || mixed && lost, arrived && m.ToCrashed > 0, noLosses && m.ToCrashed == 0)
	b.set("in_flight", sends || mixed, (receives || losses || mixed) && m.InFlight > 0, noMessages)
	b.set("depth", sends || receives || r.guesses, r.guesses, noMessages)
	b.set("time", receives || mixed, arrived, noReceives && s.LastDelivery == nil)
	b.set("decided", decisions, false, noDecisions && s.LastDecision == nil)
	b.set("suspicions", suspicions, false, noSuspicions && s.Suspicions == 0)
	return b
}

// limit says which counts are bounds, and takes back what is not known.
func (c *Counter) limit(s *Stats) {
	r := c.record()
	if s.whole = r.whole(); s.whole {
		return
	}
	s.bounds = newBounds(s, r, c.lost)
	s.AtLeast, s.AtMost = s.bounds.keys(atLeast, untold), s.bounds.keys(atMost)
	s.NotKnown = s.bounds.keys(near)
	for i := range s.ByProcess {
		s.ByProcess[i].limit(r, tracefmt.ProcessID(i+1))
	}
	for _, p := range c.state.LiveProcesses() {
		if c.state.DoubtfulLeading(p) || c.state.DoubtfulStatus(p) {
			s.Leader = nil
			s.NotKnown = append(s.NotKnown, "leader")
			break
		}
	}
	for _, p := range c.state.LiveProcesses() {
		if name := c.run.ProcessName(p); s.Elected != nil && c.state.Doubtful(p, "elected") {
			s.Elected[name] = json.RawMessage("null")
			s.NotKnown = append(s.NotKnown, "elected."+name)
		}
	}
}

// record is what is known of the record of the run.
func (c *Counter) record() *record { return &record{c.run, c.state.Coverage(), c.guesses} }

func (p *ProcessCount) limit(r *record, process tracefmt.ProcessID) {
	for _, count := range []struct {
		kind  tracefmt.Kind
		key   string
		mixed bool
	}{{tracefmt.Send, "sent", false}, {tracefmt.Receive, "received", r.guesses && r.copied()}} {
		switch {
		case count.mixed:
			p.NotKnown = append(p.NotKnown, count.key)
		case r.coverage.SaidMissing(process, tracefmt.Fact{Kind: count.kind}, 0, 0):
			p.AtLeast = append(p.AtLeast, count.key)
		}
	}
}

// set says whether there may have been more than was counted, or fewer, or whether none was recorded.
func (b bounds) set(name string, more, fewer, none bool) {
	switch {
	case none:
		b[name] = untold
	case more && fewer:
		b[name] = near
	case more:
		b[name] = atLeast
	case fewer:
		b[name] = atMost
	}
}

// keys lists the counts that have one of the bounds, as JSON has them.
func (b bounds) keys(which ...bound) []string {
	var keys []string
	for _, n := range boundNames {
		if is := b[n.name]; is != exact && slices.Contains(which, is) {
			keys = append(keys, n.key)
		}
	}
	return keys
}

// text is a count with what it says of what happened.
func (b bounds) text(name string, count any) string { return b[name].text(count) }

// part is the bound of a count of some of the messages: if it is not settled which these are, more or
// fewer may have been.
func (b bounds) part(name string, unsettled bool) bound {
	if is := b[name]; !unsettled || is == untold || is == unmeasured {
		return is
	}
	return near
}

func (b bound) text(count any) string {
	switch b {
	case untold:
		return "not recorded"
	case unmeasured:
		return "not known"
	}
	return b.words() + fmt.Sprint(count)
}

// words are those before a count, with a space.
func (b bound) words() string {
	switch b {
	case atLeast:
		return "at least "
	case atMost:
		return "at most "
	case near:
		return "about "
	}
	return ""
}
