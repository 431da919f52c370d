package complexity

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/expr-lang/expr"
	"github.com/expr-lang/expr/vm"
)

// vocabulary is what budgets and formulas have in common. What has no value,
// such as a number divided by zero, is an error: as infinity or no number it
// would decide comparisons that mean nothing.
func vocabulary() []expr.Option {
	options := []expr.Option{
		expr.DisableAllBuiltins(),
		expr.Function("log2", log2, new(func(int) float64), new(func(int64) float64), new(func(float64) float64)),
		expr.Function("H", harmonic, new(func(int) float64), new(func(int64) float64), new(func(float64) float64)),
		expr.Function("quotient", quotient, quotients...),
		expr.Operator("/", "quotient"),
	}
	for _, name := range builtins {
		options = append(options, expr.EnableBuiltin(name))
	}
	return append(options, exactly()...)
}

func log2(args ...any) (any, error) {
	x, ok := float(args[0])
	if !ok || x <= 0 {
		return nil, fmt.Errorf("log2 of %v, expected a number above 0", args[0])
	}
	return math.Log2(x), nil
}

func harmonic(args ...any) (any, error) {
	x, ok := float(args[0])
	if !ok || x < 0 || x != math.Trunc(x) || math.IsInf(x, 0) {
		return nil, fmt.Errorf("the harmonic number H of %v, expected a whole number from 0 on", args[0])
	}
	return harmonicNumber(x), nil
}

// harmonicNumber is H(x) = 1 + 1/2 + ... + 1/x of a whole x.
func harmonicNumber(x float64) float64 {
	if x > longestSum {
		y := 1 / (x * x) // Euler and Maclaurin; what is left out is below the last bit
		return math.Log(x) + eulersGamma + 1/(2*x) - y/12 + y*y/120
	}
	sum := 0.0
	for ; x > 0; x-- { // the smallest first
		sum += 1 / x
	}
	return sum
}

const (
	longestSum  = 1000
	eulersGamma = 0.57721566490153286060651209008240243
)

// quotients are the types of the operator /: every pair of numbers.
var quotients = []any{
	new(func(int, int) float64), new(func(int, int64) float64), new(func(int, float64) float64),
	new(func(int64, int) float64), new(func(int64, int64) float64), new(func(int64, float64) float64),
	new(func(float64, int) float64), new(func(float64, int64) float64), new(func(float64, float64) float64),
}

func quotient(args ...any) (any, error) {
	x, _ := float(args[0])
	y, _ := float(args[1])
	if y == 0 {
		return nil, errors.New("division by zero")
	}
	return x / y, nil
}

// compile compiles an expression of the vocabulary.
func compile(source string, options ...expr.Option) (*vm.Program, error) {
	program, err := expr.Compile(source, append(vocabulary(), options...)...)
	if err == nil && slices.Contains(program.Bytecode, vm.OpDivide) { // which is not [quotient]
		return nil, errors.New("a division of what may be no number: let both branches of c ? x : y be whole or both not")
	}
	return program, err
}

// float returns the number that a value is.
func float(value any) (x float64, ok bool) {
	switch x := value.(type) {
	case int:
		return float64(x), true
	case int64:
		return float64(x), true
	case float64:
		return x, true
	}
	return 0, false
}
