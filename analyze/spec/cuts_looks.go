package spec

import "slices"

// looks collects the names in a condition on a cut: the processes whose state it reads, and the processes that it
// only names. A condition that reads the state of any other process is refused.
type looks struct {
	*compiler
	states []string
	bare   []*node
	bound  []string // names bound by quantifiers
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

// at collects the names of an expression.
func (l *looks) at(n *node) {
	i, fluent, _ := l.scope.fluent(n.name) // its error is reported where the fluent is compiled
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

func (l *looks) fail(n *node, fault string) {
	if l.err == nil {
		l.err = errorf(n.pos(), "%s %s, expected conditions on the states of processes that have a name, such as leads(p)", n, fault)
	}
}

// counts refuses a condition on a number of processes.
func (l *looks) counts(n *node) {
	name := "leads"
	if len(n.kids) == 1 && (n.kids[0].op == "field" || n.kids[0].op == "call") && n.kids[0].event == "" {
		name = n.kids[0].name
	}
	l.err = errorf(n.pos(), "%s looks at all processes at once, expected a condition on each that has a name: %s(p) and %[2]s(q)", n, name)
}

// name collects a name that is alone: that of a process, unless it is bound or n.
func (l *looks) name(n *node) {
	if n.event != "" || n.name == "n" || slices.Contains(l.bound, n.name) {
		return
	}
	if !slices.ContainsFunc(l.bare, func(b *node) bool { return b.name == n.name }) {
		l.bare = append(l.bare, n)
	}
}

// state collects the process whose state a call reads: its first argument must be a name.
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

// quantifier collects the names of a condition on all processes, which may not read their states.
func (l *looks) quantifier(n *node) {
	l.at(n.kids[0])
	l.bound = append(l.bound, n.name)
	l.at(n.kids[1])
	l.bound = l.bound[:len(l.bound)-1]
}

// ofState reports whether a function reads the state, of one process or of all.
func ofState(name string) bool {
	return slices.ContainsFunc(functions, func(f function) bool {
		return f.name == name && (len(f.takes) > 0 && f.takes[0] == typAny || f.name == "live")
	})
}
