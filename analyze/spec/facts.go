package spec

import (
	"slices"

	"etrace/tracefmt"
)

// relied has the facts that decide whether a part of a rule matches. They follow from the text of the rule.
type relied struct {
	// events are the kinds of unrecorded events that could match a pattern.
	events []tracefmt.Fact
	// reads are the facts that decide whether a recorded event matches: variables and statuses of processes, and
	// variables that the event may have assigned.
	reads []tracefmt.Fact
}

// allFacts returns all facts of both sorts.
func (t relied) allFacts() []tracefmt.Fact { return distinct(t.events, t.reads) }

// distinct joins lists of facts, without duplicates.
func distinct(lists ...[]tracefmt.Fact) (joined []tracefmt.Fact) {
	for _, list := range lists {
		for _, f := range list {
			if !slices.Contains(joined, f) {
				joined = append(joined, f)
			}
		}
	}
	return joined
}

// The facts that decide the status of a process, its restart without variables, and its term. An event may have
// the term in a column of its own.
var (
	statusFacts = factsOf(tracefmt.Crash, tracefmt.Halt, tracefmt.Recover)
	comingUp    = tracefmt.Fact{Kind: tracefmt.Recover}
	anyVariable = tracefmt.Fact{Kind: tracefmt.State}
)

// orStarts returns the facts, with starts added if recoveries are among them: a crashed process comes up by
// either.
func orStarts(facts []tracefmt.Fact) []tracefmt.Fact {
	if slices.Contains(facts, comingUp) {
		return append(facts[:len(facts):len(facts)], startFact)
	}
	return facts
}

// factsOf returns the kinds as facts.
func factsOf(kinds ...tracefmt.Kind) (facts []tracefmt.Fact) {
	for _, k := range kinds {
		facts = append(facts, tracefmt.Fact{Kind: k})
	}
	return facts
}

// noteReads records that the compiled expression reads facts of the state.
func (p *program) noteReads(facts ...tracefmt.Fact) {
	p.facts = append(p.facts, facts...)
	p.stateFacts = append(p.stateFacts, facts...)
}

// noteEventReads records that the expression reads facts of the event itself, which the event may lack.
func (p *program) noteEventReads(facts ...tracefmt.Fact) { p.facts = append(p.facts, facts...) }

// noteVariable records that the expression reads a variable of a process.
func (p *program) noteVariable(name string) {
	p.noteReads(tracefmt.StateOf(name))
	p.noteReads(comingUp)
}

// noteLeads records that the expression reads whether a process leads.
func (p *program) noteLeads() {
	p.readsLeads = true
	p.noteVariable(roleVariable)
	p.noteVariable(electedVariable)
	p.noteVariable(termField)
	p.noteReads(statusFacts...)
}

// factsSince returns the facts that the expressions compiled after a mark read. The mark is a length of the list of facts.
func (p *program) factsSince(mark int) []tracefmt.Fact { return distinct(p.facts[mark:]) }

// assigns reports whether events of one of the kinds assign variables.
func assigns(kinds []tracefmt.Kind) bool {
	return slices.ContainsFunc(kinds, tracefmt.Kind.AssignsVariables)
}

