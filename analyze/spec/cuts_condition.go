package spec

import (
	"slices"

	"etrace/tracefmt"
)

// cutCondition is a condition on several processes in a cut: a conjunction of local conditions, relations and
// choices. A local condition is about the state of one process, a relation about the states of several, and a
// choice about the processes alone, whatever their states.
type cutCondition struct {
	variables []string // the names of the processes
	parts     []*localPart
	relations []*relation
	choose    test // nil: every choice of different processes
}

// localPart is the part of the condition about one of the processes.
type localPart struct {
	holds test // nil: no local condition
	// condition is the code of holds.
	condition code
	// leaves compute the values of its state that relations read, values the values that are possible, and
	// slots are their places in frames.
	leaves []eval
	values []code
	slots  []int
	// reads are the facts that the part reads.
	reads []tracefmt.Fact
}

// relation is a condition on the states of several processes. It is decided once the processes up to
// the place last are chosen.
type relation struct {
	holds test
	last  int
	// lastSide and otherSide are the sides of an equality; lastSide is about the last process. They are nil for
	// other relations.
	lastSide, otherSide eval
}

// maxLeaves bounds the values that relations read of the state of a process.
const maxLeaves = 8

// cutCondition splits the condition of a rule into its parts. The condition after "for" is split in the same
// way, but its parts may also be about the processes without their states.
func (c *compiler) cutCondition(form *neverForm) (*cutCondition, error) {
	n, err := c.scope.lower(form.Expr)
	if err != nil {
		return nil, err
	}
	s := sorting{compiler: c, cutCondition: &cutCondition{}, local: map[string][]*node{}}
	for _, part := range n.conjuncts() {
		if err := s.add(part, false); err != nil {
			return nil, err
		}
	}
	if form.For != nil {
		n, err = c.scope.lower(form.For)
		if err != nil {
			return nil, err
		}
		for _, part := range n.conjuncts() {
			if err := s.add(part, true); err != nil {
				return nil, err
			}
		}
	}
	return s.cutCondition, s.compile()
}

// sorting assigns the parts of a condition to the three sorts.
type sorting struct {
	*compiler
	*cutCondition
	local           map[string][]*node
	related, choice []*node
	unreadNames     []*node // the first use of each name that no part reads the state of
	leafCount       int     // the number of leaves
}

// add assigns a part; chooses is set for the condition after "for".
func (s *sorting) add(part *node, chooses bool) error {
	l := nameCollector{compiler: s.compiler}
	if l.collect(part); l.err != nil {
		return l.err
	}
	s.unreadNames = append(s.unreadNames, l.nameUses...)
	for _, v := range l.states {
		if !slices.Contains(s.variables, v) {
			s.variables = append(s.variables, v)
		}
	}
	switch names := l.names(); {
	case len(names) == 0 && !chooses:
		return errorf(part.pos(), "%s refers to no process, expected one such as leads(p)", part)
	case len(l.states) == 0 && (chooses || len(names) > 1):
		s.choice = append(s.choice, part)
	case len(names) == 1:
		s.local[names[0]] = append(s.local[names[0]], part)
	default:
		s.related = append(s.related, part)
	}
	if len(s.variables) > maxVariables {
		return errorf(part.pos(), "the condition refers to the states of %d processes, expected at most %d",
			len(s.variables), maxVariables)
	}
	return nil
}

// compile compiles the parts once all are sorted.
func (s *sorting) compile() error {
	for _, n := range s.unreadNames {
		if !slices.Contains(s.variables, n.name) {
			return errorf(n.pos(), "the condition asks for no state of %s, expected one, such as live(%[1]s); a text needs quotes: %[1]q", n)
		}
	}
	for _, v := range s.variables {
		mark := len(s.scope.program.facts)
		holds, err := s.scopeOf(v).conjunction(s.local[v])
		if err != nil {
			return err
		}
		s.parts = append(s.parts, &localPart{
			holds: holds.test, condition: holds,
			reads: s.scope.program.factsSince(mark),
		})
	}
	inner := *s.scope
	inner.variables = s.variables
	for _, n := range s.related {
		if err := s.relate(&inner, n); err != nil {
			return err
		}
	}
	var err error
	s.choose, err = inner.conjunctionTest(s.choice)
	return err
}

