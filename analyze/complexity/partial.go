package complexity

import (
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

// newBounds returns the bounds of counts, by what the run says that it tells.
func newBounds(s *Stats, run *tracefmt.Run, c *tracefmt.Coverage) bounds {
	if c.Complete() {
		return nil
	}
	missing := func(f tracefmt.Fact) (some, all bool) { return saidOfAll(run, c, f) }
	kind := func(k tracefmt.Kind) (some, all bool) { return missing(tracefmt.Fact{Kind: k}) }
	sends, noSends := kind(tracefmt.Send)
	receives, noReceives := kind(tracefmt.Receive)
	losses, noLosses := kind(tracefmt.Lose)
	suspicions, noSuspicions := kind(tracefmt.Suspect)
	decisions, noDecisions := missing(tracefmt.StateOf("elected"))
	m := s.Messages
	b := bounds{}
	b.set("events", slices.ContainsFunc(tracefmt.Kinds(), func(k tracefmt.Kind) bool { some, _ := kind(k); return some }), false)
	b.set("messages", sends || m.WithoutSend > 0, noSends && m.Sent == 0)
	b.set("type", sends || m.WithoutSend > 0, false)
	b.set("delivered", receives, noReceives && m.Delivered == 0)
	b.set("lost", losses, noLosses && m.Lost == 0)
	b.set("to_crashed", losses, noLosses && m.ToCrashed == 0)
	noMessages := noSends && noReceives && m.Sent == 0 && m.Delivered == 0
	b.set("depth", sends || receives, noMessages)
	b.set("time", receives, noReceives && s.LastDelivery == nil)
	b.set("decided", decisions, noDecisions && s.LastDecision == nil)
	b.set("suspicions", suspicions, noSuspicions && s.Suspicions == 0)
	switch fewer := (receives || losses) && m.InFlight > 0; {
	case noMessages:
		b["in_flight"] = untold
	case sends && fewer:
		b["in_flight"] = near
	case sends:
		b["in_flight"] = atLeast
	case fewer:
		b["in_flight"] = atMost
	}
	return b
}

func (b bounds) set(name string, more, none bool) {
	switch {
	case none:
		b[name] = untold
	case more:
		b[name] = atLeast
	}
}

// keys lists the counts that have one of the bounds, as JSON has them.
func (b bounds) keys(which ...bound) []string {
	var keys []string
	for _, n := range boundNames {
		for _, is := range which {
			if is != exact && b[n.name] == is {
				keys = append(keys, n.key)
			}
		}
	}
	return keys
}

// text is a count with what it says of what happened.
func (b bounds) text(name string, count any) string {
	switch b[name] {
	case atLeast:
		return fmt.Sprintf("at least %v", count)
	case atMost:
		return fmt.Sprintf("at most %v", count)
	case near:
		return fmt.Sprintf("%v, as far as is recorded", count)
	case untold:
		return "not recorded"
	case unmeasured:
		return "not known"
	}
	return fmt.Sprint(count)
}
