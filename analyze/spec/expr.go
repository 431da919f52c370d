package spec

import (
	"slices"

	"etrace/tracefmt"
)

// typ is the type of an expression, as far as it is known before any event.
type typ uint8

const (
	typAny typ = iota // a field, a variable, a process
	typBool
	typNumber
	typText
	typSet   // a set of processes
	typValue // any of these but a set, as the parameter of a function
)

var typNames = [...]string{"a value", "a condition", "a number", "a text", "a set of processes", "a value"}

func (t typ) String() string { return typNames[t] }

// A compiled expression is a closure, three to five nanoseconds a call.
type (
	eval   func(*frame) value
	test   func(*frame) truth
	member func(*frame, tracefmt.ProcessID) bool
)

// code is a compiled expression: a set has member, a condition has test, every other expression has eval.
type code struct {
	typ    typ
	eval   eval
	test   test
	member member
	// These return the possible truths of a condition, the possible values, and the possible truths of
	// membership in a set, given what is unrecorded. Where one is nil, any result is possible if a fact that
	// the expression reads is missing. constant is set if the expression reads nothing.
	possibleTruths func(*frame) truths
	possibleValues func(*frame) choices
	memberTruths   func(*frame, tracefmt.ProcessID) truths
	constant       bool
}

// operators has the compile method for each operator of a node.
var operators map[string]func(*scope, *node) (code, error)

func init() { // the table and its functions name each other
	operators = map[string]func(*scope, *node) (code, error){
		"literal": (*scope).literal, "field": (*scope).field, "has": (*scope).has, "call": (*scope).call,
		"compiled": (*scope).compiledLeaf,
		"and":      (*scope).junction, "or": (*scope).junction, "not": (*scope).not,
		"forall": (*scope).quantifier, "exists": (*scope).quantifier,
		"==": (*scope).equality, "!=": (*scope).equality, "in": (*scope).inList,
		"<": (*scope).order, "<=": (*scope).order, ">": (*scope).order, ">=": (*scope).order,
		"+": (*scope).arithmetic, "-": (*scope).arithmetic, "*": (*scope).arithmetic, "/": (*scope).arithmetic,
		"%":  (*scope).arithmetic,
		"**": (*scope).arithmetic, "if": (*scope).choice,
	}
}

// compile compiles an expression by its operator.
func (s *scope) compile(n *node) (code, error) { return operators[n.op](s, n) }

// test compiles a condition.
func (s *scope) test(n *node) (test, error) {
	c, err := s.condition(n)
	return c.test, err
}

// condition compiles a condition, with its possible truths in an incomplete recording.
func (s *scope) condition(n *node) (code, error) {
	c, err := s.compile(n)
	switch {
	case err != nil:
		return code{}, err
	case c.test != nil:
		return c, nil
	case c.typ != typAny:
		return code{}, errorf(n.pos(), "expected a condition, but %s is %s", n, c.typ)
	}
	operand := c
	c.possibleTruths = func(f *frame) truths { return operand.truths(f) }
	c.test = func(f *frame) truth { return truthOfValue(operand.eval(f)) }
	return c, nil
}

// truthOfValue returns the truth of a value that is used as a condition.
func truthOfValue(v value) truth {
	if v.sort != boolean {
		return unknown
	}
	return truthOf(v.n != 0)
}

// value compiles an expression that is not a set, of one of the types.
func (s *scope) value(n *node, types ...typ) (eval, error) {
	c, err := s.operand(n, types...)
	return c.eval, err
}

// operand compiles an expression that is not a set, of one of the types, with its possible values in an incomplete
// recording.
func (s *scope) operand(n *node, types ...typ) (code, error) {
	c, err := s.compile(n)
	if err != nil {
		return code{}, err
	}
	if c.typ == typSet || len(types) > 0 && c.typ != typAny && !slices.Contains(types, c.typ) {
		return code{}, errorf(n.pos(), "expected %s, but %s is %s", append(types, typAny)[0], n, c.typ)
	}
	if c.eval != nil {
		return c, nil
	}
	condition := c
	c.possibleValues = func(f *frame) choices { return condition.conditionTruths(f).values() }
	c.eval = func(f *frame) value { return condition.test(f).value() }
	return c, nil
}

// value returns the truth as a value.
func (t truth) value() value {
	switch t {
	case yes:
		return value{sort: boolean, n: 1}
	case no:
		return value{sort: boolean}
	}
	return value{}
}

// literal compiles a constant.
func (s *scope) literal(n *node) (code, error) {
	v := n.value
	types := map[sort]typ{integer: typNumber, decimal: typNumber, long: typNumber, textual: typText, boolean: typBool}
	return code{typ: types[v.sort], eval: func(*frame) value { return v }, constant: true}, nil
}

