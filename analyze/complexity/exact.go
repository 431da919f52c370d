package complexity

import (
	"cmp"
	"fmt"
	"math"
	"math/bits"
	"reflect"

	"github.com/expr-lang/expr"
	"github.com/expr-lang/expr/ast"
)

// exactly are the operators on whole numbers as budgets and formulas have them:
// what 64 bits do not hold is an error, where Go's would wrap, and a whole number
// is compared with a decimal without being rounded.
func exactly() []expr.Option {
	options := []expr.Option{expr.Patch(negation{})}
	for _, op := range checkedOperators {
		name := "checked" + op.operator // which no formula can name
		options = append(options, expr.Function(name, op.apply, wholes...), expr.Operator(op.operator, name))
	}
	for operator, holds := range comparisons {
		name := "compared" + operator
		compare := func(args ...any) (any, error) { return holds(compareExactly(args[0], args[1])), nil }
		options = append(options, expr.Function(name, compare, comparable...), expr.Operator(operator, name))
	}
	return options
}

var checkedOperators = []struct {
	operator string
	apply    func(args ...any) (any, error)
}{
	{"+", checked("+", func(a, b int64) (int64, bool) {
		return a + b, (a+b > a) == (b > 0)
	})},
	{"-", checked("-", func(a, b int64) (int64, bool) {
		return a - b, (a-b < a) == (b > 0)
	})},
	{"*", checked("*", func(a, b int64) (int64, bool) {
		high, low := bits.Mul64(magnitude(a), magnitude(b))
		return a * b, high == 0 && (low < 1<<63 || low == 1<<63 && (a < 0) != (b < 0))
	})},
}

// wholes are the types of the checked operators.
var wholes = []any{
	new(func(int, int) int), new(func(int, int64) int64), new(func(int64, int) int64), new(func(int64, int64) int64),
}

func checked(operator string, apply func(a, b int64) (int64, bool)) func(args ...any) (any, error) {
	return func(args ...any) (any, error) {
		a, b := integer(args[0]), integer(args[1])
		n, fits := apply(a, b)
		if !fits {
			return nil, fmt.Errorf("%d %s %d is beyond the whole numbers of 64 bits", a, operator, b)
		}
		if isInt(args[0]) && isInt(args[1]) {
			return int(n), nil
		}
		return n, nil
	}
}

func isInt(x any) bool {
	_, ok := x.(int)
	return ok
}

func integer(x any) int64 {
	if n, ok := x.(int); ok {
		return int64(n)
	}
	n, _ := x.(int64)
	return n
}

func magnitude(n int64) uint64 {
	if n < 0 {
		return -uint64(n)
	}
	return uint64(n)
}

// comparable are the types of exact comparisons: a whole number and a decimal, and two whole
// numbers, which may be an int and an int64.
var comparable = []any{
	new(func(int, int) bool), new(func(int, int64) bool), new(func(int64, int) bool), new(func(int64, int64) bool),
	new(func(int, float64) bool), new(func(int64, float64) bool), new(func(float64, int) bool), new(func(float64, int64) bool),
}

var comparisons = map[string]func(order int) bool{
	"<":  func(order int) bool { return order < 0 },
	"<=": func(order int) bool { return order <= 0 },
	">":  func(order int) bool { return order > 0 },
	">=": func(order int) bool { return order >= 0 },
	"==": func(order int) bool { return order == 0 },
	"!=": func(order int) bool { return order != 0 },
}

// compareExactly compares two numbers, of which one at least is whole.
func compareExactly(a, b any) int {
	if x, ok := a.(float64); ok {
		return -compareWhole(integer(b), x)
	}
	if x, ok := b.(float64); ok {
		return compareWhole(integer(a), x)
	}
	return cmp.Compare(integer(a), integer(b))
}

func compareWhole(n int64, x float64) int {
	switch whole := math.Trunc(x); {
	case whole >= 1<<63:
		return -1
	case whole < -1<<63:
		return 1
	default:
		return cmp.Or(cmp.Compare(n, int64(whole)), cmp.Compare(whole, x))
	}
}

// negation makes -x of a whole number 0 - x, which is checked.
type negation struct{}

// Visit implements [ast.Visitor].
func (negation) Visit(node *ast.Node) {
	minus, ok := (*node).(*ast.UnaryNode)
	if !ok || minus.Operator != "-" {
		return
	}
	if t := minus.Node.Type(); t == nil || t.Kind() != reflect.Int && t.Kind() != reflect.Int64 {
		return
	}
	ast.Patch(node, &ast.BinaryNode{Operator: "-", Left: &ast.IntegerNode{}, Right: minus.Node})
}
