package spec

import (
	"cmp"
	"fmt"
	"iter"
	"slices"

	"github.com/alecthomas/participle/v2/lexer"

	"etrace/analyze"
	"etrace/replay"
	"etrace/tracefmt"
)

// compile compiles "at most N P per K", "at least N P per K" and "exactly N P per K", and the rate
// "at most N P per K within T".
func (form *countForm) compile(c *compiler) (*plan, error) {
	timeBound, err := form.within()
	if err != nil {
		return nil, err
	}
	bound, err := lowerSum(form.Bound)
	if err != nil {
		return nil, err
	}
	m := countMonitor{
		atLeast: form.Word != "most", atMost: form.Word != "least", boundWords: form.boundWords(),
		window: window{span: timeBound},
	}
	m.bound, err = c.scope.value(bound, typNumber)
	if err != nil {
		return nil, err
	}
	if v := bound.value; bound.op == "literal" && v.sort == integer {
		m.constantBound = v.n
	}
	m.computedBound = len(c.scope.program.facts) > 0
	m.pattern, err = c.scope.matcher(form.Pattern)
	if err != nil {
		return nil, err
	}
	inner, err := c.scope.scopeOf(form.Pattern)
	if err != nil {
		// K may use the fields of the event, the bound may not: the bound is compiled in the outer scope.
		return nil, err
	}
	m.key, m.per, err = inner.groupsOf(form.Per)
	if err != nil {
		return nil, err
	}
	m.everyProcess = len(m.per) == 1 && (m.per[0] == "process" || m.per[0] == inner.event+".process")
	plan := &plan{
		kind: analyze.Safety, needs: m.pattern.description, kinds: m.pattern.kinds,
		monitor: func(b base) analyze.Monitor {
			monitor := m
			monitor.base = b
			monitor.countsShownSends = m.pattern.kinds.has(tracefmt.Send) && m.window.within == forEver
			return &monitor
		},
	}
	plan.split = m.split(timeBound)
	reads := c.scope.program.factsSince(0)
	m.relied, m.readsState = relied{m.pattern.events, reads}, len(reads) > 0
	plan.relies, plan.excuses, plan.triggers = m.relies(len(form.Per) > 0), reads, m.pattern.triggers()
	if m.atLeast {
		plan.kind = analyze.Liveness
		plan.excuses = m.relied.allFacts()
	}
	return plan, nil
}

// split describes how the count can be divided by its key among parts of a run.
func (m *countMonitor) split(within span) *split {
	events := side{kinds: m.pattern.kinds, matches: m.pattern.matches, key: m.key, allEvents: true}
	if m.atLeast { // an event that does not count still shows that its key exists
		events.matches = nil
	}
	split := keyed(m.per, events)
	split.timed = within.within != forEver
	split.sends = m.pattern.kinds.has(tracefmt.Send)
	return split
}

// boundWords returns the bound as the rule writes it: "exactly", "at most" or "at least".
func (form *countForm) boundWords() string {
	if form.Word == "exactly" {
		return form.Word
	}
	return "at " + form.Word
}

// within returns the bound on the time, endless without a bound.
func (form *countForm) within() (span, error) {
	// The grammar admits the time before and after the list of keys.
	given := form.Before
	switch {
	case given == nil:
		given = form.After
	case form.After != nil:
		return endless, errorf(form.After.Pos, "there is a time already, within %s", form.Before.Text)
	}
	switch {
	case given == nil && !form.Run && len(form.Per) == 0:
		return endless, errorf(form.Pos,
			"expected per run, or per and fields of the event, after the pattern: %s ... %s per process",
			form.boundWords(), sourceText(form.Pattern.Tokens))
	case given == nil:
		return endless, nil
	case form.Word != "most":
		return endless, errorf(given.Pos,
			"within belongs to: at most ... (a rate), each ... and eventually; expected no time after %s",
			form.boundWords())
	}
	return given.span()
}

// groupsOf compiles the list after "per". It refuses an expression that names no field of the event,
// since all events would have the same key.
func (s *scope) groupsOf(exprs []*orExpr) (keyer, []string, error) {
	k, sources, err := s.keyOf(exprs)
	for i, e := range exprs {
		n, fault := s.lower(e)
		if err != nil || fault != nil || n.varies() {
			continue
		}
		expected := "expected one such as process"
		if isDuration(e.Tokens) {
			expected = fmt.Sprintf("did you mean: within %s?", sources[i])
		}
		return nil, nil, errorf(n.pos(), "%s names no field of the event; %s", n, expected)
	}
	return k, sources, err
}

