package spec

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/alecthomas/participle/v2/lexer"

	"etrace/analyze"
	"etrace/replay"
	"etrace/tracefmt"
)

// compile of "at most N P per K", "at least N P per K" and "exactly N P per K", and
// of the rate "at most N P per K within T".
func (form *countForm) compile(c *compiler) (*plan, error) {
	within, err := form.within()
	if err != nil {
		return nil, err
	}
	bound, err := lowerSum(form.Bound)
	if err != nil {
		return nil, err
	}
	m := countMonitor{least: form.Word != "most", most: form.Word != "least", word: form.words(), window: window{span: within}}
	m.bound, err = c.scope.value(bound, typNumber)
	if err != nil {
		return nil, err
	}
	if v := bound.value; bound.op == "literal" && v.sort == integer {
		m.few = v.n
	}
	m.computed = len(c.scope.program.reads) > 0
	m.pattern, err = c.scope.matcher(form.Pattern)
	if err != nil {
		return nil, err
	}
	own, err := c.scope.of(form.Pattern)
	if err != nil {
		return nil, err
	}
	m.key, m.per, err = own.groupsOf(form.Per)
	if err != nil {
		return nil, err
	}
	m.everyProcess = len(m.per) == 1 && (m.per[0] == "process" || m.per[0] == own.own+".process")
	plan := &plan{kind: analyze.Safety, needs: m.pattern.words, kinds: m.pattern.kinds, monitor: func(b base) analyze.Monitor {
		own := m
		own.base = b
		own.looksAtShown = m.pattern.kinds.has(tracefmt.Send) && m.window.within == forEver
		return &own
	}}
	plan.split = m.split(within)
	reads := c.scope.program.since(0)
	m.rests, m.reads = relied{m.pattern.events, reads}, len(reads) > 0
	plan.relies, plan.excuses, plan.triggers = m.relies(len(form.Per) > 0), reads, m.pattern.triggers()
	if m.least {
		plan.kind = analyze.Liveness
		plan.excuses = m.rests.any()
	}
	return plan, nil
}

func (m *countMonitor) split(within span) *split {
	events := side{kinds: m.pattern.kinds, matches: m.pattern.matches, key: m.key, all: true}
	if m.least { // those that do not count say which keys there are
		events.matches = nil
	}
	split := keyed(m.per, events)
	split.timed = within.within != forEver
	split.sends = m.pattern.kinds.has(tracefmt.Send)
	return split
}

func (form *countForm) words() string {
	if form.Word == "exactly" {
		return form.Word
	}
	return "at " + form.Word
}

// within is the bound on the time, forEver for none.
func (form *countForm) within() (span, error) {
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
			form.words(), sourceText(form.Pattern.Tokens))
	case given == nil:
		return endless, nil
	case form.Word != "most":
		return endless, errorf(given.Pos,
			"within belongs to: at most ... (a rate), each ... and eventually; expected no time after %s", form.words())
	}
	return given.span()
}

// groupsOf compiles what is after "per". Of what names no field, all events have the
// same.
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
		varies = varies || n.op == "call" || n.op == "has" || n.op == "field" && (n.name != "n" || n.event != "" || len(n.path) > 0)
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

// countMonitor counts the events of a pattern, for each key. Where the number must
// reach something, the keys are those of all events of its kinds.
type countMonitor struct {
	base
	least, most  bool
	word         string // what the rule asks for: at most
	bound        eval
	few          int64 // so many are certainly not too many
	pattern      *matcher
	key          keyer
	per          []string
	everyProcess bool // the key is the process
	counts       table[counted]
	doubts       map[key][]analyze.Need // what it rests on that they count
	now          key                    // of the event at hand
	keys         []appeared             // those of counts, where they are asked for at the end
	window       window
	rests        relied
	reads        bool // it rests on more than the events that it counts
	computed     bool // the bound is one of the state
}

// relies are the facts on which it rests that there are neither too many nor too few. With
// keys, any event of the kinds is one of which there may be too few.
func (m *countMonitor) relies(keyed bool) []tracefmt.Fact {
	switch {
	case m.most:
		return m.rests.any()
	case keyed && m.pattern.kinds != 0:
		return distinct(m.rests.reads, m.pattern.kinds.facts())
	}
	return m.rests.reads
}

// appeared is a key with the first event that had it, or the place of a process that has none, and the
// last one that counts.
type appeared struct {
	key      key
	at, last tracefmt.Seq
}

// counted is how many events there were with a key, or are in the window, and the first ever.
type counted struct {
	count int32
	place int32 // of the key in keys
	first tracefmt.Seq
}

