package spec

import (
	"slices"

	"etrace/tracefmt"
)

// relied is which facts a part of a rule rests on, as follows from its text.
type relied struct {
	// events are the facts one of which must happen for an event that is not recorded to
	// match a pattern.
	events []tracefmt.Fact
	// reads are those that decide of what is recorded: variables and statuses of
	// processes, and variables that a recorded event may have assigned, too.
	reads []tracefmt.Fact
}

// any are all facts of both sorts.
func (t relied) any() []tracefmt.Fact { return distinct(t.events, t.reads) }

// distinct joins lists of facts, without repetitions.
func distinct(lists ...[]tracefmt.Fact) (all []tracefmt.Fact) {
	for _, list := range lists {
		for _, f := range list {
			if !slices.Contains(all, f) {
				all = append(all, f)
			}
		}
	}
	return all
}

// The facts that decide of the status of a process, of its coming up without variables, and
// of its term, which an event may have in a column of its own.
var (
	statusFacts = factsOf(tracefmt.Crash, tracefmt.Halt, tracefmt.Recover)
	comingUp    = tracefmt.Fact{Kind: tracefmt.Recover}
	anyVariable = tracefmt.Fact{Kind: tracefmt.State}
)

// orStarts are the facts and, where recoveries are among them, starts: a process that crashed
// comes up by either.
func orStarts(facts []tracefmt.Fact) []tracefmt.Fact {
	if slices.Contains(facts, comingUp) {
		return append(facts[:len(facts):len(facts)], startFact)
	}
	return facts
}

func factsOf(kinds ...tracefmt.Kind) (all []tracefmt.Fact) {
	for _, k := range kinds {
		all = append(all, tracefmt.Fact{Kind: k})
	}
	return all
}

// note states that what is compiled reads the facts, of the state.
func (p *program) note(facts ...tracefmt.Fact) {
	p.reads = append(p.reads, facts...)
	p.looks = append(p.looks, facts...)
}

// noteOwn states that it reads the facts of the event itself, which may be missing.
func (p *program) noteOwn(facts ...tracefmt.Fact) { p.reads = append(p.reads, facts...) }

// noteVariable states that it reads a variable of a process.
func (p *program) noteVariable(name string) {
	p.note(tracefmt.StateOf(name))
	p.note(comingUp)
}

// noteLeads states that it reads whether a process leads.
func (p *program) noteLeads() {
	p.leads = true
	p.noteVariable(roleVariable)
	p.noteVariable(electedVariable)
	p.noteVariable(termField)
	p.note(statusFacts...)
}

// since returns what was noted after a mark, which is how many notes there were.
func (p *program) since(mark int) []tracefmt.Fact { return distinct(p.reads[mark:]) }

// assigns reports whether events of one of the kinds assign variables.
func assigns(kinds []tracefmt.Kind) bool {
	return slices.ContainsFunc(kinds, tracefmt.Kind.AssignsVariables)
}

// matchedBy returns the facts of which a hidden event of the pattern is one. One that can assign variables
// matches only if it assigns those that the conditions ask for, and of some kind only if they allow of it.
func (s *scope) matchedBy(conditions []*node) []tracefmt.Fact {
	var facts, variables []tracefmt.Fact
	for _, k := range s.kinds {
		of, truth := s.given(k, &node{op: "and", kids: conditions})
		var required []string
		if truth == unknown {
			required = s.required(of.conjuncts())
		}
		switch {
		case truth == no:
		case !k.AssignsVariables() || len(required) == 0:
			facts = append(facts, tracefmt.Fact{Kind: k})
		default:
			for _, name := range required {
				variables = append(variables, tracefmt.StateOf(name))
			}
		}
	}
	return distinct(facts, variables)
}

// given is what is left of a condition of the own event where that is of a kind, and its truth if that
// decides it.
func (s *scope) given(k tracefmt.Kind, n *node) (*node, truth) {
	switch n.op {
	case "==", "!=", "in":
		if !s.isOwn(n.kids[0], "kind") || slices.ContainsFunc(n.kids[1:], func(n *node) bool { return n.op != "literal" }) {
			return n, unknown
		}
		is := slices.ContainsFunc(n.kids[1:], func(n *node) bool { return n.value.sort == textual && n.value.s == k.String() })
		return n, truthOf(is == (n.op != "!="))
	case "not":
		of, truth := s.given(k, n.kids[0])
		return &node{op: "not", tokens: n.tokens, kids: []*node{of}}, -truth
	case "and", "or":
		decides := no
		if n.op == "or" {
			decides = yes
		}
		left := &node{op: n.op, tokens: n.tokens}
		for _, kid := range n.kids {
			switch of, truth := s.given(k, kid); truth {
			case decides:
				return n, decides
			case unknown:
				left.kids = append(left.kids, of)
			}
		}
		if len(left.kids) == 0 {
			return n, -decides
		}
		return left.unwrapped(), unknown
	}
	return n, unknown
}

// both are the facts of an event that matches two patterns of the same kinds.
func both(a, b []tracefmt.Fact) []tracefmt.Fact {
	switch {
	case slices.Contains(a, anyVariable):
		return b
	case slices.Contains(b, anyVariable):
		return a
	}
	return distinct(a, b)
}

// required are the fields without which one of the conditions is not true: those that it
// compares or asks for. The term may be told elsewhere.
func (s *scope) required(conditions []*node) (names []string) {
	own := func(n *node) bool {
		column := len(n.path) == 0 && slices.ContainsFunc(columns, func(c column) bool { return c.name == n.name })
		return (n.op == "field" || n.op == "has") && (n.event == "" || n.event == s.own) && !column && n.name != termField && !s.named(n.name)
	}
	for _, c := range conditions {
		for _, n := range s.operands(c) {
			if own(n) {
				names = append(names, n.name)
			}
		}
	}
	return names
}

// operands are a condition and the values in it without which it is not true: what a
// comparison compares, and what a function of a text or a list is asked of.
func (s *scope) operands(n *node) []*node {
	all := []*node{n}
	var within []*node
	switch n.op {
	case "==", "!=", "<", "<=", ">", ">=":
		within = n.kids
	case "in", "not": // what is neither true nor false stays so
		within = n.kids[:1]
	case "call":
		// an error shows where it is compiled
		if _, fluent, _ := s.fluent(n.name); !fluent && slices.Contains([]string{"matches", "len", "nobody"}, n.name) {
			within = n.kids[:min(1, len(n.kids))]
		}
	}
	for _, kid := range within {
		if kid.op != "has" { // which is no value, and may be false
			all = append(all, s.operands(kid)...)
		}
	}
	return all
}

// named reports whether a name is that of a process, a fluent or the number n.
func (s *scope) named(name string) bool { return slices.Contains(s.known(), name) }

// factsFor are the facts of the rule in a run: those that it names, and those that stand for
// the term.
func (b *base) factsFor(facts []tracefmt.Fact) []tracefmt.Fact {
	term := tracefmt.StateOf(termField)
	if !slices.Contains(facts, term) || b.frame.state == nil {
		return facts
	}
	return distinct(facts, []tracefmt.Fact{b.frame.state.TermFact()})
}
