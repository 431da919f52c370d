package complexity

import (
	"errors"
	"fmt"
	"math"
	"math/big"
	"strconv"

	"github.com/expr-lang/expr/ast"
	"github.com/expr-lang/expr/parser"

	"etrace/analyze/law"
)

// Fraction is the value of a formula as a fraction.
type Fraction struct {
	*big.Rat
	// Rounded: the value is not a fraction, log2(3), say, and this one is near it.
	Rounded bool
}

// Fraction returns the value of the formula without rounding it, which [Formula.Evaluate]
// does where it divides. H(n) is the harmonic number.
func (f *Formula) Fraction(values map[string]*big.Rat) (Fraction, error) {
	tree, err := parser.Parse(f.text)
	if err != nil {
		return Fraction{}, fmt.Errorf("formula %q: %s", f.text, explained(err, nil))
	}
	v, err := fractions(values).number(tree.Node)
	if err != nil {
		return Fraction{}, fmt.Errorf("formula %q: %w", f.text, err)
	}
	return v, nil
}

// fractions evaluates the tree of a formula, given the values of its names.
type fractions map[string]*big.Rat

var errNoNumber = errors.New("the value is no number")

// number evaluates a node that is a number.
func (v fractions) number(node ast.Node) (Fraction, error) {
	switch n := node.(type) {
	case *ast.IntegerNode:
		return Fraction{Rat: new(big.Rat).SetInt64(int64(n.Value))}, nil
	case *ast.FloatNode:
		r, ok := new(big.Rat).SetString(strconv.FormatFloat(n.Value, 'g', -1, 64))
		if !ok {
			return Fraction{}, errNoNumber
		}
		return Fraction{Rat: r}, nil
	case *ast.IdentifierNode:
		if r := v[n.Value]; r != nil {
			return Fraction{Rat: r}, nil
		}
		return Fraction{}, fmt.Errorf("%s is no number", n.Value)
	case *ast.UnaryNode:
		return v.negative(n)
	case *ast.BinaryNode:
		return v.operation(n)
	case *ast.BuiltinNode:
		return v.function(n.Name, n.Arguments)
	case *ast.CallNode:
		if of, ok := n.Callee.(*ast.IdentifierNode); ok {
			return v.function(of.Value, n.Arguments)
		}
	case *ast.ConditionalNode:
		return v.branch(n)
	}
	return Fraction{}, errNoNumber
}

func (v fractions) negative(n *ast.UnaryNode) (Fraction, error) {
	x, err := v.number(n.Node)
	switch {
	case err != nil || n.Operator == "+":
		return x, err
	case n.Operator != "-":
		return Fraction{}, errNoNumber
	}
	return Fraction{new(big.Rat).Neg(x.Rat), x.Rounded}, nil
}

func (v fractions) branch(n *ast.ConditionalNode) (Fraction, error) {
	holds, err := v.truth(n.Cond)
	switch {
	case err != nil:
		return Fraction{}, err
	case holds:
		return v.number(n.Exp1)
	}
	return v.number(n.Exp2)
}

// truth evaluates a node that is true or false.
func (v fractions) truth(node ast.Node) (bool, error) {
	switch n := node.(type) {
	case *ast.BoolNode:
		return n.Value, nil
	case *ast.UnaryNode:
		if n.Operator == "not" || n.Operator == "!" {
			holds, err := v.truth(n.Node)
			return !holds, err
		}
	case *ast.BinaryNode:
		switch n.Operator {
		case "and", "&&", "or", "||":
			left, err := v.truth(n.Left)
			if err != nil || left == (n.Operator == "or" || n.Operator == "||") {
				return left, err
			}
			return v.truth(n.Right)
		}
		return v.comparison(n)
	}
	return false, errors.New("the condition is no comparison")
}

func (v fractions) comparison(n *ast.BinaryNode) (bool, error) {
	holds := comparisons[n.Operator]
	if holds == nil {
		return false, errors.New("the condition is no comparison")
	}
	x, y, err := v.both(n)
	if err != nil {
		return false, err
	}
	return holds(x.Cmp(y.Rat)), nil
}

func (v fractions) both(n *ast.BinaryNode) (x, y Fraction, err error) {
	if x, err = v.number(n.Left); err == nil {
		y, err = v.number(n.Right)
	}
	return x, y, err
}

func (v fractions) operation(n *ast.BinaryNode) (Fraction, error) {
	x, y, err := v.both(n)
	if err != nil {
		return Fraction{}, err
	}
	out := Fraction{new(big.Rat), x.Rounded || y.Rounded}
	switch n.Operator {
	case "+":
		out.Add(x.Rat, y.Rat)
	case "-":
		out.Sub(x.Rat, y.Rat)
	case "*":
		out.Mul(x.Rat, y.Rat)
	case "/":
		if y.Sign() == 0 {
			return Fraction{}, errors.New("division by zero")
		}
		out.Quo(x.Rat, y.Rat)
	case "%":
		return remainderOf(x, y)
	case "**", "^":
		return power(x, y)
	default:
		return Fraction{}, errNoNumber
	}
	return out, nil
}