// varies reports whether an expression may have another value for another event.
func (n *node) varies() (varies bool) {
	n.walk(func(n *node) {
		varies = varies || n.op == "call" || n.op == "has" ||
			n.op == "field" && (n.name != "n" || n.event != "" || len(n.path) > 0)
	})
	return varies
}

// isDuration reports whether the last token is a time with its unit.
func isDuration(tokens []lexer.Token) bool {
	meant := slices.DeleteFunc(slices.Clone(tokens), func(t lexer.Token) bool {
		return t.Type == language().Symbols()["Space"] || t.Type == language().Symbols()["Comment"]
	})
	last := meant[len(meant)-1]
	return last.Type == language().Symbols()["Duration"] || len(meant) > 1 && slices.Contains(units, last.Value)
}

// countMonitor counts the events of a pattern for each key. For "at least", the keys are those of all
// events of the pattern's kinds.
type countMonitor struct {
	base
	atLeast, atMost bool
	boundWords      string // the words of the rule, such as "at most"
	bound           eval
	// constantBound is the constant bound: a count up to it cannot be a violation.
	constantBound int64
	pattern       *matcher
	key           keyer
	per           []string
	everyProcess  bool // the key is the process
	counts        table[keyCount]
	doubts        map[key][]analyze.Need // by key, the needs on which it rests that its events count
	currentKey    key                    // the key of the current event
	keysInOrder   []seenKey              // the keys of counts, if they are judged at the end
	window        window
	relied        relied
	readsState    bool // the count reads more than the events it counts
	computedBound bool // the bound reads the state
}

// relies returns the facts on which it rests that no count is too high or too low. With keys, an
// unrecorded event of any of the kinds may have a key with too few events.
func (m *countMonitor) relies(keyed bool) []tracefmt.Fact {
	switch {
	case m.atMost:
		return m.relied.allFacts()
	case keyed && m.pattern.kinds != 0:
		return distinct(m.relied.reads, m.pattern.kinds.facts())
	}
	return m.relied.reads
}

// seenKey is a key with the first event that had it, and the last event that counts for it. If a process has no event,
// at is afterAll.
type seenKey struct {
	key      key
	at, last tracefmt.Seq
}

// keyCount is the number of events with a key, in the run or in the window, and the first event ever.
type keyCount struct {
	count int32
	index int32 // the index of the key in keys
	first tracefmt.Seq
}

// Step counts the event for its key if it matches the pattern. An event of the pattern's kinds that does not match
// only makes its key known, for "at least". In a recording with gaps it also notes the needs by which the event may
// match.
func (m *countMonitor) Step(r *analyze.Result, s *replay.State, e *tracefmt.Event) {
	timed := m.window.within != forEver
	if m.gaveUp || timed && !m.window.tick(r, &m.base, e) || !m.beginEvent(s, e) {
		return
	}
	if timed {
		m.window.expire(func(d dated) { m.counts.get(m.frame.names, &d.key).count-- })
	}
	m.countShownSend(r)
	counts := m.matches(m.pattern)
	if !counts && m.pattern.kinds.has(e.Kind) {
		m.noteDoubts(r, m.pattern.test)
	}
	if !counts && !(m.atLeast && m.pattern.kinds.has(e.Kind)) {
		return
	}
	k := &m.currentKey
	switch {
	case m.key.keyInto(m.frame, k):
	case counts:
		r.Undecided(m.openReason())
		m.firstKeyless = cmp.Or(m.firstKeyless, e.Seq)
		return
	default:
		return // without a key, an event that does not match is ignored
	}
	c := m.entry(r, k)
	if c == nil || !counts {
		return
	}
	if m.frame.partial() && m.readsState {
		if m.doubts == nil {
			m.doubts = make(map[key][]analyze.Need)
		}
		m.doubts[*k] = append(m.doubts[*k], m.frame.doubtsOf(m.pattern.test, m.key)...)
		r.Lacks(m.frame.missingDoubtsOf(nil, m.key)...)
	}
	m.add(r, k, c)
}

// countShownSend counts the send that the current arrival proves, if the send is not recorded.
func (m *countMonitor) countShownSend(r *analyze.Result) {
	if !m.countsShownSends {
		return
	}
	send := m.shownSend()
	if send == nil {
		return
	}
	k, hasKey := &m.currentKey, true
	matches := m.matchesHypothetical(send, m.pattern)
	if matches == no {
		return
	}
	m.frame.evaluateHypothetical(send, func() { hasKey = m.key.keyInto(m.frame, k) })
	if matches == unknown || !hasKey {
		r.Lacks(analyze.Needs(send.Process, 0, m.frame.event.Seq, tracefmt.Fact{Kind: tracefmt.Send})...)
		return
	}
	if c := m.entry(r, k); c != nil {
		m.add(r, k, c)
	}
}

