package closedform

import (
	"cmp"
	"fmt"
	"math/big"
	"slices"
	"strings"
)

// Formula is an exact formula: a sum of atoms with rational coefficients, possibly divided by n, n-1 or n+1,
// where n is the first variable.
type Formula struct {
	variables []string
	terms     []term
	// over is the divisor of the sum, nil for none.
	over *divisor
}

// divisor is the first variable plus a number.
type divisor struct{ plus int64 }

// divisors are the divisors of means: n processes, n - 1, and n + 1.
var divisors = []divisor{{0}, {-1}, {1}}

// at returns the divisor at a place.
func (d *divisor) at(at []int64) *big.Rat { return fractionOf(at[0] + d.plus) }

// text returns the divisor in the language of formulas.
func (d *divisor) text(variable string) string {
	switch {
	case d.plus < 0:
		return fmt.Sprintf("(%s - %d)", variable, -d.plus)
	case d.plus > 0:
		return fmt.Sprintf("(%s + %d)", variable, d.plus)
	}
	return variable
}

// term is an atom with its coefficient.
type term struct {
	atom   atom
	factor *big.Rat
}

// newFormula makes a formula of atoms and coefficients. It drops zero coefficients, and puts the fastest
// growing atom first.
func newFormula(variables []string, atoms []atom, factors []*big.Rat) *Formula {
	f := &Formula{variables: variables}
	for i, a := range atoms {
		if factors[i].Sign() != 0 {
			f.terms = append(f.terms, term{a, factors[i]})
		}
	}
	slices.SortStableFunc(f.terms, func(a, b term) int {
		return cmp.Or(cmp.Compare(b.atom.degree(), a.atom.degree()), cmp.Compare(b.atom.weight(), a.atom.weight()))
	})
	return f
}

// At evaluates the formula; it returns nil for a division by 0.
func (f *Formula) At(at []int64) *big.Rat {
	sum := new(big.Rat)
	for _, t := range f.terms {
		v := t.atom.value(at)
		sum.Add(sum, v.Mul(v, t.factor))
	}
	if f.over == nil {
		return sum
	}
	quotient := f.over.at(at)
	if quotient.Sign() == 0 {
		return nil
	}
	return sum.Quo(sum, quotient)
}

// has reports whether the formula has a value at every point.
func (f *Formula) has(points []Point) bool {
	return f.over == nil || !slices.ContainsFunc(points, func(p Point) bool { return f.over.at(p.At).Sign() == 0 })
}

// Terms returns the number of atoms in the formula.
func (f *Formula) Terms() int { return len(f.terms) }

// String returns the formula in the language of formulas: "n^2 - n - 1", "(n^2 + n)/2".
func (f *Formula) String() string {
	if len(f.terms) == 0 {
		return "0"
	}
	common := big.NewInt(1)
	for _, t := range f.terms {
		gcd := new(big.Int).GCD(nil, nil, common, t.factor.Denom())
		common.Mul(common, new(big.Int).Quo(t.factor.Denom(), gcd))
	}
	var sum strings.Builder
	for i, t := range f.terms {
		n := new(big.Int).Quo(common, t.factor.Denom())
		writeTerm(&sum, i == 0, n.Mul(n, t.factor.Num()), t.atom.text(f.variables))
	}
	return f.divided(sum.String(), common)
}

// divided divides the text of the sum by its common denominator and by the divisor.
func (f *Formula) divided(sum string, common *big.Int) string {
	denominator := common.String()
	switch {
	case denominator == "1" && f.over == nil:
		return sum
	case denominator == "1":
		denominator = f.over.text(f.variables[0])
	case f.over != nil:
		denominator = "(" + denominator + "*" + f.over.text(f.variables[0]) + ")"
	}
	if len(f.terms) > 1 {
		sum = "(" + sum + ")"
	}
	return sum + "/" + denominator
}

// writeTerm appends a term to a sum, with its sign.
func writeTerm(w *strings.Builder, first bool, factor *big.Int, atom string) {
	switch {
	case first && factor.Sign() < 0:
		w.WriteString("-")
	case first: // no sign before a positive first term
	case factor.Sign() < 0:
		w.WriteString(" - ")
	default:
		w.WriteString(" + ")
	}
	size := new(big.Int).Abs(factor)
	switch {
	case atom == "":
		w.WriteString(size.String())
	case size.IsInt64() && size.Int64() == 1:
		w.WriteString(atom)
	default:
		w.WriteString(size.String() + "*" + atom)
	}
}
