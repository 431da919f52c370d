package complexity

import (
	"fmt"
	"math"
	"slices"

	"github.com/expr-lang/expr/ast"
	"github.com/expr-lang/expr/parser"
)

// Answer says whether a run keeps a budget, or a bound of theory.
type Answer uint8

// The answers. Open is that of a run of which not everything is recorded: the budget holds
// of some runs of which this may be the recording, and not of others. Beside is that of a
// mean or an order, which no single run keeps or breaks.
const (
	Kept Answer = iota
	Broken
	Open
	Beside
)

var answerWords = [...]string{Kept: "kept", Broken: "broken", Open: "open", Beside: "beside"}

func (a Answer) String() string { return answerWords[a] }

// MarshalText writes the word of the answer.
func (a Answer) MarshalText() ([]byte, error) { return []byte(a.String()), nil }

// UnmarshalText reads it.
func (a *Answer) UnmarshalText(word []byte) error {
	i := slices.Index(answerWords[:], string(word))
	if i < 0 {
		return fmt.Errorf("%q, expected one of %v", word, answerWords)
	}
	*a = Answer(i)
	return nil
}

// Judge says whether a run keeps the budget, whatever happened of which it has no record.
func (b *Budget) Judge(s *Stats) (Answer, error) {
	kept, err := b.Kept(s)
	if err != nil {
		return Open, err
	}
	tree, err := parser.Parse(b.text)
	if err != nil || s.bounds == nil {
		return answer(kept), err
	}
	r := ranges{env: b.env(s), bounds: s.bounds}
	value := r.of(tree.Node)
	switch {
	case !r.inexact:
		return answer(kept), nil
	case value.from == 1:
		return Kept, nil
	case value.to == 0:
		return Broken, nil
	}
	return Open, nil
}

func answer(kept bool) Answer {
	if kept {
		return Kept
	}
	return Broken
}

// span are the values that a part of a budget may have; true is 1, and false 0.
type span struct{ from, to float64 }

var anything = span{math.Inf(-1), math.Inf(1)}

func just(x float64) span { return span{x, x} }

// truth is whether a comparison surely holds, or surely does not.
func truth(surely, surelyNot bool) span {
	switch {
	case surely:
		return just(1)
	case surelyNot:
		return just(0)
	}
	return span{0, 1}
}

// ranges computes what values the parts of a budget may have. What it does not know may
// have any.
type ranges struct {
	env     budgetEnv
	bounds  bounds
	inexact bool // a count occurs that is not exact
}

func (r *ranges) of(node ast.Node) span {
	switch n := node.(type) {
	case *ast.IntegerNode:
		return just(float64(n.Value))
	case *ast.FloatNode:
		return just(n.Value)
	case *ast.BoolNode:
		return truth(n.Value, !n.Value)
	case *ast.IdentifierNode:
		return r.count(n.Value)
	case *ast.MemberNode:
		name, ok := n.Property.(*ast.StringNode)
		if !ok {
			r.inexact = r.inexact || r.bounds["type"] != exact
			return anything
		}
		return r.within("type", float64(r.env.Type[name.Value]))
	case *ast.UnaryNode:
		return r.unary(n)
	case *ast.BinaryNode:
		return r.binary(n)
	case *ast.BuiltinNode:
		return r.call(n.Name, n.Arguments)
	case *ast.CallNode:
		if f, ok := n.Callee.(*ast.IdentifierNode); ok {
			return r.call(f.Value, n.Arguments)
		}
	case *ast.ConditionalNode:
		r.of(n.Cond)
		a, b := r.of(n.Exp1), r.of(n.Exp2)
		return span{min(a.from, b.from), max(a.to, b.to)}
	}
	return anything
}

// count is the span of a count by its name.
func (r *ranges) count(name string) span {
	e := &r.env
	value, ok := map[string]float64{
		"n": float64(e.N), "messages": float64(e.Messages), "delivered": float64(e.Delivered), "lost": float64(e.Lost),
		"to_crashed": float64(e.ToCrashed), "in_flight": float64(e.InFlight), "depth": float64(e.Depth), "events": float64(e.Events), "time": e.Time,
		"bytes": float64(e.Bytes), "bits": float64(e.Bits),
	}[name]
	if !ok {
		return anything
	}
	return r.within(name, value)
}

func (r *ranges) within(name string, value float64) span {
	b := r.bounds[name]
	r.inexact = r.inexact || b != exact
	all := just(value)
	if b != exact && b != atMost {
		all.to = math.Inf(1)
	}
	if b == atMost || b == near || b == unmeasured {
		all.from = 0
	}
	return all
}

func (r *ranges) unary(n *ast.UnaryNode) span {
	x := r.of(n.Node)
	switch n.Operator {
	case "-":
		return span{-x.to, -x.from}
	case "!", "not":
		return span{1 - x.to, 1 - x.from}
	}
	return x
}

func (r *ranges) binary(n *ast.BinaryNode) span {
	a, b := r.of(n.Left), r.of(n.Right)
	switch n.Operator {
	case "<":
		return truth(a.to < b.from, a.from >= b.to)
	case "<=":
		return truth(a.to <= b.from, a.from > b.to)
	case ">":
		return truth(a.from > b.to, a.to <= b.from)
	case ">=":
		return truth(a.from >= b.to, a.to < b.from)
	case "==":
		return truth(a.from == a.to && a == b, a.to < b.from || b.to < a.from)
	case "!=":
		return truth(a.to < b.from || b.to < a.from, a.from == a.to && a == b)
	case "and", "&&":
		return span{min(a.from, b.from), min(a.to, b.to)}
	case "or", "||":
		return span{max(a.from, b.from), max(a.to, b.to)}
	case "+":
		return span{a.from + b.from, a.to + b.to}
	case "-":
		return span{a.from - b.to, a.to - b.from}
	case "*":
		return corners(a, b, func(x, y float64) float64 { return x * y })
	case "/":
		if b.from > 0 || b.to < 0 {
			return corners(a, b, func(x, y float64) float64 { return x / y })
		}
	case "**", "^":
		if a.from >= 1 {
			return corners(a, b, math.Pow)
		}
	}
	return anything
}

// corners is the span of an operation that is monotone in each operand.
func corners(a, b span, of func(x, y float64) float64) span {
	values := []float64{of(a.from, b.from), of(a.from, b.to), of(a.to, b.from), of(a.to, b.to)}
	if slices.ContainsFunc(values, math.IsNaN) {
		return anything
	}
	return span{slices.Min(values), slices.Max(values)}
}

// rising are the functions that grow with their arguments.
var rising = map[string]func(x ...float64) float64{
	"H":     func(x ...float64) float64 { return harmonicNumber(x[0]) },
	"log2":  func(x ...float64) float64 { return math.Log2(x[0]) },
	"ceil":  func(x ...float64) float64 { return math.Ceil(x[0]) },
	"floor": func(x ...float64) float64 { return math.Floor(x[0]) },
	"min":   func(x ...float64) float64 { return slices.Min(x) },
	"max":   func(x ...float64) float64 { return slices.Max(x) },
}

func (r *ranges) call(name string, arguments []ast.Node) span {
	var from, to []float64
	for _, argument := range arguments {
		x := r.of(argument)
		from, to = append(from, x.from), append(to, x.to)
	}
	f := rising[name]
	if f == nil || len(from) == 0 {
		return anything
	}
	all := span{f(from...), f(to...)}
	if math.IsNaN(all.from) || math.IsNaN(all.to) {
		return anything
	}
	return all
}
