package spec

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"etrace/analyze"
	"etrace/replay"
	"etrace/tracefmt"
)

// compileQuorum compiles "each A was preceded by more than N distinct X in B".
func (p *pairMonitor) compileQuorum(c *compiler, first *scope, e *stageExpr) (*plan, error) {
	m := quorumMonitor{pairMonitor: *p, strict: e.Quorum.Word != "atleast"}
	j, within, err := c.laterPattern(first, e, false)
	if err != nil {
		return nil, err
	}
	if j.condition != nil {
		return nil, errorf(e.Pattern.Pos,
			"a quorum is of events that are joined by equalities such as term = %s.term; expected no other condition on both", first.event)
	}
	bound, err := lowerSum(e.Quorum.Bound)
	if err != nil {
		return nil, err
	}
	m.bound, err = c.scope.value(bound, typNumber)
	if err != nil {
		return nil, err
	}
	m.distinct, err = j.earlierScope.valuesOf(e.Quorum.Distinct)
	if err != nil {
		return nil, err
	}
	m.pairing, m.window.span, m.expectedText = j, within, e.text(bound)
	if bound.op != "literal" {
		m.boundSource = bound.String()
	}
	m.memberKey = append(append(keyer{}, j.second...), m.distinct...)
	j.matcher.reads = distinct(j.matcher.reads, c.scope.program.factsSince(0))
	return &plan{
		split:   p.split([]*pairing{j}, nil, within.within),
		relies:  distinct(p.trigger.allFacts(), j.matcher.reads),
		excuses: distinct(j.matcher.allFacts(), p.trigger.reads), triggers: p.trigger.triggers(),
		kind: analyze.Safety, needs: p.trigger.description, kinds: p.trigger.kinds | j.matcher.kinds,
		monitor: func(b base) analyze.Monitor {
			monitor := m
			monitor.base, monitor.members = b, map[key]*voter{}
			return &monitor
		},
	}, nil
}

// valuesOf compiles a list of sums.
func (s *scope) valuesOf(exprs []*sumExpr) (k keyer, err error) {
	for _, e := range exprs {
		n, err := lowerSum(e)
		if err != nil {
			return nil, err
		}
		part, err := s.value(s.resolve(n))
		if err != nil {
			return nil, err
		}
		k = append(k, part)
	}
	return k, nil
}

// text returns the second part of the rule.
func (e *stageExpr) text(bound *node) string {
	text := "more than "
	if e.Quorum.Word == "atleast" {
		text = "at least "
	}
	text += bound.String() + " "
	var values []string
	for _, d := range e.Quorum.Distinct {
		values = append(values, sourceText(d.Tokens))
	}
	if values != nil {
		text += "distinct " + strings.Join(values, ", ") + " in "
	}
	return text + sourceText(e.Pattern.Tokens)
}

// quorumMonitor counts the events of the second pattern by key, each distinct value once.
type quorumMonitor struct {
	pairMonitor
	*pairing
	// strict is set for "more than" the bound, otherwise the bound is enough.
	strict       bool
	bound        eval
	distinct     keyer
	memberKey    keyer // the key and the distinct values
	expectedText string
	boundSource  string // the source of the bound, unless it is a number
	groups       table[int64]
	members      map[key]*voter
}

// voter is a distinct value that counts for a group.
type voter struct {
	group key
	at    tracefmt.Time
}

// Step expires old values, checks the quorum before an event of the first pattern, and counts an event of the second.
func (m *quorumMonitor) Step(r *analyze.Result, s *replay.State, e *tracefmt.Event) {
	if !m.tick(r, e) {
		return
	}
	wants := m.beginEvent(s, e)
	if !wants {
		if m.share.owns != nil && m.kinds.has(e.Kind) && m.lacksDistinct() {
			m.firstKeyless = e.Seq // of another part
		}
		return
	}
	m.expire(m.dropExpired)
	if m.matches(m.trigger) && m.share.ownsSide(triggerSide) {
		m.checkQuorum(r)
	}
	if m.matcher.matches(m.frame) && m.share.ownsSide(answerSide) {
		if k, ok := m.second.key(m.frame); ok {
			m.countVoter(r, k)
		}
	}
}

