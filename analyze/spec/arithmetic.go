package spec

import (
	"math"
	"math/bits"
)

// arithmetic compiles an operator between two numbers, such as a + b. The result is absent if an operand is no
// number.
func (s *scope) arithmetic(n *node) (code, error) {
	x, y, err := s.pair(n, typNumber)
	left, right, operate := x.eval, y.eval, arithmetics[n.op]
	compute := func(f *frame, a, b value) value {
		a, b = f.canonical(a), f.canonical(b)
		if !a.isNumber() || !b.isNumber() {
			return value{}
		}
		// The operators work on values of at most 64 bits. A result that does not fit is absent, and the
		// explanation names the operation; a division by zero is absent without that remark.
		result := value{}
		if a.sort != long && b.sort != long {
			result = operate(a, b)
		}
		if result.sort == absent && (n.op != "/" && n.op != "%" || b.float() != 0) {
			f.inexact = n
		}
		return result
	}
	return code{
		typ: typNumber, constant: x.constant && y.constant,
		eval: func(f *frame) value { return compute(f, left(f), right(f)) },
		possibleValues: func(f *frame) (results choices) {
			a, b := x.choices(f).enumerated(), y.choices(f).enumerated()
			if a.anyValue || b.anyValue {
				return choices{anyValue: true}
			}
			a.each(func(v value) { b.each(func(w value) { results.add(compute(f, v, w)) }) })
			return results
		},
	}, err
}

// arithmetics has the operators by their signs. An operation on integers has an integer result if that is exact,
// otherwise a floating point one. A result that does not exist, or a whole number beyond 64 bits, is absent.
var arithmetics = map[string]func(a, b value) value{
	"+": func(a, b value) value {
		sum := a.n + b.n
		return exact(a, b, sum, (sum > a.n) == (b.n > 0), a.float()+b.float())
	},
	"-": func(a, b value) value {
		difference := a.n - b.n
		return exact(a, b, difference, (difference < a.n) == (b.n > 0), a.float()-b.float())
	},
	"*": func(a, b value) value {
		high, low := bits.Mul64(magnitude(a.n), magnitude(b.n))
		return exact(a, b, a.n*b.n, high == 0 && low < 1<<63, a.float()*b.float())
	},
	"/": func(a, b value) value {
		if b.float() == 0 {
			return value{}
		}
		quotient := a.float() / b.float()
		switch {
		case a.sort != integer || b.sort != integer:
			return decimalOf(quotient)
		case a.n%b.n == 0:
			return exact(a, b, a.n/b.n, a.n != math.MinInt64 || b.n != -1, quotient)
		case quotient == math.Trunc(quotient):
			// Floating point rounded it: the exact quotient is no whole number.
			return value{}
		}
		return decimalOf(quotient)
	},
	"%": func(a, b value) value {
		if a.sort != integer || b.sort != integer || b.n == 0 {
			return value{}
		}
		return number(a.n % b.n)
	},
	"**": func(a, b value) value { return inFractions(power, a, b) },
}

// inFractions applies an operator or function to the exact fractions of two numbers. The result is absent if
// no value can hold it.
func inFractions(operate func(x, y Fraction) (Fraction, error), a, b value) value {
	x, ok := a.fraction()
	y, ok2 := b.fraction()
	if !ok || !ok2 {
		return value{}
	}
	z, err := operate(x, y)
	if err != nil {
		return value{}
	}
	return z.value()
}

// fraction returns the value as an exact fraction; ok is false if it is not a number.
func (v value) fraction() (Fraction, bool) {
	switch v.sort {
	case integer:
		return wholeNumber(v.n), true
	case decimal:
		return decimalNumber(v.float())
	}
	return Fraction{}, false
}

// value returns the fraction as a value of a rule: an integer, else the nearest decimal. A whole number beyond 64
// bits is absent.
func (x Fraction) value() value {
	if x.IsInt() {
		if n := x.Num(); n.IsInt64() {
			return number(n.Int64())
		}
		return value{}
	}
	f, _ := x.Float64()
	return decimalOf(f)
}

// magnitude returns the absolute value of n, also for the least int64.
func magnitude(n int64) uint64 {
	if n < 0 {
		return -uint64(n)
	}
	return uint64(n)
}

// exact returns the result of an operator: n for two integers if it fits 64 bits, f for decimals.
func exact(a, b value, n int64, fits bool, f float64) value {
	switch {
	case a.sort != integer || b.sort != integer:
		return decimalOf(f)
	case fits:
		return number(n)
	}
	return value{}
}
