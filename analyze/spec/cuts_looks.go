package spec

import "slices"

// nameCollector collects the names in a condition on a cut: the processes whose state it reads, and the processes that
// it only names. It refuses a condition that reads the state of any other process.
type nameCollector struct {
	*compiler
	states   []string
	nameUses []*node
	bound    []string // names bound by quantifiers
	err      error
}

// names returns the processes that the condition refers to.
func (l *nameCollector) names() []string {
	names := slices.Clone(l.states)
	for _, n := range l.nameUses {
		if !slices.Contains(names, n.name) {
			names = append(names, n.name)
		}
	}
	return names
}

// collect collects the names of an expression.
func (l *nameCollector) collect(n *node) {
	i, fluent, _ := l.scope.fluent(n.name) // its error is reported where the fluent is compiled
	switch {
	case l.err != nil:
	case n.op == "call" && n.name == "count" && !fluent:
		l.refuseCount(n)
	case n.op == "field" && fluent:
		l.fail(n, "looks at more than one process")
	case n.op == "field":
		l.collectName(n)
	case n.op == "forall" || n.op == "exists":
		l.collectQuantified(n)
	case n.op == "call" && fluent && !l.scope.program.fluents[i].local:
		l.fail(n, "looks at more than one process")
	// A function of the state without arguments, such as live(), is a set of processes.
	case n.op == "call" && (fluent || readsState(n.name) && len(n.operands) > 0):
		l.collectState(n)
	case n.op == "call" && readsState(n.name):
		l.fail(n, "looks at more than one process")
	default:
		for _, k := range n.operands {
			l.collect(k)
		}
	}
}

// fail stores the first error, at the node n.
func (l *nameCollector) fail(n *node, fault string) {
	if l.err == nil {
		l.err = errorf(n.pos(), "%s %s, expected conditions on the states of processes that have a name, such as leads(p)", n, fault)
	}
}

// refuseCount refuses a condition on a number of processes.
func (l *nameCollector) refuseCount(n *node) {
	name := "leads"
	if len(n.operands) == 1 && (n.operands[0].op == "field" || n.operands[0].op == "call") &&
		n.operands[0].event == "" {
		name = n.operands[0].name
	}
	l.err = errorf(n.pos(), "%s looks at all processes at once, expected a condition on each that has a name: %s(p) and %[2]s(q)", n, name)
}

// collectName collects a name that is alone: that of a process, unless it is bound or n.
func (l *nameCollector) collectName(n *node) {
	if n.event != "" || n.name == "n" || slices.Contains(l.bound, n.name) {
		return
	}
	if !slices.ContainsFunc(l.nameUses, func(b *node) bool { return b.name == n.name }) {
		l.nameUses = append(l.nameUses, n)
	}
}

// collectState collects the process whose state a call reads: its first argument must be a name.
func (l *nameCollector) collectState(n *node) {
	for i, k := range n.operands {
		switch {
		case i > 0:
			l.collect(k)
		case k.op != "field" || k.event != "" || slices.Contains(l.bound, k.name) || k.name == "n":
			l.fail(n, "looks at a process that has no name of its own in the rule")
		case !slices.Contains(l.states, k.name):
			l.states = append(l.states, k.name)
		}
	}
}

// collectQuantified collects the names of a condition on all processes, which may not read their states.
func (l *nameCollector) collectQuantified(n *node) {
	l.collect(n.operands[0])
	l.bound = append(l.bound, n.name)
	l.collect(n.operands[1])
	l.bound = l.bound[:len(l.bound)-1]
}

// readsState reports whether a function reads the state, of one process or of all.
func readsState(name string) bool {
	return slices.ContainsFunc(functions, func(f function) bool {
		return f.name == name && (len(f.parameters) > 0 && f.parameters[0] == typAny || f.name == "live")
	})
}