func (m *countMonitor) Step(r *analyze.Result, s *replay.State, e *tracefmt.Event) {
	timed := m.window.within != forEver
	if m.lost || timed && !m.window.tick(r, &m.base, e) || !m.wants(s, e) {
		return
	}
	if timed {
		m.window.expire(func(d dated) { m.counts.get(m.frame.names, &d.key).count-- })
	}
	m.look(r)
	counts := m.meets(m.pattern)
	if !counts && m.pattern.kinds.has(e.Kind) {
		m.restOn(r, m.pattern.test)
	}
	if !counts && !(m.least && m.pattern.kinds.has(e.Kind)) {
		return
	}
	k := &m.now
	switch {
	case m.key.into(m.frame, k):
	case counts:
		r.Undecided(m.vain())
		m.vague = cmp.Or(m.vague, e.Seq)
		return
	default:
		return // it is no event that is counted
	}
	c := m.entry(r, k)
	if c == nil || !counts {
		return
	}
	if m.frame.partial() && m.reads {
		if m.doubts == nil {
			m.doubts = make(map[key][]analyze.Need)
		}
		m.doubts[*k] = append(m.doubts[*k], m.frame.doubtsOf(m.pattern.test, m.key)...)
		r.Lacks(m.frame.openDoubts(nil, m.key)...)
	}
	m.add(r, k, c)
}

// look counts the send that the event at hand shows.
func (m *countMonitor) look(r *analyze.Result) {
	if !m.looksAtShown {
		return
	}
	send := m.shownSend()
	if send == nil {
		return
	}
	k, known := &m.now, true
	matches := m.supposes(send, m.pattern)
	if matches == no {
		return
	}
	m.frame.suppose(send, func() { known = m.key.into(m.frame, k) })
	if matches == unknown || !known {
		r.Lacks(analyze.Needs(send.Process, 0, m.frame.event.Seq, tracefmt.Fact{Kind: tracefmt.Send})...)
		return
	}
	if c := m.entry(r, k); c != nil {
		m.add(r, k, c)
	}
}

// add counts the event at hand, or the one that it shows.
func (m *countMonitor) add(r *analyze.Result, k *key, c *counted) {
	r.Examined++
	m.round.looked = m.frame.event.Seq
	if c.count++; c.first == 0 {
		c.first = m.frame.event.Seq
	}
	if m.least {
		m.keys[c.place].last = m.frame.event.Seq
	}
	if m.window.within != forEver {
		if !m.window.holdsMore(r, &m.base) {
			return
		}
		m.window.add(dated{m.window.now, *k, m.frame.event.Seq})
	}
	m.judge(r, k, c)
}

// Relies are the facts of which one must have happened without being recorded for there to
// be too many events; what it rests on that those which are recorded do not count, or not
// with another key, was said of each.
func (m *countMonitor) Relies(s *replay.State, end analyze.Ending) []analyze.Need {
	m.frame.state = s
	if m.least || m.computed || m.unheard() {
		return m.base.Relies(s, end)
	}
	return m.possible(end, m.pattern)
}

// entry finds or makes the count of a key, nil if there is no room.
func (m *countMonitor) entry(r *analyze.Result, k *key) *counted {
	c := m.counts.get(m.frame.names, k)
	if c == nil && m.room(r, m.counts.size) {
		c = m.counts.put(m.frame.names, k, counted{place: int32(len(m.keys))})
		if m.least {
			m.keys = append(m.keys, appeared{key: *k, at: m.frame.event.Seq})
		}
	}
	return c
}

// judge asks whether the event at hand is one too many.
func (m *countMonitor) judge(r *analyze.Result, k *key, c *counted) {
	if int64(c.count) <= m.few {
		return
	}
	bound := m.bound(m.frame)
	switch {
	case !bound.isNumber():
		r.Undecided(m.vain())
	case !m.most || m.order(int64(c.count), bound) <= 0:
	case r.Violations > 0:
		r.Violations++
	default:
		first := c.first
		if m.window.within != forEver {
			first = m.window.oldest(*k)
		}
		excuses, of := m.doubts[*k], *k
		if m.computed {
			excuses = slices.Concat(excuses, m.frame.doubts(func() { m.bound(m.frame) }))
		}
		r.ViolateUnless(excuses, func() string {
			return fmt.Sprintf("%s, number %d of %s%s%s, the first at seq %d; expected %s %s",
				m.frame.tell(), c.count, m.pattern.source, m.with(of), m.window.told, first, m.word, m.frame.show(bound))
		}, first, m.frame.event.Seq)
	}
}

// order compares a count with a bound that is a number.
func (m *countMonitor) order(count int64, bound value) int {
	order, _ := m.frame.compare(number(count), bound)
	return order
}

// with says of which key, for an explanation.
func (m *countMonitor) with(k key) string {
	if len(m.key) == 0 {
		return ""
	}
	return " with " + m.frame.pairs(m.per, " = ", k)
}

// End closes the rule. What happens once in a loop happens without end.
func (m *countMonitor) End(r *analyze.Result, s *replay.State, end analyze.Ending) {
	if end.Looping() && m.most && m.window.within == forEver && m.round.touched && !m.program.timed && !m.program.renamed {
		r.Violate(func() string {
			return fmt.Sprintf("the run repeats seq %d to %d forever, and %s with it; the rule is: %s",
				end.LoopFrom+1, end.LoopTo, m.pattern.source, m.program.rule)
		}, end.LoopFrom, end.LoopTo)
	}
	if end.MayLoop && m.most && m.window.within == forEver && r.Examined > 0 {
		r.Lacks(m.anywhere(setOf(tracefmt.Kinds()).facts())...)
	}
	m.settle(r, s, s.Seq, s.Time, end)
	m.judgeRound(r, end, m.most || m.program.timed || m.program.renamed)
	m.close(r, s)
}
