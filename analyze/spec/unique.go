package spec

import (
	"fmt"
	"slices"
	"strings"

	"etrace/analyze"
	"etrace/replay"
	"etrace/tracefmt"
)

// compile of "unique X per K over P": all events of P with the same K have the
// same X; "among different Y" compares those of different Y alone. "monotone X per K over P":
// among them, X never falls.
func (form *uniqueForm) compile(c *compiler) (*plan, error) {
	over, err := c.scope.of(form.Over)
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
	m.of, m.ofText, err = over.keyOf(form.Of)
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
		split: keyed(m.perText, side{kinds: m.over.kinds, matches: m.over.matches, key: m.per, all: true}),
		kind:  analyze.Safety, needs: m.over.words, kinds: m.over.kinds, relies: distinct(m.over.events,
			reads), excuses: reads, triggers: m.over.triggers(),
		monitor: func(b base) analyze.Monitor {
			own := m
			own.base = b
			return &own
		},
	}, nil
}

// isField reports whether the one expression is that field of the event.
func (s *scope) isField(texts []string, name string) bool {
	return len(texts) == 1 && (texts[0] == name || texts[0] == s.own+"."+name)
}

type uniqueMonitor struct {
	base
	monotone        bool
	over            *matcher
	of, among, per  keyer
	ofText, perText []string
	// ofTerm: it is the term that never falls; perProcess: for each process on its own.
	ofTerm, perProcess bool
	seen               table[valued]
	now                struct{ of, among, per key } // of the event at hand
}

// valued is what a key was seen with: first, or last for monotone. Of events that are compared
// among different ones, others are further ones.
type valued struct {
	of, among key
	at        tracefmt.Seq
	doubts    []analyze.Need
	others    []valued
}

// mostCompared is how many events are kept for one key of those that are compared among different ones.
const mostCompared = 5

// compare returns an event that has another value than that at hand and is different in what is said after
// among, nil for none, and keeps the one at hand unless whatever may conflict with that later conflicts with one that
// is kept, too. That is so where two kept ones have its value, or what it is among: a later event is like at most one
// of them. It is so of five kept ones, of which no three are alike in either way: three of them differ in both.
func (m *uniqueMonitor) compare(v *valued) (with *valued) {
	sameValue, sameAmong, kept := 0, 0, false
	for i := -1; i < len(v.others); i++ {
		u := v
		if i >= 0 {
			u = &v.others[i]
		}
		switch value, same := u.of == m.now.of, u.among == m.now.among; {
		case value && same:
			kept = true
		case value:
			sameValue++
		case same:
			sameAmong++
		case with == nil:
			with = u
		}
	}
	if !kept && len(v.others)+1 < mostCompared && sameValue < 2 && sameAmong < 2 {
		if with != nil { // the list may move
			found := *with
			with = &found
		}
		v.others = append(v.others, valued{of: m.now.of, among: m.now.among, at: m.frame.event.Seq, doubts: m.rests()})
	}
	return with
}

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
	of, among, per := &m.now.of, &m.now.among, &m.now.per
	if !m.of.into(m.frame, of) || !m.per.into(m.frame, per) || !m.among.into(m.frame, among) {
		r.Undecided(m.vain())
		return
	}
	r.Examined++
	m.round.looked = e.Seq
	if m.frame.partial() && len(m.program.reads) > 0 {
		r.Lacks(m.keeping(m.frame.openDoubts(nil, m.of, m.among, m.per))...)
	}
	old := m.seen.get(m.frame.names, per)
	if old == nil {
		if m.room(r, m.seen.size) {
			m.seen.put(m.frame.names, per, valued{of: *of, among: *among, at: e.Seq, doubts: m.rests()})
		}
		return
	}
	with, breaks := old, no
	if m.among == nil {
		breaks = m.breaks(of, &old.of)
	} else if with = m.compare(old); with != nil {
		breaks = yes
	}
	switch breaks {
	case yes:
		r.ViolateUnless(slices.Concat(with.doubts, m.rests()), m.explanation(*of, *per, with), with.at, e.Seq)
	case unknown:
		r.Undecided(m.incomparable(*of, old))
	}
	if m.monotone {
		*old = valued{of: *of, at: e.Seq, doubts: m.rests()}
	}
}

// incomparable says of which values it is not known whether one is less.
func (m *uniqueMonitor) incomparable(of key, old *valued) func() string {
	return func() string {
		return fmt.Sprintf("%s with %s, which cannot be compared with %s at seq %d",
			m.frame.tell(), m.frame.pairs(m.ofText, " = ", of), m.frame.show(old.of[0]), old.at)
	}
}

// Relies are the facts of which one must have happened without being recorded for another
// event to count; what it rests on that those which are recorded do not, or not with other
// values, was said of each.
func (m *uniqueMonitor) Relies(s *replay.State, end analyze.Ending) []analyze.Need {
	m.frame.state = s
	if m.unheard() {
		return m.base.Relies(s, end)
	}
	return m.possibleOf(m.tells(), end, m.over)
}

// tells are variables that an event must assign to break the rule. A term never falls with
// one that assigns none: its term is what the process told last.
func (m *uniqueMonitor) tells() []string {
	term := m.frame.state.TermFact()
	starts, _ := m.frame.state.Vocabulary().Types(tracefmt.Start)
	switch all := m.over.kinds; {
	case !m.monotone || !m.ofTerm || !m.perProcess || term.Variable == "" || !m.over.whole:
		return nil
	case !all.has(tracefmt.State) || !all.has(tracefmt.Recover) || !all.has(tracefmt.Start) && len(starts) > 0:
		return nil
	}
	return []string{term.Variable}
}

// keeping leaves out that a process may have lost its variables: with what an event lacks
// then it does not count.
func (m *uniqueMonitor) keeping(needs []analyze.Need) []analyze.Need {
	if !m.over.whole {
		return needs
	}
	return slices.DeleteFunc(needs, func(n analyze.Need) bool { return n.Anew })
}

// rests is what it rests on that the event at hand counts, with its values.
func (m *uniqueMonitor) rests() []analyze.Need {
	return m.frame.openDoubts(m.over.test, m.of, m.among, m.per)
}

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

// tellWith says what the event at hand is and of which value, once.
func (m *uniqueMonitor) tellWith(value string) string {
	told := m.frame.tell()
	if strings.Contains(told, value+",") || strings.Contains(told, value+" ") {
		return told
	}
	return told + " with " + value
}

func (m *uniqueMonitor) explanation(of, per key, old *valued) func() string {
	return func() string {
		sign := " = "
		if m.monotone {
			sign = " >= "
		}
		text := fmt.Sprintf("%s; expected %s as at seq %d", m.tellWith(m.frame.pairs(m.ofText, " = ", of)),
			m.frame.pairs(m.ofText, sign, old.of), old.at)
		if len(m.per) > 0 {
			text += fmt.Sprintf(", since %s both times", m.frame.pairs(m.perText, " = ", per))
		}
		return text
	}
}

// End closes the rule. Whether the next round of a loop begins lower was not
// examined, but ids and times are higher in each round.
func (m *uniqueMonitor) End(r *analyze.Result, s *replay.State, end analyze.Ending) {
	rises := m.monotone && (slices.Contains(growing, m.ofText[0]) || slices.Contains(fresh, m.ofText[0]))
	m.judgeRound(r, end, !rises && (m.monotone || m.program.timed || m.program.renamed))
	m.close(r, s)
}
