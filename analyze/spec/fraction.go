package spec

import (
	"errors"
	"fmt"
	"math"
	"math/big"
	"strconv"

	"etrace/analyze/closedform"
)

// Fraction is an exact number of a formula.
type Fraction struct {
	*big.Rat
	// Rounded is set if the true number is not a fraction, such as log2(3), and this one is close to it.
	Rounded bool
}

// wholeNumber returns a whole number.
func wholeNumber(n int64) Fraction { return Fraction{Rat: new(big.Rat).SetInt64(n)} }

// decimalNumber returns the number that the shortest decimal form of x denotes: 0.1 is one tenth.
func decimalNumber(x float64) (Fraction, bool) {
	r, ok := new(big.Rat).SetString(strconv.FormatFloat(x, 'g', -1, 64))
	return Fraction{Rat: r}, ok
}

// rounded returns the fraction of x, marked as rounded.
func rounded(x float64) (Fraction, error) {
	r := new(big.Rat)
	if r.SetFloat64(x) == nil {
		return Fraction{}, errors.New("the value is no number, or too large")
	}
	return Fraction{r, true}, nil
}

// arithmeticOf has the exact operations, by operator.
var arithmeticOf = map[string]func(x, y Fraction) (Fraction, error){
	"+":  func(x, y Fraction) (Fraction, error) { return applyExact(x, y, (*big.Rat).Add) },
	"-":  func(x, y Fraction) (Fraction, error) { return applyExact(x, y, (*big.Rat).Sub) },
	"*":  func(x, y Fraction) (Fraction, error) { return applyExact(x, y, (*big.Rat).Mul) },
	"/":  quotient,
	"%":  remainder,
	"**": power,
}

// applyExact applies an operation of math/big. The result is rounded if an operand is.
func applyExact(x, y Fraction, operate func(z, x, y *big.Rat) *big.Rat) (Fraction, error) {
	return Fraction{operate(new(big.Rat), x.Rat, y.Rat), x.Rounded || y.Rounded}, nil
}

// quotient returns x/y exactly.
func quotient(x, y Fraction) (Fraction, error) {
	if y.Sign() == 0 {
		return Fraction{}, errors.New("division by zero")
	}
	return applyExact(x, y, (*big.Rat).Quo)
}

// remainder returns the remainder of two whole numbers, with the sign of x, as in Go.
func remainder(x, y Fraction) (Fraction, error) {
	switch {
	case !x.IsInt() || !y.IsInt():
		return Fraction{}, errors.New("% goes between whole numbers")
	case y.Sign() == 0:
		return Fraction{}, errors.New("a remainder of a division by zero")
	}
	return Fraction{new(big.Rat).SetInt(new(big.Int).Rem(x.Num(), y.Num())), x.Rounded || y.Rounded}, nil
}

// maxBits bounds the size of a power.
const maxBits = 1 << 16

// power returns x ** y: exactly for a whole exponent, else rounded. It fails if the result has more than maxBits
// bits.
func power(x, y Fraction) (Fraction, error) {
	if !y.IsInt() {
		base, _ := x.Float64()
		exponent, _ := y.Float64()
		return rounded(math.Pow(base, exponent))
	}
	e := new(big.Int).Abs(y.Num())
	size := max(x.Num().BitLen(), x.Denom().BitLen())
	// The result has about e times the bits of x. Powers of 0, 1 and -1 have one bit.
	if !e.IsInt64() || size > 1 && e.Int64() > maxBits/int64(size) {
		return Fraction{}, fmt.Errorf("a power with more than %d digits", maxBits*3/10)
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

// numberFunction is a function of numbers, in rules and in formulas. It is monotone in each argument.
type numberFunction struct {
	name string
	// variadic is set if the function takes any number of arguments, else it takes one.
	variadic bool
	doc      string
	apply    func(args []Fraction) (Fraction, error)
}

var numberFunctions = []numberFunction{
	{
		"min", true, "the least of the numbers",
		func(args []Fraction) (Fraction, error) { return extreme(args, -1), nil },
	},
	{
		"max", true, "the greatest of the numbers",
		func(args []Fraction) (Fraction, error) { return extreme(args, 1), nil },
	},
	{
		"floor", false, "the greatest whole number that is not above the number",
		func(args []Fraction) (Fraction, error) { return floor(args[0]), nil },
	},
	{
		"ceil", false, "the least whole number that is not below the number",
		func(args []Fraction) (Fraction, error) { return ceiling(args[0]), nil },
	},
	{
		"log2", false, "the logarithm to the base 2 of a number above 0",
		func(args []Fraction) (Fraction, error) { return logarithm(args[0]) },
	},
	{
		"H", false, "the harmonic number H(n) = 1 + 1/2 + ... + 1/n of a whole number from 0 on",
		func(args []Fraction) (Fraction, error) { return harmonic(args[0]) },
	},
}

// extreme returns the least value for sign -1, the greatest for 1.
func extreme(values []Fraction, sign int) Fraction {
	out := values[0]
	for _, x := range values[1:] {
		if x.Cmp(out.Rat) == sign {
			out = x
		}
	}
	return out
}

// floor rounds down. The floor of a rounded number is exact unless the number is close to a whole one.
func floor(x Fraction) Fraction {
	floor := new(big.Int).Div(x.Num(), x.Denom()) // towards minus infinity: the denominator is positive
	down := new(big.Rat).SetInt(floor)
	if x.Rounded {
		above, _ := new(big.Rat).Sub(x.Rat, down).Float64()
		const near = 1e-9
		return Fraction{down, above < near || above > 1-near}
	}
	return Fraction{Rat: down}
}

// ceiling rounds up.
func ceiling(x Fraction) Fraction {
	below := floor(Fraction{new(big.Rat).Neg(x.Rat), x.Rounded})
	below.Neg(below.Rat)
	return below
}

// logarithm returns log2(x), exactly for powers of 2.
func logarithm(x Fraction) (Fraction, error) {
	if x.Sign() <= 0 {
		return Fraction{}, fmt.Errorf("log2 of %s, expected a number above 0", x.RatString())
	}
	num, den := x.Num(), x.Denom()
	if !x.Rounded && num.TrailingZeroBits() == uint(num.BitLen())-1 && den.TrailingZeroBits() == uint(den.BitLen())-1 {
		return wholeNumber(int64(num.BitLen()) - int64(den.BitLen())), nil
	}
	f, _ := x.Float64()
	return rounded(math.Log2(f))
}

// maxHarmonic is the greatest n with an exact H(n).
const maxHarmonic = 4096

// harmonic returns H(x) = 1 + 1/2 + ... + 1/x: exactly up to maxHarmonic, then by Euler's expansion, rounded.
func harmonic(x Fraction) (Fraction, error) {
	if !x.IsInt() || x.Sign() < 0 || !x.Num().IsInt64() {
		return Fraction{}, fmt.Errorf("the harmonic number H of %s, expected a whole number from 0 on", x.RatString())
	}
	n := x.Num().Int64()
	if n <= maxHarmonic {
		return Fraction{closedform.Harmonic(n), x.Rounded}, nil
	}
	const gamma = 0.57721566490153286 // Euler's constant
	m := float64(n)
	return rounded(math.Log(m) + gamma + 1/(2*m) - 1/(12*m*m))
}
