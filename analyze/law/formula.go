package law

import (
	"cmp"
	"fmt"
	"math/big"
	"slices"
	"strings"
)

// Formula is an exact law: a sum of atoms times rational coefficients, perhaps divided by the first
// variable or its neighbour.
type Formula struct {
	variables []string
	terms     []term
	// over is what the sum is divided by, nil for nothing.
	over *divisor
}

// divisor is the first variable plus a number.
type divisor struct{ plus int64 }

// divisors are those of means: over n processes, over those without one, and over those and one more.
var divisors = []divisor{{0}, {-1}, {1}}

// at is the divisor at a place.
func (d *divisor) at(at []int64) *big.Rat { return whole(at[0] + d.plus) }

// text is the divisor in the language of formulas.
func (d *divisor) text(variable string) string {
	switch {
	case d.plus < 0:
		return fmt.Sprintf("(%s - %d)", variable, -d.plus)
	case d.plus > 0:
		return fmt.Sprintf("(%s + %d)", variable, d.plus)
	}
	return variable
}

type term struct {
	atom   atom
	factor *big.Rat
}

// newFormula makes a formula of atoms and their coefficients, without those that are 0, the
// fastest growing first.
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

// At computes the formula, nil where it is divided by 0.
func (f *Formula) At(at []int64) *big.Rat {
	sum := new(big.Rat)
	for _, t := range f.terms {
		v := t.atom.value(at)
		sum.Add(sum, v.Mul(v, t.factor))
	}
	if f.over == nil {
		return sum
	}
	by := f.over.at(at)
	if by.Sign() == 0 {
		return nil
	}
	return sum.Quo(sum, by)
}

// has reports whether the formula has a value at every point.
func (f *Formula) has(points []Point) bool {
	return f.over == nil || !slices.ContainsFunc(points, func(p Point) bool { return f.over.at(p.At).Sign() == 0 })
}

// Terms is the number of atoms in the formula.
func (f *Formula) Terms() int { return len(f.terms) }

// String returns the formula as the language of formulas has it: "n^2 - n - 1",
// "(n^2 + n)/2".
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

// divided writes the sum over its common denominator and over the divisor.
func (f *Formula) divided(sum string, common *big.Int) string {
	by := common.String()
	switch {
	case by == "1" && f.over == nil:
		return sum
	case by == "1":
		by = f.over.text(f.variables[0])
	case f.over != nil:
		by = "(" + by + "*" + f.over.text(f.variables[0]) + ")"
	}
	if len(f.terms) > 1 {
		sum = "(" + sum + ")"
	}
	return sum + "/" + by
}

func writeTerm(w *strings.Builder, first bool, factor *big.Int, atom string) {
	switch {
	case first && factor.Sign() < 0:
		w.WriteString("-")
	case first:
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
