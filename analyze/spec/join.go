package spec

import (
	"fmt"
	"slices"
	"strings"

	"etrace/tracefmt"
)

// In the rounds of a loop, these columns grow, and those are fresh.
var (
	growing = []string{"seq", "time", "lamport"}
	fresh   = []string{"message", "cause"}
)

// pairing is how the second pattern of a rule is joined to the first. Of each
// pair of events, one is over and kept when the other is at hand.
type pairing struct {
	matcher *matcher // of the second pattern, by its own event alone
	// first and second compute the key that the two events must share.
	first, second keyer
	// texts are the parts of the key as the rule writes them, of both events.
	texts [][2]string
	// keep computes what the rest of the condition needs of the event that is
	// over; rest is nil if the key is all.
	keep []eval
	rest test
	// volatile: the key refers to what never recurs, such as ids of messages.
	volatile bool
	// atHand is the scope in which the rest is asked for, and over that of the other
	// event.
	atHand, over *scope
	// at is the place in the key of the process at which the second event is, -1 where the
	// rule does not say it.
	at int
	// carried: the events are of one message, and nothing more is asked of the second one;
	// byMessage: they are of one message, so that the second is at the peer of the first.
	carried, byMessage bool
}

// unnamed is in the name of a later pattern's event where the rule gives none and e
// is taken.
const unnamed = " event of the rule"

// join compiles the second pattern of a rule. keepsFirst: it is the event of
// the first pattern that is over when that of the second is at hand.
func (s *scope) join(first *scope, p *pattern, keepsFirst bool) (*pairing, error) {
	second, err := s.second(first, p)
	if err != nil {
		return nil, err
	}
	conditions, err := second.conditions(p)
	if err != nil {
		return nil, err
	}
	j, mark := &pairing{at: -1, carried: true}, len(s.program.reads)
	var own, rest []*node
	for _, n := range conditions {
		second.qualify(n)
		if !n.refersTo(first.passed()...) {
			j.carried = false
			own = append(own, n)
			continue
		}
		ends := sameMessage(first, second, n)
		j.carried = j.carried && ends != ""
		j.byMessage = j.byMessage || ends == "message"
		joined, err := j.addKey(first, second, n)
		if err != nil {
			return nil, err
		}
		if !joined {
			rest = append(rest, n)
		}
	}
	j.matcher, err = second.matcherOf(p, own)
	if err != nil {
		return nil, err
	}
	over, atHand := *first, *second
	if !keepsFirst {
		over, atHand = *second, *first
	}
	j.byMessage = j.byMessage && between(first.kinds, second.kinds)
	j.carried = j.carried && j.byMessage
	atHand.other, atHand.otherScope, atHand.keep = over.own, &over, &j.keep
	j.atHand, j.over = &atHand, &over
	j.rest, err = atHand.all(rest)
	j.matcher.relied = relied{second.matchedBy(conditions), s.program.since(mark)}
	j.matcher.required = second.required(conditions)
	return j, err
}

// ends are fields that a send and what arrives of it have in common.
var ends = map[string]string{"message": "message", "process": "peer", "peer": "process", "type": "type"}

// sameMessage returns the field of the first event in a condition that is true of a send and
// what arrives of it, "" for any other.
func sameMessage(first, second *scope, n *node) string {
	if n.op != "==" || n.kids[0].op != "field" || n.kids[1].op != "field" || len(n.kids[0].path)+len(n.kids[1].path) > 0 {
		return ""
	}
	a, b := n.kids[0], n.kids[1]
	if a.event == second.own {
		a, b = b, a
	}
	if a.event != first.own || b.event != second.own || ends[a.name] != b.name {
		return ""
	}
	return a.name
}

// between reports whether the kinds are of sends and of what arrives of them.
func between(first, second []tracefmt.Kind) bool {
	sends, arrives := setOf([]tracefmt.Kind{tracefmt.Send}), setOf(arrivals)
	a, b := setOf(first), setOf(second)
	return a == sends && b&^arrives == 0 || b == sends && a&^arrives == 0
}

// second returns the scope of the second pattern.
func (s *scope) second(first *scope, p *pattern) (*scope, error) {
	second, err := s.of(p)
	switch {
	case err != nil:
		return nil, err
	case !slices.Contains(first.passed(), second.own):
	case p.Name != "":
		return nil, errorf(p.Pos, "both events are named %s, expected two names", p.Name)
	default:
		second.own = fmt.Sprintf("%d.%s", len(first.passed())+1, unnamed)
	}
	second.firsts = slices.Concat(first.passed(), first.firsts)
	return second, nil
}

// qualify gives the fields of a condition that are alone the name of their
// event.
func (s *scope) qualify(n *node) {
	bound := map[string]bool{"n": true}
	for _, name := range s.known() {
		bound[name] = true
	}
	n.qualify(s.own, bound)
}

func (n *node) qualify(event string, bound map[string]bool) {
	if (n.op == "field" && !bound[n.name] || n.op == "has") && n.event == "" {
		n.event = event
	}
	if n.op == "forall" || n.op == "exists" {
		was := bound[n.name]
		bound[n.name] = true
		defer func() { bound[n.name] = was }()
	}
	for _, k := range n.kids {
		k.qualify(event, bound)
	}
}

// refersTo reports whether a condition refers to one of the events of these names.
func (n *node) refersTo(events ...string) (refers bool) {
	n.walk(func(n *node) { refers = refers || n.event != "" && slices.Contains(events, n.event) })
	return refers
}

// ofOwn is a value of the pattern's own event in words, as a later pattern names it.
func (s *scope) ofOwn(n *node) string {
	if n.op != "field" {
		return n.String()
	}
	return s.own + "." + strings.TrimPrefix(n.String(), s.own+".")
}

// place is the process at which the second event is, by the key, 0 where the rule does not
// say it.
func (j *pairing) place(f *frame, k key) tracefmt.ProcessID {
	if j.at < 0 || j.at == len(k)-1 && len(j.first) > len(k) {
		return 0
	}
	return f.process(k[j.at])
}

// addKey makes a part of the key of an equality whose sides refer to one event
// each.
func (j *pairing) addKey(first, second *scope, n *node) (joined bool, err error) {
	if n.op != "==" {
		return false, nil
	}
	a, b := n.kids[0], n.kids[1]
	if b.refersTo(first.passed()...) {
		a, b = b, a
	}
	if a.refersTo(second.own) || b.refersTo(first.passed()...) || !b.refersTo(second.own) {
		return false, nil
	}
	x, err := first.value(a)
	if err != nil {
		return false, err
	}
	y, err := second.value(b)
	n.walk(func(n *node) {
		j.volatile = j.volatile || n.op == "field" && (slices.Contains(growing, n.name) || slices.Contains(fresh, n.name))
	})
	if b.op == "field" && b.name == "process" && b.event == second.own && len(j.first) < len(key{}) {
		j.at = len(j.first)
	}
	j.first, j.second, j.texts = append(j.first, x), append(j.second, y), append(j.texts, [2]string{a.String(), second.ofOwn(b)})
	return true, err
}