// add counts the current event, or the send that it shows.
func (m *countMonitor) add(r *analyze.Result, k *key, c *keyCount) {
	r.Examined++
	m.round.lastExamined = m.frame.event.Seq
	if c.count++; c.first == 0 {
		c.first = m.frame.event.Seq
	}
	if m.atLeast {
		m.keysInOrder[c.index].last = m.frame.event.Seq
	}
	if m.window.within != forEver {
		if !m.window.holdsMore(r, &m.base) {
			return
		}
		m.window.add(dated{m.window.now, *k, m.frame.event.Seq})
	}
	m.judgeExcess(r, k, c)
}

// Relies returns the facts that decide whether unrecorded events raise a count above the bound. Step has reported the
// needs of recorded events.
func (m *countMonitor) Relies(s *replay.State, end analyze.Ending) iter.Seq[analyze.Need] {
	m.frame.state = s
	if m.atLeast || m.computedBound || m.unrecordedTrigger() {
		return m.base.Relies(s, end)
	}
	return slices.Values(m.possibleEvents(end, m.pattern))
}

// entry returns the count of a key, which it creates; nil if there is no room.
func (m *countMonitor) entry(r *analyze.Result, k *key) *keyCount {
	c := m.counts.get(m.frame.names, k)
	if c == nil && m.hasRoom(r, m.counts.size) {
		c = m.counts.put(m.frame.names, k, keyCount{index: int32(len(m.keysInOrder))})
		if m.atLeast {
			m.keysInOrder = append(m.keysInOrder, seenKey{key: *k, at: m.frame.event.Seq})
		}
	}
	return c
}

// judgeExcess reports a violation if the current event raises the count of the key above the bound.
func (m *countMonitor) judgeExcess(r *analyze.Result, k *key, c *keyCount) {
	if int64(c.count) <= m.constantBound {
		return
	}
	bound := m.bound(m.frame)
	switch {
	case !bound.isNumber():
		r.Undecided(m.openReason())
	case !m.atMost || m.compareBound(int64(c.count), bound) <= 0:
	// Only the first violation of a complete recording needs its explanation, which takes time.
	case r.Violations > 0 && !m.frame.partial():
		r.Violations++
	default:
		first := c.first
		if m.window.within != forEver {
			first = m.window.oldest(*k)
		}
		excuses, group := m.doubts[*k], *k
		if m.computedBound {
			excuses = slices.Concat(excuses, m.frame.doubts(func() { m.bound(m.frame) }))
		}
		r.ViolateUnless(excuses, func() string {
			return fmt.Sprintf("%s, number %d of %s%s%s, the first at seq %d; expected %s %s",
				m.frame.describe(), c.count, m.pattern.source, m.keyText(group), m.window.text, first, m.boundWords,
				m.frame.format(bound))
		}, first, m.frame.event.Seq)
	}
}

// compareBound compares a count with a bound that is a number.
func (m *countMonitor) compareBound(count int64, bound value) int {
	order, _ := m.frame.compare(number(count), bound)
	return order
}

// keyText names the key for an explanation.
func (m *countMonitor) keyText(k key) string {
	if len(m.key) == 0 {
		return ""
	}
	return " with " + m.frame.listKey(m.per, " = ", k)
}

// End closes the rule. An event inside the final loop recurs without end, so it exceeds any bound.
func (m *countMonitor) End(r *analyze.Result, s *replay.State, end analyze.Ending) {
	// The exceptions are bounds on time and keys that are new in each round: they do not recur.
	if end.Looping() && m.atMost && m.window.within == forEver && m.round.examinedInLoop &&
		!m.program.readsGrowing && !m.program.readsFresh {
		r.Violate(func() string {
			return fmt.Sprintf("the run repeats seq %d to %d forever, and %s with it; the rule is: %s",
				end.LoopFrom+1, end.LoopTo, m.pattern.source, m.program.citation)
		}, end.LoopFrom, end.LoopTo)
	}
	if end.MayLoop && m.atMost && m.window.within == forEver && r.Examined > 0 {
		r.Lacks(m.needsAnywhere(setOf(tracefmt.Kinds()).facts())...)
	}
	m.judgeEnd(r, s, s.Seq, s.Time, end)
	m.judgeRound(r, end, m.atMost || m.program.readsGrowing || m.program.readsFresh)
	m.finish(r, s)
}