// scopeOf returns the scope of a condition on one process.
func (s *sorting) scopeOf(variable string) *scope {
	inner := *s.scope
	inner.variables = []string{variable}
	return &inner
}

// relate compiles a relation.
func (s *sorting) relate(inner *scope, n *node) error {
	n, err := s.keepLeaves(n)
	if err != nil {
		return err
	}
	r := &relation{}
	r.holds, err = inner.test(n)
	if err != nil {
		return err
	}
	r.last = s.last(n)
	s.relations = append(s.relations, r)
	if n.op != "==" {
		return nil
	}
	// An equality selects the intervals of the last process by key, if one side is about this process alone and the
	// other side is about processes that are chosen before.
	lastSide, otherSide := n.operands[0], n.operands[1]
	if s.last(otherSide) == r.last {
		lastSide, otherSide = otherSide, lastSide
	}
	if len(s.processes(lastSide)) != 1 || s.last(otherSide) == r.last || s.last(otherSide) < 0 {
		return nil
	}
	r.lastSide, err = inner.value(lastSide)
	if err == nil {
		r.otherSide, err = inner.value(otherSide)
	}
	return err
}

// keepLeaves replaces the subexpressions of a relation that read the state of one process by kept values.
func (s *sorting) keepLeaves(n *node) (*node, error) {
	l := nameCollector{compiler: s.compiler}
	switch l.collect(n); {
	case l.err != nil || len(l.states) == 0:
		return n, l.err
	case len(l.names()) == 1:
		return s.leaf(n, l.states[0])
	}
	replaced := *n
	replaced.operands = nil
	for _, k := range n.operands {
		k, err := s.keepLeaves(k)
		if err != nil {
			return nil, err
		}
		replaced.operands = append(replaced.operands, k)
	}
	return &replaced, nil
}

// leaf compiles a subexpression whose value is kept for each state of a process.
func (s *sorting) leaf(n *node, variable string) (*node, error) {
	scope, part := s.scopeOf(variable), s.parts[slices.Index(s.variables, variable)]
	mark := len(s.scope.program.facts)
	c, err := scope.compile(n)
	if err != nil {
		return nil, err
	}
	get, err := scope.operand(n)
	if err != nil {
		return nil, err
	}
	if len(part.leaves) == maxLeaves {
		return nil, errorf(n.pos(), "relations need more than %d values of %s, expected fewer", maxLeaves, variable)
	}
	part.reads = distinct(part.reads, s.scope.program.factsSince(mark))
	slot := s.leafCount
	s.leafCount++
	part.leaves, part.values, part.slots = append(part.leaves, get.eval), append(part.values, get),
		append(part.slots, slot)
	leaf := *n
	leaf.op, leaf.operands, leaf.name, leaf.event = "compiled", nil, variable, ""
	leaf.code = (code{typ: c.typ, eval: func(f *frame) value { return f.kept[slot] }})
	if c.typ == typBool {
		leaf.code.typ = typAny
	}
	return &leaf, nil
}

// compiledLeaf returns the code of a leaf.
func (*scope) compiledLeaf(n *node) (code, error) { return n.code, nil }

// processes returns the places of the variables that an expression with leaves refers to.
func (s *sorting) processes(n *node) (places []int) {
	n.walk(func(n *node) {
		i := slices.Index(s.variables, n.name)
		if (n.op == "compiled" || n.op == "field") && i >= 0 && !slices.Contains(places, i) {
			places = append(places, i)
		}
	})
	return places
}

// last returns the greatest of these places, -1 if there is no variable.
func (s *sorting) last(n *node) int { return slices.Max(append(s.processes(n), -1)) }