// matchedBy returns the facts of an unrecorded event that matches the pattern. An event of a kind that assigns
// variables matches only if it assigns the variables that the conditions read.
func (s *scope) matchedBy(conditions []*node) []tracefmt.Fact {
	var facts, variables []tracefmt.Fact
	for _, k := range s.kinds {
		simplified, truth := s.simplifyFor(k, &node{op: "and", operands: conditions})
		var required []string
		if truth == unknown {
			required = s.requiredFields(simplified.conjuncts())
		}
		switch {
		case truth == no: // an event of this kind never fits
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

// simplifyFor simplifies a condition on the event itself for events of kind k. It returns the rest of the condition,
// and its truth if the kind alone decides it. The recursion ends since each call descends to a smaller part of the
// condition.
func (s *scope) simplifyFor(k tracefmt.Kind, n *node) (*node, truth) {
	switch n.op {
	case "==", "!=", "in":
		if !s.isOwnField(n.operands[0], "kind") ||
			slices.ContainsFunc(n.operands[1:], func(n *node) bool { return n.op != "literal" }) {
			return n, unknown
		}
		listed := slices.ContainsFunc(n.operands[1:], func(n *node) bool {
			return n.value.sort == textual &&
				n.value.s == k.String()
		})
		return n, truthOf(listed == (n.op != "!="))
	case "not":
		simplified, truth := s.simplifyFor(k, n.operands[0])
		return &node{op: "not", tokens: n.tokens, operands: []*node{simplified}}, -truth
	case "and", "or":
		// One operand may decide the whole; otherwise the undecided operands remain.
		decides := no
		if n.op == "or" {
			decides = yes
		}
		result := &node{op: n.op, tokens: n.tokens}
		for _, kid := range n.operands {
			switch simplified, truth := s.simplifyFor(k, kid); truth {
			case decides:
				return n, decides
			case unknown:
				result.operands = append(result.operands, simplified)
			}
		}
		if len(result.operands) == 0 {
			return n, -decides
		}
		return result.unwrapped(), unknown
	}
	return n, unknown
}

// commonFacts returns the facts of an event that matches two patterns of the same kinds.
func commonFacts(a, b []tracefmt.Fact) []tracefmt.Fact {
	switch {
	case slices.Contains(a, anyVariable):
		return b
	case slices.Contains(b, anyVariable):
		return a
	}
	return distinct(a, b)
}

// requiredFields returns the fields without which a condition is not true: the fields that it compares or asks for.
// The term is excluded, since other columns may show it.
func (s *scope) requiredFields(conditions []*node) (names []string) {
	isOwnField := func(n *node) bool {
		// Every event has the columns of its kind, so only fields of the payload can be missing.
		column := len(n.path) == 0 && slices.ContainsFunc(columns, func(c column) bool { return c.name == n.name })
		return (n.op == "field" || n.op == "has") && (n.event == "" || n.event == s.event) && !column &&
			n.name != termField && !s.isName(n.name)
	}
	for _, c := range conditions {
		for _, n := range s.requiredOperands(c) {
			if isOwnField(n) {
				names = append(names, n.name)
			}
		}
	}
	return names
}

// requiredOperands returns a condition and the values in it without which it is not true: the sides of a comparison,
// and the first argument of a function of a text or a list.
func (s *scope) requiredOperands(n *node) []*node {
	list := []*node{n}
	var within []*node
	switch n.op {
	case "==", "!=", "<", "<=", ">", ">=":
		within = n.operands
	case "in", "not": // an operand that is neither true nor false stays so
		within = n.operands[:1]
	case "call":
		// An error of the fluent is reported where the fluent is compiled.
		if _, fluent, _ := s.fluent(n.name); !fluent && slices.Contains([]string{"matches", "len", "nobody", "prefix"}, n.name) {
			within = n.operands[:min(1, len(n.operands))]
		}
	}
	for _, kid := range within {
		if kid.op != "has" { // has is false for a missing field, not unknown
			list = append(list, s.requiredOperands(kid)...)
		}
	}
	return list
}

// isName reports whether a name is that of a process, a fluent, or n.
func (s *scope) isName(name string) bool { return slices.Contains(s.knownNames(), name) }

// factsFor returns the facts of the rule in a run: the term is replaced by the fact that records it in that
// problem.
func (b *base) factsFor(facts []tracefmt.Fact) []tracefmt.Fact {
	term := tracefmt.StateOf(termField)
	if !slices.Contains(facts, term) || b.frame.state == nil {
		return facts
	}
	return distinct(facts, []tracefmt.Fact{b.frame.state.TermFact()})
}