// checkQuorum checks whether enough events preceded the current one.
func (m *quorumMonitor) checkQuorum(r *analyze.Result) {
	k, ok := m.first.key(m.frame)
	bound := m.bound(m.frame)
	if !ok || !bound.isNumber() {
		r.Undecided(m.openReason())
		return
	}
	r.Examined++
	m.round.lastExamined = m.frame.event.Seq
	count := int64(0)
	if group := m.groups.get(m.frame.names, &k); group != nil {
		count = *group
	}
	order, _ := m.frame.compare(number(count), bound)
	// An earlier event without its value may belong to any quorum, so that no quorum is known to fail.
	if order > 0 || order == 0 && !m.strict || m.lacksEarlierValue() {
		return
	}
	excuses := slices.Concat(m.frame.doubtsOf(m.trigger.test, m.first),
		m.needsSince(m.processOf(m.frame, k), 0, m.matcher.events), m.needsAnywhere(m.matcher.reads))
	r.ViolateUnless(excuses, func() string {
		return fmt.Sprintf("%s; expected %s%s before, but %s%s", m.frame.describe(), m.expectedText, m.window.text,
			countClause(count), m.boundRemark(bound))
	}, m.frame.event.Seq)
}

// lacksEarlierValue reports whether an event before the current one lacks its distinct value. That event may complete
// the quorum of any key.
func (m *quorumMonitor) lacksEarlierValue() bool {
	return m.firstKeyless != 0 && m.firstKeyless < m.frame.event.Seq
}

// Survey records the first event without its distinct value, which all parts need.
func (m *quorumMonitor) Survey(s *replay.State, e *tracefmt.Event) []uint64 {
	hashes := m.base.Survey(s, e)
	if len(hashes) > 0 && m.lacksDistinct() {
		m.firstKeyless, m.share.news = e.Seq, true
	}
	return hashes
}

// lacksDistinct reports whether the current event matches but lacks the distinct value, as the first event to do so.
func (m *quorumMonitor) lacksDistinct() bool {
	if m.firstKeyless != 0 || m.distinct == nil || !m.matcher.matches(m.frame) {
		return false
	}
	_, joined := m.second.key(m.frame)
	_, known := m.memberOf()
	return joined && !known
}

// boundRemark explains the value of the bound, and the name of the rule's event.
func (m *quorumMonitor) boundRemark(bound value) string {
	called := m.frame.nameRemark(m.trigger)
	switch {
	case m.boundSource == "":
		return called
	case called == "":
		return fmt.Sprintf(", where %s is %s", m.boundSource, m.frame.format(bound))
	}
	return fmt.Sprintf(", where %s is %s and%s", m.boundSource, m.frame.format(bound),
		strings.TrimPrefix(called, ", where"))
}

// countVoter adds the distinct value of the current event to the group of its key, unless the group has the value
// already.
func (m *quorumMonitor) countVoter(r *analyze.Result, k key) {
	id := key{number(int64(m.frame.event.Seq))} // without distinct, each event counts
	if m.distinct != nil {
		var ok bool
		id, ok = m.memberOf()
		if !ok {
			r.Undecided(m.openReason())
			m.firstKeyless = cmp.Or(m.firstKeyless, m.frame.event.Seq)
			return
		}
	}
	counted := m.members[id]
	switch {
	case counted == nil && !m.voterFits(r):
		return
	case counted == nil:
		counted = &voter{group: k}
		if m.distinct != nil || m.within != forEver {
			m.members[id] = counted
		}
		group := m.groups.get(m.frame.names, &k)
		if group == nil {
			group = m.groups.put(m.frame.names, &k, 0)
		}
		*group++
	}
	counted.at = m.now
	if m.within != forEver {
		m.add(dated{m.now, id, m.frame.event.Seq})
	}
}

// memberOf returns the key and distinct value of the current event as one key; ok is false if a part is absent.
func (m *quorumMonitor) memberOf() (key, bool) { return m.memberKey.key(m.frame) }

// voterFits reports whether one more value may be kept.
func (m *quorumMonitor) voterFits(r *analyze.Result) bool {
	return m.hasRoom(r, max(len(m.members), m.groups.size)) && m.holdsMore(r, &m.base)
}

// dropExpired removes a value that is too old, unless it came again.
func (m *quorumMonitor) dropExpired(d dated) {
	if seen := m.members[d.key]; seen != nil && seen.at == d.at {
		*m.groups.get(m.frame.names, &seen.group)--
		delete(m.members, d.key)
	}
}

// End closes the rule.
func (m *quorumMonitor) End(r *analyze.Result, s *replay.State, end analyze.Ending) {
	m.judgeRound(r, end, m.program.readsGrowing || m.within != forEver)
	m.finish(r, s)
}
