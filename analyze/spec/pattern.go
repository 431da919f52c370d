package spec

import (
	"slices"
	"strings"

	"etrace/tracefmt"
)

// kindSet is a set of event kinds, one bit each. A rule ignores events whose kind is in none of its sets.
type kindSet uint32

// setOf returns the set of the kinds.
func setOf(kinds []tracefmt.Kind) (set kindSet) {
	for _, k := range kinds {
		set |= 1 << k
	}
	return set
}

// kindsOf returns the kinds of facts.
func kindsOf(facts []tracefmt.Fact) (set kindSet) {
	for _, f := range facts {
		set |= 1 << f.Kind
	}
	return set
}

// facts returns the kinds as facts.
func (s kindSet) facts() (facts []tracefmt.Fact) {
	for _, k := range tracefmt.Kinds() {
		if s.has(k) {
			facts = append(facts, tracefmt.Fact{Kind: k})
		}
	}
	return facts
}

// has reports whether the set contains the kind.
func (s kindSet) has(k tracefmt.Kind) bool { return s>>k&1 != 0 }

// matcher is a compiled pattern.
type matcher struct {
	name   string // the event's name in the rule
	kinds  kindSet
	test   test // nil: every event of these kinds
	source string
	// description describe the events of the pattern for people: "send or receive event".
	description string
	steps       bool // the pattern is about steps: kinds that the run does not have are not missing
	// fluentFacts are the facts without which a fluent in the conditions never begins.
	fluentFacts []tracefmt.Fact
	relied
	hypotheticalTests
}

// triggers returns the facts without which no event matches.
func (m *matcher) triggers() []tracefmt.Fact {
	if kinds := m.kinds.facts(); len(kinds) == 1 {
		return distinct(m.events, m.fluentFacts)
	}
	return m.fluentFacts
}

// matches reports whether the current event matches. A condition that is neither true nor false does not match. An
// inferred event does not, since it may have happened elsewhere in its gap, or not at all: there it counts as an
// unrecorded event.
func (m *matcher) matches(f *frame) bool {
	return m.kinds.has(f.event.Kind) && !f.event.Inferred() && (m.test == nil || m.test(f) == yes)
}

// defaultName is the name of a pattern's event if the rule gives none.
const defaultName = "e"

// steps are the kinds of steps.
var steps = slices.DeleteFunc(tracefmt.Kinds(), func(k tracefmt.Kind) bool { return !k.IsStep() })

// scopeOf returns the scope of a pattern's own event.
func (s *scope) scopeOf(p *pattern) (*scope, error) {
	inner := *s
	inner.event, inner.kinds = defaultName, nil
	if p.Name != "" {
		inner.event = p.Name
	}
	for _, name := range p.Kinds {
		if name == anyEvent {
			inner.kinds = tracefmt.Kinds()
			break
		}
		if name == anyStep {
			inner.kinds = append(inner.kinds, steps...)
			continue
		}
		kind, err := tracefmt.ParseKind(name)
		if err != nil {
			return nil, errorf(p.Pos, "%v", err)
		}
		inner.kinds = append(inner.kinds, kind)
	}
	return &inner, nil
}

// matcher compiles a pattern that refers to its own event alone.
func (s *scope) matcher(p *pattern) (*matcher, error) {
	inner, err := s.scopeOf(p)
	if err != nil {
		return nil, err
	}
	conditions, err := inner.conditions(p)
	if err != nil {
		return nil, err
	}
	return inner.matcherOf(p, conditions)
}

// matcherOf compiles a pattern whose conditions are given, in the scope of its event. It also notes the facts that
// the pattern reads.
func (s *scope) matcherOf(p *pattern, conditions []*node) (*matcher, error) {
	mark := len(s.program.facts)
	m := &matcher{
		name: s.event, kinds: setOf(s.kinds), source: sourceText(p.Tokens),
		description: strings.Join(p.Kinds, " or ") + " event",
	}
	if p.Kinds[0] == anyEvent {
		m.description = anyEvent
	}
	m.steps = slices.Contains(p.Kinds, anyStep)
	for _, n := range conditions {
		i, ok, _ := s.fluent(n.name) // its error is reported where the fluent is compiled
		if ok && n.op == "call" && len(s.program.fluents[i].begins) == 1 {
			m.fluentFacts = append(m.fluentFacts, s.program.fluents[i].begins[0].triggers()...)
		}
	}
	var err error
	m.test, err = s.conjunctionTest(conditions)
	m.relied = relied{s.matchedBy(conditions), s.program.factsSince(mark)}
	if err == nil {
		m.hypotheticalTests, err = s.hypotheticalTests(conditions)
	}
	return m, err
}

// reliedOf returns the facts of several patterns.
func reliedOf(matchers []*matcher) (t relied) {
	for _, m := range matchers {
		t = relied{distinct(t.events, m.events), distinct(t.reads, m.reads)}
	}
	return t
}

// conjunctionTest compiles the conjunction of conditions, nil without conditions.
func (s *scope) conjunctionTest(conditions []*node) (test, error) {
	c, err := s.conjunction(conditions)
	return c.test, err
}

// conjunction is conjunctionTest, with the possible truths.
func (s *scope) conjunction(conditions []*node) (code, error) {
	switch len(conditions) {
	case 0:
		return code{}, nil
	case 1:
		return s.condition(conditions[0])
	}
	return s.condition(&node{op: "and", tokens: conditions[0].tokens, operands: conditions})
}

// conditions returns the arguments of a pattern and its where condition, split at and.
func (s *scope) conditions(p *pattern) ([]*node, error) {
	var list []*node
	exprs := p.Args
	if p.Where != nil {
		exprs = append(exprs[:len(exprs):len(exprs)], p.Where)
	}
	for _, e := range exprs {
		n, err := s.lower(e)
		if err != nil {
			return nil, err
		}
		list = append(list, n.conjuncts()...)
	}
	if slices.Contains(p.Kinds, anyStep) { // a note may have no process
		list = append(list, &node{op: "has", name: "process", tokens: p.Tokens})
	}
	return list, nil
}

// keyer computes the key of the current event. ok is false if a part of the key is absent.
type keyer []eval

// key returns the key of the current event; ok is false if a part of it is absent.
func (k keyer) key(f *frame) (result key, ok bool) {
	ok = k.keyInto(f, &result)
	return result, ok
}

// keyInto is key for a result in place: a key is too large to copy often.
func (k keyer) keyInto(f *frame, result *key) bool {
	*result = key{}
	for i, part := range k {
		v := part(f)
		if v.sort == process || v.sort == textual {
			v = f.canonical(v)
		}
		switch {
		case v.sort == absent:
			*result = key{}
			return false
		case i < len(result):
			result[i] = v
		default:
			result[1] = f.fold(result[1], v)
		}
	}
	return true
}

// keyOf compiles a list of expressions.
func (s *scope) keyOf(exprs []*orExpr) (keyer, []string, error) {
	var k keyer
	var sources []string
	for _, e := range exprs {
		n, err := s.lower(e)
		if err != nil {
			return nil, nil, err
		}
		part, err := s.value(n)
		if err != nil {
			return nil, nil, err
		}
		k, sources = append(k, part), append(sources, n.String())
	}
	return k, sources, nil
}
