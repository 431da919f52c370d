package law

import (
	"cmp"
	"math/big"
	"slices"
	"strings"
)

// Formula is an exact law: a sum of atoms times rational coefficients, perhaps divided by the first
// variable.
type Formula struct {
	variables []string
	terms     []term
	// over is the variable by which the sum is divided, "" for none.
	over string
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

// At computes the formula.
func (f *Formula) At(at []int64) *big.Rat {
	sum := new(big.Rat)
	for _, t := range f.terms {
		v := t.atom.value(at)
		sum.Add(sum, v.Mul(v, t.factor))
	}
	if f.over != "" {
		sum.Quo(sum, whole(at[0])) // which is not 0 at any point
	}
	return sum
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

// divided writes the sum over its common denominator and over the variable.
func (f *Formula) divided(sum string, common *big.Int) string {
	by := common.String()
	switch {
	case by == "1" && f.over == "":
		return sum
	case by == "1":
		by = f.over
	case f.over != "":
		by = "(" + by + "*" + f.over + ")"
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