// junction compiles "and" or "or", in Kleene's logic: one deciding part decides; otherwise an unknown part makes the
// result unknown.
func (s *scope) junction(n *node) (code, error) {
	decided := no // the truth of a part that decides a conjunction
	if n.op == "or" {
		decided = yes
	}
	var tests []test
	var parts []code
	for _, k := range n.operands {
		c, err := s.condition(k)
		if err != nil {
			return code{}, err
		}
		tests, parts = append(tests, c.test), append(parts, c)
	}
	possible := func(f *frame) truths {
		result, begin := setOfTruth(-decided), f.dependencies.length()
		for i := range parts {
			result = result.join(parts[i].conditionTruths(f), decided)
			if result == setOfTruth(decided) {
				break
			}
		}
		return f.dropIfDecided(begin, result)
	}
	return code{typ: typBool, possibleTruths: possible, test: func(f *frame) truth {
		if f.dependencies != nil {
			return f.evaluateTests(decided, tests)
		}
		result := -decided
		for _, t := range tests {
			switch t(f) {
			case decided:
				return decided
			case unknown:
				result = unknown
			}
		}
		return result
	}}, nil
}

// not compiles a negation.
func (s *scope) not(n *node) (code, error) {
	c, err := s.condition(n.operands[0])
	t := c.test
	return code{
		typ: typBool, test: func(f *frame) truth { return -t(f) },
		possibleTruths: func(f *frame) truths { return c.conditionTruths(f).not() },
	}, err
}

// choice compiles c ? x : y.
func (s *scope) choice(n *node) (code, error) {
	c, err := s.condition(n.operands[0])
	if err != nil {
		return code{}, err
	}
	var branches [2]code
	for i := range branches {
		branches[i], err = s.operand(n.operands[i+1])
		if err != nil {
			return code{}, err
		}
	}
	// The type of the result is known only if both branches have the same.
	out := code{typ: branches[0].typ, constant: c.constant && branches[0].constant && branches[1].constant}
	if out.typ != branches[1].typ {
		out.typ = typAny
	}
	out.eval = func(f *frame) value {
		switch c.test(f) {
		case yes:
			return branches[0].eval(f)
		case no:
			return branches[1].eval(f)
		}
		return value{}
	}
	out.possibleValues = func(f *frame) (results choices) {
		t := c.conditionTruths(f)
		for i, outcome := range []truths{mayBeYes, mayBeNo} {
			if t&outcome == 0 {
				continue
			}
			values := branches[i].choices(f).enumerated()
			results.anyValue = results.anyValue || values.anyValue
			values.each(results.add)
		}
		if t&mayBeUnknown != 0 {
			results.add(value{})
		}
		return results
	}
	if out.typ == typBool {
		eval := out.eval
		out.test = func(f *frame) truth { return truthOfValue(eval(f)) }
	}
	return out, nil
}

// pair compiles both operands of an operator.
func (s *scope) pair(n *node, types ...typ) (left, right code, err error) {
	left, err = s.operand(n.operands[0], types...)
	if err == nil {
		right, err = s.operand(n.operands[1], types...)
	}
	return left, right, err
}

// equality compiles == and !=. An absent operand makes the result unknown. A comparison of the type with a constant
// has a fast path, since most patterns begin with it.
func (s *scope) equality(n *node) (code, error) {
	a, b, err := s.pair(n)
	left, right := a.eval, b.eval
	sign := truth(1)
	if n.op == "!=" {
		sign = -1
	}
	possible := func(f *frame) truths {
		from := f.dependencies.length()
		t := f.dropIfDecided(from, f.equalityTruths(a.choices(f), b.choices(f)))
		if sign < 0 {
			return t.not()
		}
		return t
	}
	test := func(f *frame) truth {
		a, b := left(f), right(f)
		if f.evidence != nil {
			f.noteOperands(n, a, b)
		}
		return sign * f.equal(a, b)
	}
	word := n.operands[1].value
	if err == nil && sign > 0 {
		s.noteComparison(n)
	}
	if err != nil || !s.isOwnField(n.operands[0], "type") || word.sort != textual ||
		(*names)(nil).canonical(word) != word {
		return code{typ: typBool, possibleTruths: possible, test: test}, err
	}
	return code{typ: typBool, possibleTruths: possible, test: func(f *frame) truth { // most patterns ask this first
		if f.hypothetical || f.evidence != nil || f.event.Type == "" {
			return test(f)
		}
		return sign * truthOf(f.event.Type == word.s)
	}}, nil
}

// isOwnField reports whether a node is that field of the current event.
func (s *scope) isOwnField(n *node, name string) bool {
	return n.op == "field" && n.name == name && len(n.path) == 0 && s.event != "" &&
		(n.event == "" || n.event == s.event)
}

