package spec

import (
	"cmp"
	"strconv"
	"strings"
	"time"

	"github.com/alecthomas/participle/v2/lexer"

	"etrace/tracefmt"
)

// node is an expression without the layers of the grammar: an operator with its operands.
type node struct {
	op       string // a row of operators
	tokens   []lexer.Token
	operands []*node
	name     string // the name of a field, variable or function; the variable of a quantifier
	event    string // the event of a field, "" for a name that is alone
	path     []step // into the value of a field or function
	value    value  // the value of a literal
	code     code   // the code of a leaf that is already compiled
	// compared is set for a name that is alone on the right of a comparison.
	compared bool
}

// pos returns the position of the node's first token.
func (n *node) pos() lexer.Position { return position(n.tokens) }

func (n *node) String() string { return sourceText(n.tokens) }

// position returns the position of the first token that is neither space nor comment.
func position(tokens []lexer.Token) lexer.Position {
	for _, t := range tokens {
		if t.Type != language().Symbols()["Space"] && t.Type != language().Symbols()["Comment"] {
			return t.Pos
		}
	}
	return lexer.Position{}
}

// walk visits a node and all below it.
func (n *node) walk(visit func(*node)) {
	visit(n)
	for _, k := range n.operands {
		k.walk(visit)
	}
}

// conjuncts returns the parts of a condition that are joined by and.
func (n *node) conjuncts() []*node {
	if n.op != "and" {
		return []*node{n}
	}
	var list []*node
	for _, k := range n.operands {
		list = append(list, k.conjuncts()...)
	}
	return list
}

// lowering turns expressions of the grammar into nodes; it keeps the first error.
type lowering struct{ err error }

// lower turns an expression of the grammar into a node.
func lower(e *orExpr) (*node, error) {
	var l lowering
	n := l.or(e)
	return n, l.err
}

// lowerSum turns a sum of the grammar into a node.
func lowerSum(e *sumExpr) (*node, error) {
	var l lowering
	n := l.sum(e)
	return n, l.err
}

// fail stores the first error, at the place of the tokens.
func (l *lowering) fail(tokens []lexer.Token, format string, args ...any) {
	if l.err == nil {
		l.err = errorf(position(tokens), format, args...)
	}
}

// or lowers a disjunction or c ? x : y.
func (l *lowering) or(e *orExpr) *node {
	n := &node{op: "or", tokens: e.Tokens}
	for _, t := range e.Terms {
		n.operands = append(n.operands, l.and(t))
	}
	n = n.unwrapped()
	if e.Then != nil {
		return &node{op: "if", tokens: e.Tokens, operands: []*node{n, l.or(e.Then), l.or(e.Else)}}
	}
	return n
}

// and lowers a conjunction.
func (l *lowering) and(e *andExpr) *node {
	n := &node{op: "and", tokens: e.Tokens}
	for _, t := range e.Terms {
		n.operands = append(n.operands, l.not(t))
	}
	return n.unwrapped()
}

// unwrapped returns the only operand of a conjunction or disjunction with one operand.
func (n *node) unwrapped() *node {
	if len(n.operands) == 1 {
		return n.operands[0]
	}
	return n
}

// not lowers a condition with its negations. Two negations cancel.
func (l *lowering) not(e *notExpr) *node {
	n := l.condition(e)
	if len(e.Not)%2 == 1 {
		n = &node{op: "not", tokens: e.Tokens, operands: []*node{n}}
	}
	return n
}

// condition lowers a quantified condition or a comparison.
func (l *lowering) condition(e *notExpr) *node {
	if q := e.Quantified; q != nil {
		return &node{op: q.Word, tokens: e.Tokens, name: q.Name, operands: []*node{l.primary(q.Domain), l.or(q.Body)}}
	}
	return l.comparison(e.Comparison)
}

// comparison lowers a comparison, a membership in a list, or a sum alone.
func (l *lowering) comparison(e *compareExpr) *node {
	left := l.sum(e.Left)
	switch {
	case e.Op == "=":
		return &node{op: "==", tokens: e.Tokens, operands: []*node{left, l.compared(e.Right)}}
	case e.Op != "":
		return &node{op: e.Op, tokens: e.Tokens, operands: []*node{left, l.compared(e.Right)}}
	case e.In != nil:
		n := &node{op: "in", tokens: e.Tokens, operands: []*node{left}}
		for _, v := range e.In {
			n.operands = append(n.operands, l.compared(v))
		}
		return n
	}
	return left
}

// compared returns the right side of a comparison.
func (l *lowering) compared(e *sumExpr) *node {
	n := l.sum(e)
	n.compared = n.op == "field" && n.event == "" && len(n.path) == 0
	return n
}

// sum lowers a sum. Operators associate to the left.
func (l *lowering) sum(e *sumExpr) *node {
	n := l.product(e.Left)
	for _, t := range e.Rest {
		n = &node{op: t.Op, tokens: e.Tokens, operands: []*node{n, l.product(t.Right)}}
	}
	return n
}

