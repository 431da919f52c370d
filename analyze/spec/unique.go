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
	over, err := c.scope.scopeOf(form.Over)
	if err != nil {
		return nil, err
	}
	m := uniqueMonitor{monotone: form.Word == "monotone"}
	if m.monotone && len(form.Of) > 1 {
		return nil, errorf(form.Pos, "monotone takes one value, not %d", len(form.Of))
	}
	m.over, err = c.scope.matcher(form.Over)
	if err != nil {
		return nil, err
	}
	m.value, m.ofText, err = over.keyOf(form.Of)
	if err != nil {
		return nil, err
	}
	m.among, _, err = over.keyOf(form.Among)
	if err != nil {
		return nil, err
	}
	if m.monotone && m.among != nil {
		return nil, errorf(form.Pos, "among belongs to: unique")
	}
	m.per, m.perText, err = over.groupsOf(form.Per)
	if err != nil {
		return nil, err
	}
	m.ofTerm, m.perProcess = over.isField(m.ofText, termField), over.isField(m.perText, "process")
	reads := c.scope.program.since(0)
	return &plan{
		split: keyed(m.perText, side{kinds: m.over.kinds, matches: m.over.matches, key: m.per, allEvents: true}),
		kind:  analyze.Safety, needs: m.over.words, kinds: m.over.kinds, relies: distinct(m.over.events,
			reads), excuses: reads, triggers: m.over.triggers(),
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
	monotone          bool
	over              *matcher
	value, among, per keyer
	ofText, perText   []string
	// ofTerm is set if the value is the term, perProcess if the key is the process.
	ofTerm, perProcess bool
	seen               table[valued]
	now                struct{ value, among, per key } // of the event at hand
}

// valued is the value stored for a key: of its first event, or of its last for monotone. With "among different",
// further has more events of the key.
type valued struct {
	value, among key
	at           tracefmt.Seq
	doubts       []analyze.Need
	further      []valued
}

// mostCompared bounds the events of one key that "among different" keeps.
const mostCompared = 5

