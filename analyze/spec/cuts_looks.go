package spec

import "slices"

// looks finds out what a condition in a cut is about: of which processes it asks
// for the state, and which it only names. What asks for the state of others than
// those that it names has no place in a cut.
type looks struct {
	*compiler
	states []string
	bare   []*node
	bound  []string // by quantifiers
	err    error
}

// names returns the processes that the condition refers to.
func (l *looks) names() []string {
	names := slices.Clone(l.states)
	for _, n := range l.bare {
		if !slices.Contains(names, n.name) {
			names = append(names, n.name)
		}
	}
	return names
}

// at takes in an expression.
func (l *looks) at(n *node) {
	i, fluent, _ := l.scope.fluent(n.name) // an error shows where it is compiled
	switch {
	case l.err != nil:
	case n.op == "call" && n.name == "count" && !fluent:
		l.counts(n)
	case n.op == "field" && fluent:
		l.fail(n, "looks at more than one process")
	case n.op == "field":
		l.name(n)
	case n.op == "forall" || n.op == "exists":
		l.quantifier(n)
	case n.op == "call" && fluent && !l.scope.program.fluents[i].local:
		l.fail(n, "looks at more than one process")
	case n.op == "call" && (fluent || ofState(n.name) && len(n.kids) > 0):
		l.state(n)
	case n.op == "call" && ofState(n.name):
		l.fail(n, "looks at more than one process")
	default:
		for _, k := range n.kids {
			l.at(k)
		}
	}
}

func (l *looks) fail(n *node, what string) {
	if l.err == nil {
		l.err = errorf(n.pos(), "%s %s, expected conditions on the states of processes that have a name, such as leads(p)", n, what)
	}
}

// counts refuses a number of processes.
func (l *looks) counts(n *node) {
	name := "leads"
	if len(n.kids) == 1 && (n.kids[0].op == "field" || n.kids[0].op == "call") && n.kids[0].event == "" {
		name = n.kids[0].name
	}
	l.err = errorf(n.pos(), "%s looks at all processes at once, expected a condition on each that has a name: %s(p) and %[2]s(q)", n, name)
}

// name takes in a name that stands alone: of a process, unless it is bound, or n.
func (l *looks) name(n *node) {
	if n.event != "" || n.name == "n" || slices.Contains(l.bound, n.name) {
		return
	}
	if !slices.ContainsFunc(l.bare, func(b *node) bool { return b.name == n.name }) {
		l.bare = append(l.bare, n)
	}
}

// state takes in what asks for the state of a process: its first argument is a
// name.
func (l *looks) state(n *node) {
	for i, k := range n.kids {
		switch {
		case i > 0:
			l.at(k)
		case k.op != "field" || k.event != "" || slices.Contains(l.bound, k.name) || k.name == "n":
			l.fail(n, "looks at a process that has no name of its own in the rule")
		case !slices.Contains(l.states, k.name):
			l.states = append(l.states, k.name)
		}
	}
}

// quantifier takes in a condition on all processes, which may not ask for their
// states.
func (l *looks) quantifier(n *node) {
	l.at(n.kids[0])
	l.bound = append(l.bound, n.name)
	l.at(n.kids[1])
	l.bound = l.bound[:len(l.bound)-1]
}

// ofState reports whether a function asks for the state, of a process or of all.
func ofState(name string) bool {
	return slices.ContainsFunc(functions, func(f function) bool {
		return f.name == name && (len(f.takes) > 0 && f.takes[0] == typAny || f.name == "live")
	})
}
