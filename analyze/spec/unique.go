package spec

import (
	"fmt"
	"iter"
	"slices"
	"strings"

	"etrace/analyze"
	"etrace/replay"
	"etrace/tracefmt"
)

// compile compiles "unique X per K over P": all events of P with the same K have the same X; "among different Y"
// compares only events of different Y. "monotone X per K over P": among events with the same K, X never falls.
func (form *uniqueForm) compile(c *compiler) (*plan, error) {
	patternScope, err := c.scope.scopeOf(form.Over)
	if err != nil {
		return nil, err
	}
	m := uniqueMonitor{monotone: form.Word == "monotone"}
	if m.monotone && len(form.Of) > 1 {
		return nil, errorf(form.Pos, "monotone takes one value, not %d", len(form.Of))
	}
	m.pattern, err = c.scope.matcher(form.Over)
	if err != nil {
		return nil, err
	}
	m.value, m.valueText, err = patternScope.keyOf(form.Of)
	if err != nil {
		return nil, err
	}
	m.among, _, err = patternScope.keyOf(form.Among)
	if err != nil {
		return nil, err
	}
	if m.monotone && m.among != nil {
		return nil, errorf(form.Pos, "among belongs to: unique")
	}
	m.per, m.perText, err = patternScope.groupsOf(form.Per)
	if err != nil {
		return nil, err
	}
	m.valueIsTerm, m.perProcess = patternScope.isField(m.valueText, termField),
		patternScope.isField(m.perText, "process")
	reads := c.scope.program.factsSince(0)
	return &plan{
		split: keyed(m.perText, side{kinds: m.pattern.kinds, matches: m.pattern.matches, key: m.per, allEvents: true}),
		kind:  analyze.Safety, needs: m.pattern.description, kinds: m.pattern.kinds,
		relies: distinct(m.pattern.events, reads), excuses: reads, triggers: m.pattern.triggers(),
		monitor: func(b base) analyze.Monitor {
			monitor := m
			monitor.base = b
			return &monitor
		},
	}, nil
}

// isField reports whether the only expression is that field of the event.
func (s *scope) isField(texts []string, name string) bool {
	return len(texts) == 1 && (texts[0] == name || texts[0] == s.event+"."+name)
}

// uniqueMonitor remembers the value of each key and compares each event with it.
type uniqueMonitor struct {
	base
	monotone           bool
	pattern            *matcher
	value, among, per  keyer
	valueText, perText []string
	// valueIsTerm is set if the value is the term, perProcess if the key is the process.
	valueIsTerm, perProcess bool
	seen                    table[storedValue]
	current                 struct{ value, among, per key } // of the event at hand
}

// storedValue is the value of the first event of a key; for monotone, of its last. With "among different", others has
// more events of the key.
type storedValue struct {
	value, among key
	at           tracefmt.Seq
	doubts       []analyze.Need
	moreValues   []storedValue
}

// maxCompared bounds the events of one key that "among different" keeps.
const maxCompared = 5

// compare returns a kept event whose value differs from the current one and whose expression after "among" differs,
// too; nil without one. It keeps the current event only if a later event might conflict with it alone. That is
// impossible if two kept events have its value, or its Y, since a later event is equal to at most one of them. Five
// kept events are enough: no value and no Y occurs three times among them, so three of them differ pairwise in both,
// and a later event conflicts with one of these.
func (m *uniqueMonitor) compare(v *storedValue) (conflict *storedValue) {
	sameValue, sameAmong, kept := 0, 0, false
	for i := -1; i < len(v.moreValues); i++ {
		u := v
		if i >= 0 {
			u = &v.moreValues[i]
		}
		switch sameNow, same := u.value == m.current.value, u.among == m.current.among; {
		case sameNow && same:
			kept = true
		case sameNow:
			sameValue++
		case same:
			sameAmong++
		case conflict == nil:
			conflict = u
		}
	}
	// See the comment of the function: further events of this value or Y add nothing.
	if !kept && len(v.moreValues)+1 < maxCompared && sameValue < 2 && sameAmong < 2 {
		if conflict != nil { // append may move the list
			found := *conflict
			conflict = &found
		}
		v.moreValues = append(v.moreValues, storedValue{
			value: m.current.value, among: m.current.among,
			at: m.frame.event.Seq, doubts: m.valueNeeds(),
		})
	}
	return conflict
}

