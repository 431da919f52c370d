package complexity

import (
	"encoding/json"
	"fmt"
	"slices"

	"etrace/tracefmt"
)

// bound is the relation of a recorded count to the true count.
type bound uint8

// The bounds. A complete recording has exact counts only.
const (
	exact bound = iota
	atLeast
	atMost
	near        // the true count may be higher or lower
	notRecorded // no event of this kind is recorded
	unmeasured  // nothing can measure the count
)

// bounds holds the bounds of the counts of a partial recording, by their names in budgets. It is nil for a
// complete recording.
type bounds map[string]bound

// boundNames are the counts that have a bound, with their JSON keys.
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

// record describes the gaps and inferences in the record of a run.
type record struct {
	run      *tracefmt.Run
	coverage *tracefmt.Coverage
	// inferred: some arrivals were matched to their sends by inference; see [tracefmt.GuessKey].
	inferred bool
}

// complete reports whether nothing is missing or inferred.
func (r *record) complete() bool { return r.coverage.Complete() && !r.inferred }

// missing reports whether the fact may be missing at some process, or in the run if it has no process, and
// whether it is unrecorded at all processes.
func (r *record) missing(f tracefmt.Fact) (some, all bool) {
	if f.Kind.Info().Process == tracefmt.Absent {
		all = r.coverage.Declared(0, f) == tracefmt.None
		return r.coverage.Declared(0, f) > tracefmt.All, all
	}
	return declaredMissing(r.run, r.coverage, f)
}

// missingKind is missing for events of a kind.
func (r *record) missingKind(k tracefmt.Kind) (some, all bool) {
	return r.missing(tracefmt.Fact{Kind: k})
}

// determinesOrder reports whether the facts determine the order and the causes of the events. None of the facts may
// be missing, and each arrival must be matched to its send. The recorded order of events at different
// processes must be the true one, but the order of an import is only one of the possible orders.
func (r *record) determinesOrder(facts ...tracefmt.Fact) bool {
	exist := slices.DeleteFunc(slices.Clone(facts), func(f tracefmt.Fact) bool { return !r.coverage.Exists(f) })
	return !r.inferred && r.coverage.Whole(exist...) && (!r.run.Imported() || len(r.run.Members) == 1)
}

// copied reports whether a message may arrive, or be lost, more than once.
func (r *record) copied() bool { return !r.run.States(tracefmt.NoDuplicates) }

// newBounds returns the bounds of the counts of a partial recording; lost is true if a loss is recorded. They
// follow from the kinds of events that may be missing.
func newBounds(s *Stats, r *record, lost bool) bounds {
	sends, noSends := r.missingKind(tracefmt.Send)
	receives, noReceives := r.missingKind(tracefmt.Receive)
	losses, noLosses := r.missingKind(tracefmt.Lose)
	suspicions, noSuspicions := r.missingKind(tracefmt.Suspect)
	decisions, noDecisions := r.missing(decisionOf(r.run).fact)
	m := s.Messages
	noMessages := noSends && noReceives && m.Sent == 0 && m.Delivered == 0
	// Two arrivals that were matched to two messages may be copies of one message, or the other way round.
	mixed := r.inferred && r.copied()
	// A lost message may have arrived as another copy.
	arrived := receives && r.copied() || mixed
	b := bounds{}
	b.set("events", slices.ContainsFunc(tracefmt.Kinds(), func(k tracefmt.Kind) bool {
		some, _ := r.missingKind(k)
		return some
	}), false, false)
	more := sends || m.WithoutSend > 0
	b.set("messages", more, false, noSends && m.Sent == 0)
	b.set("type", more, false, false)
	b.set("link", more, false, false)
	b.set("to_itself", more, false, false)
	b.set("delivered", receives || mixed, mixed, noReceives && m.Delivered == 0)
	b.set("lost", losses || mixed && lost, (arrived || losses && r.copied()) && m.Lost > 0, noLosses && m.Lost == 0)
	b.set("to_crashed", losses || mixed && lost, arrived && m.ToCrashed > 0, noLosses && m.ToCrashed == 0)
	b.set("in_flight", sends || mixed, (receives || losses || mixed) && m.InFlight > 0, noMessages)
	b.set("depth", sends || receives || r.inferred, r.inferred, noMessages)
	b.set("time", receives || mixed, arrived, noReceives && s.LastDelivery == nil)
	b.set("decided", decisions, false, noDecisions && s.LastDecision == nil)
	b.set("suspicions", suspicions, false, noSuspicions && s.Suspicions == 0)
	return b
}

// limit lists the counts that are bounds in a partial recording, and removes values that are unknown.
func (c *Counter) limit(s *Stats) {
	r := c.record()
	s.complete = r.complete()
	if s.complete {
		return
	}
	s.bounds = newBounds(s, r, c.lost)
	s.AtLeast, s.AtMost = s.bounds.keys(atLeast, notRecorded), s.bounds.keys(atMost)
	s.NotKnown = s.bounds.keys(near)
	for i := range s.ByProcess {
		s.ByProcess[i].limit(r, tracefmt.ProcessID(i+1))
	}
	// One uncertain process is enough to make the common leader uncertain.
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

// record returns the gaps and inferences in the record of the run.
func (c *Counter) record() *record { return &record{c.run, c.state.Coverage(), c.inferred} }

// limit marks the counts of a process that are bounds.
func (p *ProcessCount) limit(r *record, process tracefmt.ProcessID) {
	for _, count := range []struct {
		kind  tracefmt.Kind
		key   string
		mixed bool
	}{{tracefmt.Send, "sent", false}, {tracefmt.Receive, "received", r.inferred && r.copied()}} {
		switch {
		case count.mixed:
			p.NotKnown = append(p.NotKnown, count.key)
		case r.coverage.DeclaredMissing(process, tracefmt.Fact{Kind: count.kind}, 0, 0):
			p.AtLeast = append(p.AtLeast, count.key)
		}
	}
}

// set sets a bound: more, the true count may be higher; fewer, it may be lower; none, no event of this kind is
// recorded.
func (b bounds) set(name string, more, fewer, unrecorded bool) {
	switch {
	case unrecorded:
		b[name] = notRecorded
	case more && fewer:
		b[name] = near
	case more:
		b[name] = atLeast
	case fewer:
		b[name] = atMost
	}
}

// keys lists the JSON keys of the counts with one of the given bounds.
func (b bounds) keys(kinds ...bound) []string {
	var keys []string
	for _, n := range boundNames {
		if found := b[n.name]; found != exact && slices.Contains(kinds, found) {
			keys = append(keys, n.key)
		}
	}
	return keys
}

// text returns a count with its bound in words.
func (b bounds) text(name string, count any) string { return b[name].text(count) }

// part returns the bound of a count of some of the messages. If it is not settled which messages belong to the
// part, the true count may be higher or lower.
func (b bounds) part(name string, unsettled bool) bound {
	if found := b[name]; !unsettled || found == notRecorded || found == unmeasured {
		return found
	}
	return near
}

// text returns a count with its bound: "at least 3", "not recorded".
func (b bound) text(count any) string {
	switch b {
	case notRecorded:
		return "not recorded"
	case unmeasured:
		return "not known"
	}
	return b.words() + fmt.Sprint(count)
}

// words returns the words before a count, followed by a space.
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
