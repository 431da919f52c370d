package closedform

import (
	"fmt"
	"math/big"
	"math/bits"
	"slices"
	"strings"
)

// atom is a term of a formula without its coefficient: a product of powers of the variables, and at most one
// other function of one variable.
type atom struct {
	powers   []int
	function *function // or nil
	variable int       // the index of the function's variable
}

// function is a factor of atoms other than a power.
type function struct {
	text   string // %s is the variable
	weight int    // the complexity compared with 1
	value  func(n int64) *big.Rat
	// first and last are the limits of its argument.
	first, last int64
}

// noLimit is the last argument of functions without a limit.
const noLimit = 1 << 62

// functions are the functions of formulas. The weight of parity is small, since it often explains why no polynomial
// fits.
var functions = []*function{
	{"floor(log2(%s))", 3, func(n int64) *big.Rat { return fractionOf(floorLog2(n)) }, 1, noLimit},
	{"ceil(log2(%s))", 3, func(n int64) *big.Rat { return fractionOf(floorLog2(2*n - 1)) }, 1, noLimit / 2},
	{"2^floor(log2(%s))", 4, func(n int64) *big.Rat { return fractionOf(1 << floorLog2(n)) }, 1, noLimit},
	{"2^ceil(log2(%s))", 5, func(n int64) *big.Rat { return fractionOf(1 << floorLog2(2*n-1)) }, 1, noLimit / 2},
	{"(%s %% 2)", 2, func(n int64) *big.Rat { return fractionOf(n & 1) }, 0, noLimit},
	{"H(%s)", 3, Harmonic, 0, maxHarmonic},
}

// maxHarmonic is the greatest n for which H(n) is computed, since the number of its digits grows with n.
const maxHarmonic = 4096

// fractionOf returns n as a fraction.
func fractionOf(n int64) *big.Rat { return new(big.Rat).SetInt64(n) }

// floorLog2 returns the floor of the logarithm of n to base 2; n must be positive.
func floorLog2(n int64) int64 { return int64(bits.Len64(uint64(n))) - 1 }

// Harmonic returns H(n) = 1 + 1/2 + ... + 1/n.
func Harmonic(n int64) *big.Rat {
	num, den := harmonicBetween(0, max(n, 0))
	return new(big.Rat).SetFrac(num, den)
}

// harmonicBetween returns 1/(low+1) + ... + 1/high, not in lowest terms. It divides the range in halves, since
// a sum from left to right would reduce n fractions.
func harmonicBetween(low, high int64) (num, den *big.Int) {
	if high-low <= 1 {
		return big.NewInt(high - low), big.NewInt(max(high, 1))
	}
	middle := (low + high) / 2
	a, b := harmonicBetween(low, middle)
	c, d := harmonicBetween(middle, high)
	num = new(big.Int).Add(a.Mul(a, d), c.Mul(c, b))
	return num, b.Mul(b, d)
}

// value returns the value of the atom at a place.
func (a *atom) value(at []int64) *big.Rat {
	v := fractionOf(1)
	for i, power := range a.powers {
		x := fractionOf(at[i])
		for range power {
			v.Mul(v, x)
		}
	}
	if a.function != nil {
		v.Mul(v, a.function.value(at[a.variable]))
	}
	return v
}

// has reports whether the function of the atom is defined at every point.
func (a *atom) has(points []Point) bool {
	if a.function == nil {
		return true
	}
	return !slices.ContainsFunc(points, func(p Point) bool {
		return p.At[a.variable] < a.function.first ||
			p.At[a.variable] > a.function.last
	})
}

// degree returns the sum of the powers.
func (a *atom) degree() int {
	sum := 0
	for _, power := range a.powers {
		sum += power
	}
	return sum
}

// weight returns the complexity of the atom.
func (a *atom) weight() int {
	if a.function == nil {
		return a.degree()
	}
	return a.degree() + a.function.weight
}

// text returns the atom in the language of formulas, "" for 1.
func (a *atom) text(variables []string) string {
	var factors []string
	for i, power := range a.powers {
		switch power {
		case 0:
		case 1:
			factors = append(factors, variables[i])
		default:
			factors = append(factors, fmt.Sprintf("%s^%d", variables[i], power))
		}
	}
	if a.function != nil {
		factors = append(factors, fmt.Sprintf(a.function.text, variables[a.variable]))
	}
	return strings.Join(factors, "*")
}

// monomials returns the products of powers up to a degree, by rising degree.
func monomials(variables, degree int) []atom {
	var list []atom
	powers := make([]int, variables)
	var fill func(i, left int)
	fill = func(i, left int) {
		if i == variables-1 {
			powers[i] = left
			list = append(list, atom{powers: slices.Clone(powers)})
			return
		}
		for p := left; p >= 0; p-- {
			powers[i] = p
			fill(i+1, left-p)
		}
	}
	for d := range degree + 1 {
		fill(0, d)
	}
	return list
}

// pool returns the atoms to combine if no polynomial is a formula: low powers, and functions of the first variable,
// alone and times a variable. It omits an atom that equals a simpler one at all points, such as
// 2^floor(log2(n)) if every n is a power of 2.
func pool(variables int, points []Point) []atom {
	degree := 3
	if variables > 1 {
		degree = 2
	}
	list := monomials(variables, degree)
	for _, f := range functions {
		for _, m := range monomials(variables, 1) {
			list = append(list, atom{m.powers, f, 0})
		}
	}
	list = slices.DeleteFunc(list, func(a atom) bool { return !a.has(points) })
	var different []atom
	for _, a := range list {
		if !slices.ContainsFunc(different, func(b atom) bool { return a.equalAt(&b, points) }) {
			different = append(different, a)
		}
	}
	return different
}

// equalAt reports whether two atoms have the same value at every point.
func (a *atom) equalAt(b *atom, points []Point) bool {
	return !slices.ContainsFunc(points, func(p Point) bool { return a.value(p.At).Cmp(b.value(p.At)) != 0 })
}