// orders reports whether an operator holds for the result of a comparison.
var orders = map[string]func(order int) bool{
	"<":  func(order int) bool { return order < 0 },
	"<=": func(order int) bool { return order <= 0 },
	">":  func(order int) bool { return order > 0 },
	">=": func(order int) bool { return order >= 0 },
}

// order compiles <, <=, > and >=. The result is unknown for values that have no order, such as a number and a text.
func (s *scope) order(n *node) (code, error) {
	x, y, err := s.pair(n, typNumber, typText)
	left, right, holds := x.eval, y.eval, orders[n.op]
	possible := func(f *frame) truths {
		from := f.dependencies.length()
		return f.dropIfDecided(from, f.comparedTruths(x.choices(f), y.choices(f), func(a, b value) truth {
			if order, ok := f.compare(a, b); ok {
				return truthOf(holds(order))
			}
			return unknown
		}))
	}
	return code{typ: typBool, possibleTruths: possible, test: func(f *frame) truth {
		a, b := left(f), right(f)
		if f.evidence != nil {
			f.noteOperands(n, a, b)
		}
		order, ok := f.compare(a, b)
		switch {
		case ok:
			return truthOf(holds(order))
		case a.sort == null:
			f.unorderedOperand = n.operands[0]
		case b.sort == null:
			f.unorderedOperand = n.operands[1]
		}
		return unknown
	}}, err
}

// inList compiles "x in (a, b, ...)".
func (s *scope) inList(n *node) (code, error) {
	var evals []eval
	var parts []code
	for _, k := range n.operands {
		c, err := s.operand(k)
		if err != nil {
			return code{}, err
		}
		evals, parts = append(evals, c.eval), append(parts, c)
	}
	possible := func(f *frame) truths {
		from, result := f.dependencies.length(), mayBeNo
		v := parts[0].choices(f)
		for i := range parts[1:] {
			result = result.join(f.equalityTruths(v, parts[i+1].choices(f)), yes)
		}
		return f.dropIfDecided(from, result)
	}
	return code{typ: typBool, possibleTruths: possible, test: func(f *frame) truth {
		v, result := evals[0](f), no
		for _, e := range evals[1:] {
			result = max(result, f.equal(v, e(f)))
			if result == yes {
				break
			}
		}
		return result
	}}, nil
}

// quantifier compiles "forall p in S: C" and "exists p in S: C". The evaluation binds the variable to each process of
// the set in turn, until one decides.
func (s *scope) quantifier(n *node) (code, error) {
	if len(s.variables) > maxVariables {
		return code{}, errorf(n.pos(), "quantifiers nest at most %d deep", maxVariables)
	}
	set, err := s.set(n.operands[0])
	if err != nil {
		return code{}, err
	}
	inner := *s
	inner.variables = append(slices.Clone(s.variables), n.name)
	condition, err := inner.condition(n.operands[1])
	domain, body, decided := set.member, condition.test, no
	if n.op == "exists" {
		decided = yes
	}
	i := len(s.variables)
	possible := func(f *frame) truths { return f.quantifiedTruths(&set, &condition, i, decided) }
	return code{typ: typBool, possibleTruths: possible, test: func(f *frame) truth {
		result, begin := -decided, f.dependencies.length()
		for p := tracefmt.ProcessID(1); int(p) <= len(f.run.Members); p++ {
			mark, from := f.evidence.snapshot(), f.dependencies.length()
			if !domain(f, p) {
				f.evidence.restore(mark)
				continue
			}
			f.variables[i] = p
			switch body(f) {
			case decided:
				f.dependencies.drop(begin, from)
				return decided
			case unknown:
				result = unknown
			}
			f.evidence.restore(mark) // it did not decide
		}
		return result
	}}, err
}

// set compiles an expression that must be a set of processes.
func (s *scope) set(n *node) (code, error) {
	c, err := s.setOrValue(n)
	if err == nil && c.typ != typSet {
		err = errorf(n.pos(), "expected a set of processes such as live(), but %s is %s", n, c.typ)
	}
	return c, err
}

// setOrValue compiles an expression that may be a set of processes. The name of a fluent, or leads, is the set of
// processes for which it holds.
func (s *scope) setOrValue(n *node) (code, error) {
	_, fluent, err := s.fluent(n.name)
	alone := n.op == "field" && n.event == "" && len(n.path) == 0 && !slices.Contains(s.variables, n.name)
	// A fluent of the rule with this name comes first, and a variable of a quantifier comes before both.
	if alone && n.name == "leads" && !fluent && err == nil {
		s.program.noteLeads()
		return code{typ: typSet, member: (*frame).leads, memberTruths: (*frame).leadsTruths}, nil
	}
	return s.compile(n)
}