func remainderOf(x, y Fraction) (Fraction, error) {
	switch {
	case !x.IsInt() || !y.IsInt():
		return Fraction{}, errors.New("% goes between whole numbers")
	case y.Sign() == 0:
		return Fraction{}, errors.New("a remainder of a division by zero")
	}
	return Fraction{new(big.Rat).SetInt(new(big.Int).Rem(x.Num(), y.Num())), x.Rounded || y.Rounded}, nil
}

// mostBits is how large a power may become.
const mostBits = 1 << 16

func power(x, y Fraction) (Fraction, error) {
	if !y.IsInt() {
		base, _ := x.Float64()
		exponent, _ := y.Float64()
		return approximately(math.Pow(base, exponent))
	}
	e := new(big.Int).Abs(y.Num())
	size := max(x.Num().BitLen(), x.Denom().BitLen())
	if !e.IsInt64() || size > 1 && e.Int64() > mostBits/int64(size) {
		return Fraction{}, fmt.Errorf("a power with more than %d digits", mostBits*3/10)
	}
	num, den := new(big.Int).Exp(x.Num(), e, nil), new(big.Int).Exp(x.Denom(), e, nil)
	if y.Sign() < 0 {
		num, den = den, num
	}
	if den.Sign() == 0 {
		return Fraction{}, errors.New("division by zero")
	}
	return Fraction{new(big.Rat).SetFrac(num, den), x.Rounded || y.Rounded}, nil
}

// approximately is a value that is not a fraction.
func approximately(x float64) (Fraction, error) {
	r := new(big.Rat)
	if r.SetFloat64(x) == nil {
		return Fraction{}, errors.New("the value is no number, or one that is too large")
	}
	return Fraction{r, true}, nil
}

// function evaluates the functions of formulas.
func (v fractions) function(name string, arguments []ast.Node) (Fraction, error) {
	values := make([]Fraction, len(arguments))
	for i, a := range arguments {
		x, err := v.number(a)
		if err != nil {
			return Fraction{}, err
		}
		values[i] = x
	}
	switch {
	case len(values) == 0:
	case name == "min":
		return extreme(values, -1), nil
	case name == "max":
		return extreme(values, 1), nil
	case name == "floor":
		return floor(values[0]), nil
	case name == "ceil":
		below := floor(Fraction{new(big.Rat).Neg(values[0].Rat), values[0].Rounded})
		below.Neg(below.Rat)
		return below, nil
	case name == "log2":
		return logarithm(values[0])
	case name == "H":
		return harmonicFraction(values[0])
	}
	return Fraction{}, fmt.Errorf("%s has no value that is a fraction", name)
}

func extreme(values []Fraction, sign int) Fraction {
	out := values[0]
	for _, x := range values[1:] {
		if x.Cmp(out.Rat) == sign {
			out = x
		}
	}
	return out
}

// floor rounds down. What was rounded and is not close to a whole number has become exact.
func floor(x Fraction) Fraction {
	whole := new(big.Int).Div(x.Num(), x.Denom()) // towards minus infinity: the denominator is positive
	down := new(big.Rat).SetInt(whole)
	if x.Rounded {
		above, _ := new(big.Rat).Sub(x.Rat, down).Float64()
		const near = 1e-9
		return Fraction{down, above < near || above > 1-near}
	}
	return Fraction{Rat: down}
}

// logarithm is exact for the powers of 2.
func logarithm(x Fraction) (Fraction, error) {
	if x.Sign() <= 0 {
		return Fraction{}, fmt.Errorf("log2 of %s, expected a number above 0", x.RatString())
	}
	num, den := x.Num(), x.Denom()
	if !x.Rounded && num.TrailingZeroBits() == uint(num.BitLen())-1 && den.TrailingZeroBits() == uint(den.BitLen())-1 {
		return Fraction{Rat: new(big.Rat).SetInt64(int64(num.BitLen()) - int64(den.BitLen()))}, nil
	}
	f, _ := x.Float64()
	return approximately(math.Log2(f))
}

// mostHarmonic is the greatest n for which H(n) is not rounded.
const mostHarmonic = 4096

func harmonicFraction(x Fraction) (Fraction, error) {
	if !x.IsInt() || x.Sign() < 0 || !x.Num().IsInt64() {
		return Fraction{}, fmt.Errorf("no H(%s): expected a whole number from 0 on", x.RatString())
	}
	n := x.Num().Int64()
	if n <= mostHarmonic {
		return Fraction{law.Harmonic(n), x.Rounded}, nil
	}
	const gamma = 0.57721566490153286 // Euler's constant
	m := float64(n)
	return approximately(math.Log(m) + gamma + 1/(2*m) - 1/(12*m*m))
}
