package closedform_test

import (
	"fmt"
	"math/big"
	"testing"

	"pgregory.net/rapid"

	"etrace/analyze/closedform"
	"etrace/fixtures/size"
)

// atoms are what random formulas are made of, computed here from their definitions.
var atoms = []struct {
	text string
	at   func(n int64) *big.Rat
}{
	{"1", integers(func(int64) int64 { return 1 })},
	{"n", integers(func(n int64) int64 { return n })},
	{"n^2", integers(func(n int64) int64 { return n * n })},
	{"n^3", integers(func(n int64) int64 { return n * n * n })},
	{"floor(log2(n))", integers(logarithm)},
	{"n*floor(log2(n))", integers(func(n int64) int64 { return n * logarithm(n) })},
	{"2^floor(log2(n))", integers(func(n int64) int64 { return 1 << logarithm(n) })},
	{"(n % 2)", integers(func(n int64) int64 { return n % 2 })},
	{"n*(n % 2)", integers(func(n int64) int64 { return n * (n % 2) })},
	{"H(n)", harmonic},
	{"n*H(n)", func(n int64) *big.Rat { return new(big.Rat).Mul(rat(n, 1), harmonic(n)) }},
}

// logarithm is floor(log2 n), counted.
func logarithm(n int64) int64 {
	k := int64(0)
	for ; n > 1; n /= 2 {
		k++
	}
	return k
}

func harmonic(n int64) *big.Rat {
	sum := new(big.Rat)
	for i := int64(1); i <= n; i++ {
		sum.Add(sum, rat(1, i))
	}
	return sum
}

// randomFormula draws a formula of up to four atoms and its points.
func randomFormula(t *rapid.T) []closedform.Point {
	chosen := rapid.SliceOfNDistinct(rapid.IntRange(0, len(atoms)-1), 1, 4, rapid.ID).Draw(t, "atoms")
	factors := make([]*big.Rat, len(chosen))
	for i := range factors {
		size := rapid.Int64Range(1, 60).Draw(t, "numerator")
		if rapid.Bool().Draw(t, "negative") {
			size = -size
		}
		factors[i] = rat(size, rapid.Int64Range(1, 12).Draw(t, "denominator"))
	}
	first := rapid.Int64Range(2, 5).Draw(t, "first")
	last := rapid.Int64Range(35, 80).Draw(t, "last")
	return sequence(first, last, func(n int64) *big.Rat {
		sum := new(big.Rat)
		for i, c := range chosen {
			sum.Add(sum, new(big.Rat).Mul(factors[i], atoms[c].at(n)))
		}
		return sum
	})
}

// TestARandomFormulaIsFound: Find finds a random formula from its points, in any order, and the result agrees with the
// formula at other numbers.
func TestARandomFormulaIsFound(t *testing.T) {
	size.Check(t, 5, 20, 1_000, func(t *rapid.T) {
		points := randomFormula(t)
		found := closedform.Find(rapid.Permutation(points).Draw(t, "order"), closedform.Options{})
		if !found.Holds() {
			t.Fatalf("no exact formula is found: %v", found.Lines("messages"))
		}
		if found.Exact.Formula.Terms() > 4 {
			t.Fatalf("the formula %s has more terms than four", found.Exact.Formula)
		}
		for _, p := range points {
			if got := found.Exact.Formula.At(p.At); got.Cmp(p.Value) != 0 {
				t.Fatalf("%s at n = %d: %s, want %s", found.Exact.Formula, p.At[0], got, p.Value)
			}
		}
	})
}

// TestAChangedPointIsNoticed: one point changed by 1 is never called exact, wherever it is,
// and where the formula has few terms the point is named.
func TestAChangedPointIsNoticed(t *testing.T) {
	size.Check(t, 5, 20, 1_000, func(t *rapid.T) {
		points := randomFormula(t)
		i := rapid.IntRange(0, len(points)-1).Draw(t, "changed")
		points[i].Value = new(big.Rat).Add(points[i].Value, rat(1, 1))
		found := closedform.Find(points, closedform.Options{})
		if found.Holds() {
			t.Fatalf("called exact with n = %d changed: %v", points[i].At[0], found.Lines("messages"))
		}
		if found.Exact == nil || len(found.Exact.Exceptions) != 1 || found.Exact.Exceptions[0].Place != fmt.Sprintf("n = %d", points[i].At[0]) {
			t.Fatalf("the changed point n = %d is not named: %v", points[i].At[0], found.Lines("messages"))
		}
	})
}

// TestTwoVariables: a random polynomial in two variables is found again.
func TestTwoVariables(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		degree := rapid.IntRange(0, 3).Draw(t, "degree")
		var factors [4][4]int64
		for i := range degree + 1 {
			for j := range degree + 1 - i {
				factors[i][j] = rapid.Int64Range(-9, 9).Draw(t, "factor")
			}
		}
		value := func(n, k int64) *big.Rat {
			sum := int64(0)
			for i := range factors {
				for j := range factors[i] {
					term := factors[i][j]
					for range i {
						term *= n
					}
					for range j {
						term *= k
					}
					sum += term
				}
			}
			return rat(sum, 2)
		}
		var points []closedform.Point
		for n := int64(3); n <= 9; n++ {
			for k := int64(1); k <= n; k++ {
				points = append(points, closedform.Point{At: []int64{n, k}, Value: value(n, k)})
			}
		}
		found := closedform.Find(points, closedform.Options{Variables: []string{"n", "start"}})
		if !found.Holds() {
			t.Fatalf("no formula: %v", found.Lines("messages"))
		}
		if got := found.Exact.Formula.At([]int64{100, 41}); got.Cmp(value(100, 41)) != 0 {
			t.Fatalf("%s at n = 100, start = 41: %s, want %s", found.Exact.Formula, got, value(100, 41))
		}
		// A single wrong point must refute the formula.
		points[len(points)/2].Value = new(big.Rat).Add(points[len(points)/2].Value, rat(1, 1))
		if found := closedform.Find(points, closedform.Options{Variables: []string{"n", "start"}}); found.Holds() {
			t.Fatalf("called exact with a point changed: %v", found.Lines("messages"))
		}
	})
}