// compare returns an event with another value than the current one that differs in the expression after "among",
// nil if there is none. It keeps the current event only if a later one might conflict with it alone. That is not
// so if two kept events have its value, or its Y: a later event is equal to at most one of them. Five kept events
// without three of equal value or Y are no exception: three of them differ in both.
func (m *uniqueMonitor) compare(v *valued) (conflict *valued) {
	sameValue, sameAmong, kept := 0, 0, false
	for i := -1; i < len(v.further); i++ {
		u := v
		if i >= 0 {
			u = &v.further[i]
		}
		switch sameNow, same := u.value == m.now.value, u.among == m.now.among; {
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
	if !kept && len(v.further)+1 < mostCompared && sameValue < 2 && sameAmong < 2 {
		if conflict != nil { // append may move the list
			found := *conflict
			conflict = &found
		}
		v.further = append(v.further, valued{value: m.now.value, among: m.now.among, at: m.frame.event.Seq, doubts: m.rests()})
	}
	return conflict
}

// Step compares the value of the event with that of the earlier event of the same key. An event without value or key
// makes the rule unknown.
func (m *uniqueMonitor) Step(r *analyze.Result, s *replay.State, e *tracefmt.Event) {
	if m.lost || !m.wants(s, e) {
		return
	}
	if !m.meets(m.over) {
		if m.over.kinds.has(e.Kind) && m.frame.partial() {
			r.Lacks(m.keeping(m.frame.openDoubts(m.over.test))...)
		}
		return
	}
	// The key, the value and the distinguishing expression must all be present to judge the event.
	value, among, per := &m.now.value, &m.now.among, &m.now.per
	if !m.value.into(m.frame, value) || !m.per.into(m.frame, per) || !m.among.into(m.frame, among) {
		r.Undecided(m.openReason())
		return
	}
	r.Examined++
	m.round.looked = e.Seq
	if m.frame.partial() && len(m.program.reads) > 0 {
		r.Lacks(m.keeping(m.frame.openDoubts(nil, m.value, m.among, m.per))...)
	}
	old := m.seen.get(m.frame.names, per)
	if old == nil {
		if m.room(r, m.seen.size) {
			m.seen.put(m.frame.names, per, valued{value: *value, among: *among, at: e.Seq, doubts: m.rests()})
		}
		return
	}
	conflict, breaks := old, no
	if m.among == nil {
		breaks = m.breaks(value, &old.value)
	} else {
		conflict = m.compare(old)
		if conflict != nil {
			breaks = yes
		}
	}
	switch breaks {
	case yes:
		r.ViolateUnless(slices.Concat(conflict.doubts, m.rests()), m.explanation(*value, *per, conflict), conflict.at, e.Seq)
	case unknown:
		r.Undecided(m.incomparable(*value, old))
	}
	if m.monotone {
		*old = valued{value: *value, at: e.Seq, doubts: m.rests()}
	}
}

// incomparable names the two values without an order.
func (m *uniqueMonitor) incomparable(value key, old *valued) func() string {
	return func() string {
		return fmt.Sprintf("%s with %s, which cannot be compared with %s at seq %d",
			m.frame.describe(), m.frame.pairs(m.ofText, " = ", value), m.frame.show(old.value[0]), old.at)
	}
}

// Relies returns the facts that could be missing so that another event counts. Needs of recorded events were
// reported for each.
func (m *uniqueMonitor) Relies(s *replay.State, end analyze.Ending) iter.Seq[analyze.Need] {
	m.frame.state = s
	if m.unrecordedTrigger() {
		return m.base.Relies(s, end)
	}
	return slices.Values(m.possibleOf(m.requiredVariables(), end, m.over))
}

// requiredVariables returns the variables that an event must assign to break the rule. An event without the term
// never lowers a process's term, since its term is the last term that the process recorded.
func (m *uniqueMonitor) requiredVariables() []string {
	term := m.frame.state.TermFact()
	starts, _ := m.frame.state.Vocabulary().Types(tracefmt.Start)
	switch kinds := m.over.kinds; {
	case !m.monotone || !m.ofTerm || !m.perProcess || term.Variable == "" || !m.over.complete:
		return nil
	case !kinds.has(tracefmt.State) || !kinds.has(tracefmt.Recover) || !kinds.has(tracefmt.Start) && len(starts) > 0:
		return nil
	}
	return []string{term.Variable}
}

// keeping drops the needs for a restart without variables: an event that lost a field in a restart does not
// count.
func (m *uniqueMonitor) keeping(needs []analyze.Need) []analyze.Need {
	if !m.over.complete {
		return needs
	}
	return slices.DeleteFunc(needs, func(n analyze.Need) bool { return n.Anew })
}

// rests returns the needs on which it rests that the current event counts, with its values.
func (m *uniqueMonitor) rests() []analyze.Need {
	return m.frame.openDoubts(m.over.test, m.value, m.among, m.per)
}

// breaks returns whether a value violates the rule after another one: if they differ, or for monotone if the value
// fell. It is unknown for values without an order.
func (m *uniqueMonitor) breaks(now, before *key) truth {
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
func (m *uniqueMonitor) explanation(value, per key, old *valued) func() string {
	return func() string {
		sign := " = "
		if m.monotone {
			sign = " >= "
		}
		text := fmt.Sprintf("%s; expected %s as at seq %d", m.reportWith(m.frame.pairs(m.ofText, " = ", value)),
			m.frame.pairs(m.ofText, sign, old.value), old.at)
		if len(m.per) > 0 {
			text += fmt.Sprintf(", since %s both times", m.frame.pairs(m.perText, " = ", per))
		}
		return text
	}
}

// End closes the rule. Whether the value falls in the next round of a loop is not examined; ids and times always
// rise.
func (m *uniqueMonitor) End(r *analyze.Result, s *replay.State, end analyze.Ending) {
	rises := m.monotone && (slices.Contains(growing, m.ofText[0]) || slices.Contains(fresh, m.ofText[0]))
	m.judgeRound(r, end, !rises && (m.monotone || m.program.timed || m.program.renamed))
	m.close(r, s)
}
