package spec

import (
	"slices"

	"etrace/tracefmt"
)

// cutCondition is a condition on several processes in a cut. It is a conjunction
// whose parts are of three sorts: a local condition is about the state of one
// process; a relation is about the states of several; a choice is about the
// processes alone, whatever their states.
type cutCondition struct {
	variables []string // the names of the processes
	parts     []*localPart
	relations []*relation
	choose    test // nil: every choice of different processes
}

// localPart is what the condition asks of one of the processes.
type localPart struct {
	holds test // nil: nothing
	// condition is that of holds.
	condition code
	// leaves are what relations need of its state, values what these may be, and slots
	// where frames keep them.
	leaves []eval
	values []code
	slots  []int
	// reads are the facts that it rests on.
	reads []tracefmt.Fact
}

// relation is a condition on the states of several processes. It is decided once
// that as many of the processes are chosen as the number last says.
type relation struct {
	holds test
	last  int
	// mine and others are the sides of an equality, of which mine is about the
	// last process; nil for other relations.
	mine, others eval
}

// mostLeaves bounds what relations may need of the state of a process.
const mostLeaves = 8

// cutCondition takes the condition of a rule apart. What stands after for means
// the same as in the condition itself, but that it may also be about one process,
// or none, without its state.
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

// sorting sorts the parts of a condition.
type sorting struct {
	*compiler
	*cutCondition
	local           map[string][]*node
	related, choice []*node
	bare            []*node // the first of each name that is not in variables
	kept            int     // leaves
}

// add sorts a part; chooses: it stands after for.
func (s *sorting) add(part *node, chooses bool) error {
	l := looks{compiler: s.compiler}
	if l.at(part); l.err != nil {
		return l.err
	}
	s.bare = append(s.bare, l.bare...)
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
	if len(s.variables) > mostVariables {
		return errorf(part.pos(), "the condition refers to the states of %d processes, expected at most %d", len(s.variables), mostVariables)
	}
	return nil
}

// compile compiles the parts once all are sorted.
func (s *sorting) compile() error {
	for _, n := range s.bare {
		if !slices.Contains(s.variables, n.name) {
			return errorf(n.pos(), "the condition asks for no state of %s, expected one, such as live(%[1]s); a text needs quotes: %[1]q", n)
		}
	}
	for _, v := range s.variables {
		mark := len(s.scope.program.reads)
		holds, err := s.of(v).conjunction(s.local[v])
		if err != nil {
			return err
		}
		s.parts = append(s.parts, &localPart{holds: holds.test, condition: holds, reads: s.scope.program.since(mark)})
	}
	all := *s.scope
	all.variables = s.variables
	for _, n := range s.related {
		if err := s.relate(&all, n); err != nil {
			return err
		}
	}
	var err error
	s.choose, err = all.all(s.choice)
	return err
}

// of returns the scope of a condition on one process.
func (s *sorting) of(variable string) *scope {
	own := *s.scope
	own.variables = []string{variable}
	return &own
}

// relate compiles a relation.
func (s *sorting) relate(all *scope, n *node) error {
	n, err := s.keep(n)
	if err != nil {
		return err
	}
	r := &relation{}
	r.holds, err = all.test(n)
	if err != nil {
		return err
	}
	r.last = s.last(n)
	s.relations = append(s.relations, r)
	if n.op != "==" {
		return nil
	}
	mine, others := n.kids[0], n.kids[1]
	if s.last(others) == r.last {
		mine, others = others, mine
	}
	if len(s.processes(mine)) != 1 || s.last(others) == r.last || s.last(others) < 0 {
		return nil
	}
	r.mine, err = all.value(mine)
	if err == nil {
		r.others, err = all.value(others)
	}
	return err
}

// keep puts in the place of what a relation asks of the state of one process what
// is kept of it.
func (s *sorting) keep(n *node) (*node, error) {
	l := looks{compiler: s.compiler}
	switch l.at(n); {
	case l.err != nil || len(l.states) == 0:
		return n, l.err
	case len(l.names()) == 1:
		return s.leaf(n, l.states[0])
	}
	own := *n
	own.kids = nil
	for _, k := range n.kids {
		k, err := s.keep(k)
		if err != nil {
			return nil, err
		}
		own.kids = append(own.kids, k)
	}
	return &own, nil
}

// leaf compiles what is kept of the state of a process.
func (s *sorting) leaf(n *node, variable string) (*node, error) {
	scope, part := s.of(variable), s.parts[slices.Index(s.variables, variable)]
	mark := len(s.scope.program.reads)
	c, err := scope.compile(n)
	if err != nil {
		return nil, err
	}
	get, err := scope.operand(n)
	if err != nil {
		return nil, err
	}
	if len(part.leaves) == mostLeaves {
		return nil, errorf(n.pos(), "relations need more than %d values of %s, expected fewer", mostLeaves, variable)
	}
	part.reads = distinct(part.reads, s.scope.program.since(mark))
	slot := s.kept
	s.kept++
	part.leaves, part.values, part.slots = append(part.leaves, get.eval), append(part.values, get), append(part.slots, slot)
	leaf := *n
	leaf.op, leaf.kids, leaf.name, leaf.event = "compiled", nil, variable, ""
	leaf.code = (code{typ: c.typ, eval: func(f *frame) value { return f.kept[slot] }})
	if c.typ == typBool {
		leaf.code.typ = typAny
	}
	return &leaf, nil
}

// compiled is what a leaf was compiled to.
func (*scope) compiled(n *node) (code, error) { return n.code, nil }

// processes returns the places of the variables that an expression with leaves
// refers to.
func (s *sorting) processes(n *node) (places []int) {
	n.walk(func(n *node) {
		i := slices.Index(s.variables, n.name)
		if (n.op == "compiled" || n.op == "field") && i >= 0 && !slices.Contains(places, i) {
			places = append(places, i)
		}
	})
	return places
}

// last returns the greatest of them, -1 for none.
func (s *sorting) last(n *node) int { return slices.Max(append(s.processes(n), -1)) }
