package spec

import (
	"fmt"
	"slices"
	"strings"

	"etrace/tracefmt"
)

// growing are columns that increase from round to round of a loop, fresh are columns with new values in each
// round.
var (
	growing = []string{"seq", "time", "lamport"}
	fresh   = []string{"message", "cause"}
)

// pairing joins the second pattern of a rule to the first. Of each pair of events, one is the current event and the
// other one is an earlier event, whose values are kept.
type pairing struct {
	matcher *matcher // the second pattern, with the conditions on its own event
	// first and second compute the key that the two events must share.
	first, second keyer
	// texts are the parts of the key as written in the rule, for both events.
	texts [][2]string
	// keep computes the values of the earlier event that the other conditions read; condition is nil if the key is
	// the only condition.
	keep      []eval
	condition test
	// volatile is set if the key contains what never recurs, such as ids of messages.
	volatile bool
	// currentScope is the scope of the current event, and earlierScope that of the earlier event.
	currentScope, earlierScope *scope
	// processPlace is the place in the key of the second event's process, -1 if the key does not contain it.
	processPlace int
	// carried is set if the events are of one message, and no other condition applies to the second event. byMessage
	// is set if they are of one message, so that the second event is at the peer of the first.
	carried, byMessage bool
}

// unnamed is part of the internal name of a later pattern's event, if the rule does not name it and e is taken.
const unnamed = " event of the rule"

// join compiles the second pattern of a rule. With keepsFirst, the event of the first pattern is the earlier one,
// whose values are kept.
func (s *scope) join(first *scope, p *pattern, keepsFirst bool) (*pairing, error) {
	second, err := s.secondScope(first, p)
	if err != nil {
		return nil, err
	}
	conditions, err := second.conditions(p)
	if err != nil {
		return nil, err
	}
	j, mark := &pairing{processPlace: -1, carried: true}, len(s.program.facts)
	var ownConditions, joint []*node
	// Conditions on the own event go to the matcher, equalities of both events to the key, and the others to the
	// joint condition, which is evaluated for each pair.
	for _, n := range conditions {
		second.qualify(n)
		if !n.refersTo(first.eventNames()...) {
			j.carried = false
			ownConditions = append(ownConditions, n)
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
			joint = append(joint, n)
		}
	}
	j.matcher, err = second.matcherOf(p, ownConditions)
	if err != nil {
		return nil, err
	}
	earlier, current := *first, *second
	if !keepsFirst {
		earlier, current = *second, *first
	}
	j.byMessage = j.byMessage && areSendAndArrival(first.kinds, second.kinds)
	j.carried = j.carried && j.byMessage
	current.otherEvent, current.otherScope, current.keep = earlier.event, &earlier, &j.keep
	j.currentScope, j.earlierScope = &current, &earlier
	j.condition, err = current.conjunctionTest(joint)
	j.matcher.relied = relied{second.matchedBy(conditions), s.program.factsSince(mark)}
	j.matcher.required = second.requiredFields(conditions)
	return j, err
}

// messageFields maps a field of a send or arrival to the equal field of the other one.
var messageFields = map[string]string{"message": "message", "process": "peer", "peer": "process", "type": "type"}

// sameMessage returns the field of the first event in an equality that holds for a send and its arrival; "" for
// any other condition.
func sameMessage(first, second *scope, n *node) string {
	if n.op != "==" || n.operands[0].op != "field" || n.operands[1].op != "field" ||
		len(n.operands[0].path)+len(n.operands[1].path) > 0 {
		return ""
	}
	a, b := n.operands[0], n.operands[1]
	if a.event == second.event {
		a, b = b, a
	}
	if a.event != first.event || b.event != second.event || messageFields[a.name] != b.name {
		return ""
	}
	return a.name
}

// areSendAndArrival reports whether the kinds are those of sends and of their arrivals.
func areSendAndArrival(first, second []tracefmt.Kind) bool {
	sends, arrives := setOf([]tracefmt.Kind{tracefmt.Send}), setOf(arrivals)
	a, b := setOf(first), setOf(second)
	return a == sends && b&^arrives == 0 || b == sends && a&^arrives == 0
}

// secondScope returns the scope of the second pattern.
func (s *scope) secondScope(first *scope, p *pattern) (*scope, error) {
	second, err := s.scopeOf(p)
	switch {
	case err != nil:
		return nil, err
	// The name is free.
	case !slices.Contains(first.eventNames(), second.event):
	case p.Name != "":
		return nil, errorf(p.Pos, "both events are named %s, expected two names", p.Name)
	default:
		second.event = fmt.Sprintf("%d.%s", len(first.eventNames())+1, unnamed)
	}
	second.earlierEvents = slices.Concat(first.eventNames(), first.earlierEvents)
	return second, nil
}

// qualify adds the event's name to the fields of a condition that have none.
func (s *scope) qualify(n *node) {
	bound := map[string]bool{"n": true}
	for _, name := range s.knownNames() {
		bound[name] = true
	}
	n.qualify(s.event, bound)
}

// qualify adds the event's name to the fields without one. Variables of enclosing quantifiers, in bound, are no
// fields.
func (n *node) qualify(event string, bound map[string]bool) {
	if (n.op == "field" && !bound[n.name] || n.op == "has") && n.event == "" {
		n.event = event
	}
	if n.op == "forall" || n.op == "exists" {
		// The name is bound in the body of the quantifier only.
		was := bound[n.name]
		bound[n.name] = true
		defer func() { bound[n.name] = was }()
	}
	for _, k := range n.operands {
		k.qualify(event, bound)
	}
}

// refersTo reports whether a condition refers to one of the named events.
func (n *node) refersTo(events ...string) (refers bool) {
	n.walk(func(n *node) { refers = refers || n.event != "" && slices.Contains(events, n.event) })
	return refers
}

// ownValue returns a value of the pattern's own event as a later pattern writes it.
func (s *scope) ownValue(n *node) string {
	if n.op != "field" {
		return n.String()
	}
	return s.event + "." + strings.TrimPrefix(n.String(), s.event+".")
}

// processOf returns the process of the second event by the key, 0 if the key does not contain it.
func (j *pairing) processOf(f *frame, k key) tracefmt.ProcessID {
	if j.processPlace < 0 || j.processPlace == len(k)-1 && len(j.first) > len(k) {
		return 0
	}
	return f.process(k[j.processPlace])
}

// addKey adds a part to the key for an equality between the two events. joined is false for any other condition.
func (j *pairing) addKey(first, second *scope, n *node) (joined bool, err error) {
	if n.op != "==" {
		return false, nil
	}
	a, b := n.operands[0], n.operands[1]
	// Order the sides: a is about an earlier event, b about the second one.
	if b.refersTo(first.eventNames()...) {
		a, b = b, a
	}
	if a.refersTo(second.event) || b.refersTo(first.eventNames()...) || !b.refersTo(second.event) {
		return false, nil
	}
	x, err := first.value(a)
	if err != nil {
		return false, err
	}
	y, err := second.value(b)
	n.walk(func(n *node) {
		j.volatile = j.volatile || n.op == "field" && (slices.Contains(growing, n.name) ||
			slices.Contains(fresh, n.name))
	})
	// The key has the process of the second event, unless this part of the key is folded.
	if b.op == "field" && b.name == "process" && b.event == second.event && len(j.first) < len(key{}) {
		j.processPlace = len(j.first)
	}
	j.first, j.second, j.texts = append(j.first, x), append(j.second, y),
		append(j.texts, [2]string{a.String(), second.ownValue(b)})
	return true, err
}