// product lowers a product. Operators associate to the left.
func (l *lowering) product(e *productExpr) *node {
	n := l.unary(e.Left)
	for _, t := range e.Rest {
		n = &node{op: t.Op, tokens: e.Tokens, operands: []*node{n, l.unary(t.Right)}}
	}
	return n
}

// unary lowers a power with its minus signs. The power binds more tightly: -2**2 is -4.
func (l *lowering) unary(e *unaryExpr) *node {
	n := l.primary(e.Value)
	if e.Power != nil {
		n = &node{op: "**", tokens: e.Tokens, operands: []*node{n, l.unary(e.Power)}}
	}
	if len(e.Minus)%2 == 1 {
		zero := &node{op: "literal", tokens: e.Tokens, value: number(0)}
		n = &node{op: "-", tokens: e.Tokens, operands: []*node{zero, n}}
	}
	return n
}

var constants = map[string]value{
	"true":  {sort: boolean, n: 1},
	"false": {sort: boolean},
	"null":  {sort: null},
}

// primary lowers a constant, a call, a field, or an expression in parentheses.
func (l *lowering) primary(e *primary) *node {
	n := &node{op: "literal", tokens: e.Tokens}
	switch {
	case e.Sub != nil:
		return l.or(e.Sub)
	case e.Call != nil:
		n.op, n.name, n.path = "call", e.Call.Name, l.path(e.Tokens, e.Call.Path)
		for _, a := range e.Call.Args {
			n.operands = append(n.operands, l.or(a))
		}
	case e.Field != nil:
		n.op = "field"
		l.field(n, e.Field.Name, e.Field.Path)
	case e.Has != nil:
		n.op = "has"
		l.field(n, l.word(e.Tokens, e.Has.Name), e.Has.Path)
	case e.Text != nil:
		n.value = value{sort: textual, s: l.word(e.Tokens, *e.Text)}
	case e.Constant != "":
		n.value = constants[e.Constant]
	case e.Unit != "":
		n.value = number(int64(l.span(e.Tokens, e.Number+e.Unit)))
	case e.Duration != "":
		n.value = number(int64(l.span(e.Tokens, e.Duration)))
	default:
		n.value = literalNumber(e.Number)
	}
	return n
}

// literalNumber returns the value of a number in a rule, which may begin with zeros.
func literalNumber(s string) value {
	digits := strings.TrimLeft(s, "0")
	if digits == "" || digits[0] == '.' {
		digits = "0" + digits
	}
	return parseNumber([]byte(digits))
}

// field treats a name followed by a field as the name of an event. scope.resolve corrects this once the events
// are known.
func (l *lowering) field(n *node, name string, steps []*stepExpr) {
	n.name, n.path = name, l.path(n.tokens, steps)
	if len(n.path) > 0 && n.path[0].index < 0 {
		n.event, n.name, n.path = name, n.path[0].name, n.path[1:]
	}
}

// path lowers the steps into a value, such as .term and [0].
func (l *lowering) path(tokens []lexer.Token, steps []*stepExpr) (path []step) {
	for _, s := range steps {
		if name := cmp.Or(s.Field, s.Key); name != "" {
			path = append(path, step{l.word(tokens, name), -1})
			continue
		}
		i, err := strconv.ParseUint(s.Index, 10, 31)
		if err != nil {
			l.fail(tokens, "%s is not the place of an item, expected a number from 0 on, such as log[0]", s.Index)
		}
		path = append(path, step{index: int(i)})
	}
	return path
}

// word returns a name without its quotes: single or double quotes, or backquotes around a text of several lines.
func (l *lowering) word(tokens []lexer.Token, s string) string {
	switch s[0] {
	case '"', '\'': // unquoted below
	case '`':
		return s[1 : len(s)-1]
	default:
		return s
	}
	word, err := strconv.Unquote(doubleQuoted(s))
	if err != nil {
		l.fail(tokens, "%s is not a text, expected one as in Go or JSON", s)
	}
	return word
}

// doubleQuoted turns a text between single quotes into a Go string literal: single quotes need no backslash in
// it, double quotes do.
func doubleQuoted(s string) string {
	if s[0] == '"' {
		return s
	}
	var b strings.Builder
	b.WriteByte('"')
	for i := 1; i < len(s)-1; i++ {
		switch {
		case s[i] == '"':
			b.WriteString(`\"`)
		case s[i] == '\\' && s[i+1] == '\'':
			i++
			b.WriteByte('\'')
		case s[i] == '\\':
			b.WriteString(s[i : i+2])
			i++
		default:
			b.WriteByte(s[i])
		}
	}
	return b.String() + `"`
}

// span returns a duration: a plain number counts units of the run.
func (l *lowering) span(tokens []lexer.Token, s string) tracefmt.Time {
	if c := s[len(s)-1]; c >= '0' && c <= '9' {
		t, err := tracefmt.ParseTime(s)
		if err != nil {
			l.fail(tokens, "%v", err)
		}
		return t
	}
	d, err := time.ParseDuration(s)
	if err != nil {
		l.fail(tokens, "%s is not a duration such as 20 or 1.5s", s)
	}
	return tracefmt.Time(d)
}