// Step compares the value of the event with that of the earlier event of the same key. An event without value or key
// makes the rule unknown.
func (m *uniqueMonitor) Step(r *analyze.Result, s *replay.State, e *tracefmt.Event) {
	if m.gaveUp || !m.beginEvent(s, e) {
		return
	}
	if !m.matches(m.pattern) {
		if m.pattern.kinds.has(e.Kind) && m.frame.partial() {
			r.Lacks(m.withoutRestarts(m.frame.missingDoubtsOf(m.pattern.test))...)
		}
		return
	}
	// The key, the value and the distinguishing expression must all be present to judge the event.
	value, among, per := &m.current.value, &m.current.among, &m.current.per
	if !m.value.keyInto(m.frame, value) || !m.per.keyInto(m.frame, per) || !m.among.keyInto(m.frame, among) {
		r.Undecided(m.openReason())
		return
	}
	r.Examined++
	m.round.lastExamined = e.Seq
	if m.frame.partial() && len(m.program.facts) > 0 {
		r.Lacks(m.withoutRestarts(m.frame.missingDoubtsOf(nil, m.value, m.among, m.per))...)
	}
	old := m.seen.get(m.frame.names, per)
	if old == nil {
		if m.hasRoom(r, m.seen.size) {
			m.seen.put(m.frame.names, per, storedValue{value: *value, among: *among, at: e.Seq, doubts: m.valueNeeds()})
		}
		return
	}
	conflict, breaks := old, no
	if m.among == nil {
		breaks = m.conflicts(value, &old.value)
	} else {
		conflict = m.compare(old)
		if conflict != nil {
			breaks = yes
		}
	}
	switch breaks {
	case yes:
		r.ViolateUnless(slices.Concat(conflict.doubts, m.valueNeeds()), m.explanation(*value, *per, conflict),
			conflict.at, e.Seq)
	case unknown:
		r.Undecided(m.incomparable(*value, old))
	}
	if m.monotone {
		*old = storedValue{value: *value, at: e.Seq, doubts: m.valueNeeds()}
	}
}

// incomparable names the two values without an order.
func (m *uniqueMonitor) incomparable(value key, old *storedValue) func() string {
	return func() string {
		return fmt.Sprintf("%s with %s, which cannot be compared with %s at seq %d",
			m.frame.describe(), m.frame.listKey(m.valueText, " = ", value), m.frame.format(old.value[0]), old.at)
	}
}

// Relies returns the facts that decide whether an unrecorded event counts. Step has reported the needs of recorded
// events.
func (m *uniqueMonitor) Relies(s *replay.State, end analyze.Ending) iter.Seq[analyze.Need] {
	m.frame.state = s
	if m.unrecordedTrigger() {
		return m.base.Relies(s, end)
	}
	return slices.Values(m.possibleAssignments(m.requiredVariables(), end, m.pattern))
}

// requiredVariables returns the variables that an event must assign to break the rule. An event without the term
// never lowers a process's term, since its term is the last term that the process recorded.
func (m *uniqueMonitor) requiredVariables() []string {
	term := m.frame.state.TermFact()
	starts, _ := m.frame.state.Vocabulary().Types(tracefmt.Start)
	switch kinds := m.pattern.kinds; {
	// The rule must be that the term of a process never falls, on all events that assign variables.
	case !m.monotone || !m.valueIsTerm || !m.perProcess || term.Variable == "" || !m.pattern.complete:
		return nil
	case !kinds.has(tracefmt.State) || !kinds.has(tracefmt.Recover) || !kinds.has(tracefmt.Start) && len(starts) > 0:
		return nil
	}
	return []string{term.Variable}
}

// withoutRestarts removes the needs for a restart without variables: an event that lost a field in a restart does not
// count.
func (m *uniqueMonitor) withoutRestarts(needs []analyze.Need) []analyze.Need {
	if !m.pattern.complete {
		return needs
	}
	return slices.DeleteFunc(needs, func(n analyze.Need) bool { return n.Anew })
}

// valueNeeds returns the needs that decide whether the current event counts, with its values.
func (m *uniqueMonitor) valueNeeds() []analyze.Need {
	return m.frame.missingDoubtsOf(m.pattern.test, m.value, m.among, m.per)
}

// conflicts returns whether a value violates the rule after another one: if they differ, or for monotone if the value
// fell. It is unknown for values without an order.
func (m *uniqueMonitor) conflicts(now, before *key) truth {
	if !m.monotone {
		return truthOf(*now != *before)
	}
	order, ok := m.frame.compare(now[0], before[0])
	if !ok {
		return unknown
	}
	return truthOf(order < 0)
}

// reportWith describes the current event with its value, unless the description has it already.
func (m *uniqueMonitor) reportWith(value string) string {
	text := m.frame.describe()
	if strings.Contains(text, value+",") || strings.Contains(text, value+" ") {
		return text
	}
	return text + " with " + value
}

// explanation returns the text of a violation, which is built only if it is shown.
func (m *uniqueMonitor) explanation(value, per key, old *storedValue) func() string {
	return func() string {
		sign := " = "
		if m.monotone {
			sign = " >= "
		}
		text := fmt.Sprintf("%s; expected %s as at seq %d", m.reportWith(m.frame.listKey(m.valueText, " = ", value)),
			m.frame.listKey(m.valueText, sign, old.value), old.at)
		if len(m.per) > 0 {
			text += fmt.Sprintf(", since %s both times", m.frame.listKey(m.perText, " = ", per))
		}
		return text
	}
}

// End closes the rule. Whether the value falls in the next round of a loop is not examined; ids and times always
// rise.
func (m *uniqueMonitor) End(r *analyze.Result, s *replay.State, end analyze.Ending) {
	rises := m.monotone && (slices.Contains(growing, m.valueText[0]) || slices.Contains(fresh, m.valueText[0]))
	m.judgeRound(r, end, !rises && (m.monotone || m.program.readsGrowing || m.program.readsFresh))
	m.finish(r, s)
}
