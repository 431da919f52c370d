package closedform

import (
	"cmp"
	"math/big"
	"slices"
)

// spare is the number of points that an exact formula must explain beyond the points that determine its
// coefficients.
const spare = 3

// maxTerms is the maximum number of atoms in a formula that is no polynomial.
const maxTerms = 5

// maxSets is the limit for the sets of atoms that are tried.
const maxSets = 8000

// maxDropped is the limit for the smallest sizes that a formula may omit as special cases.
const maxDropped = 3

// Exact is an exact formula with the points at which it holds.
type Exact struct {
	Formula *Formula
	// Domain describes the points: "n = 3..64".
	Domain string
	Points int
	// Exceptions are the points at which the formula fails. A formula with exceptions is not called exact.
	Exceptions []Exception
}

// Exception is a point at which a formula fails.
type Exception struct {
	Place             string
	Measured, Formula *big.Rat
}

// findExact searches for the simplest formula that holds at every point. A simpler formula with one exception
// comes before a more complex one without, which would rest on this single point. If none is found, it leaves
// out the smallest sizes as special cases.
func findExact(points []Point, variables []string) *Exact {
	if e := searchExact(points, variables); e != nil {
		return e
	}
	for drop := 2; drop <= min(maxDropped, len(points)/4); drop++ {
		if e := searchExact(points[drop:], variables); e != nil && len(e.Exceptions) == 0 && e.Formula.has(points) {
			return exactWith(e.Formula, points, variables)
		}
	}
	return nil
}

// searchExact returns the first formula that holds at all points except at most one; nil if it finds no such
// formula. It tries polynomials, quotients, and then other combinations of atoms.
func searchExact(points []Point, variables []string) *Exact {
	if len(points) < fewestPoints {
		return nil
	}
	for _, family := range polynomials(len(points), len(variables)) {
		s := newSearch(points, variables, family)
		if e := s.solve(indexes(len(family))); e != nil {
			return e
		}
	}
	for i := range divisors {
		if e := searchQuotient(points, variables, &divisors[i]); e != nil {
			return e
		}
	}
	atoms := pool(len(variables), points)
	s := newSearch(points, variables, atoms)
	for _, chosen := range combinations(atoms) {
		if e := s.solve(chosen); e != nil {
			return e
		}
	}
	return s.solve(indexes(len(atoms)))
}

// searchQuotient searches for a polynomial over a divisor, such as a mean over n initiators: the values times
// the divisor must be polynomial. A divisor other than n counts as one more coefficient, and allows no
// exceptions.
func searchQuotient(points []Point, variables []string, divisor *divisor) *Exact {
	times, confirming := slices.Clone(points), len(points)
	for i := range times {
		divisorValue := divisor.at(times[i].At)
		if divisorValue.Sign() == 0 || divisor.plus != 0 && times[i].Sampled {
			return nil
		}
		times[i].Value = new(big.Rat).Mul(times[i].Value, divisorValue)
	}
	if divisor.plus != 0 {
		confirming--
	}
	for _, family := range polynomials(confirming, len(variables)) {
		s := newSearch(times, variables, family)
		if e := s.solve(indexes(len(family))); e != nil && (divisor.plus == 0 || len(e.Exceptions) == 0) {
			f := *e.Formula
			f.over = divisor
			return exactWith(&f, points, variables)
		}
	}
	return nil
}

// polynomials returns the atoms of the polynomials that the given number of points can confirm, by rising
// degree.
func polynomials(points, variables int) (families [][]atom) {
	degrees := []int{1: 6, 2: 4, 3: 3}
	greatest := 2
	if variables < len(degrees) {
		greatest = degrees[variables]
	}
	for degree := range greatest + 1 {
		if family := monomials(variables, degree); len(family)+spare <= points {
			families = append(families, family)
		}
	}
	return families
}

// indexes returns the numbers from 0 to n-1.
func indexes(n int) []int {
	list := make([]int, n)
	for i := range list {
		list[i] = i
	}
	return list
}

// combinations returns the sets of up to maxTerms atoms, small sets first, simple ones first. It omits sets of
// powers alone, which are polynomials.
func combinations(atoms []atom) (sets [][]int) {
	for size := 1; size <= min(maxTerms, len(atoms)); size++ {
		first := len(sets)
		if sum := new(big.Int).Binomial(int64(len(atoms)), int64(size)); first+int(sum.Int64()) > maxSets {
			break
		}
		eachSubset(len(atoms), size, func(set []int) {
			if slices.ContainsFunc(set, func(i int) bool { return atoms[i].function != nil }) {
				sets = append(sets, slices.Clone(set))
			}
		})
		slices.SortStableFunc(sets[first:], func(a, b []int) int {
			return cmp.Compare(complexityOf(atoms, a), complexityOf(atoms, b))
		})
	}
	return sets
}

// complexityOf returns the complexity of a set of atoms.
func complexityOf(atoms []atom, set []int) int {
	sum := 0
	for _, i := range set {
		sum += atoms[i].weight()
	}
	return sum
}

// eachSubset calls visit with every subset of the numbers below n that has the given size. It reuses the set.
func eachSubset(n, size int, visit func(set []int)) {
	set := make([]int, size)
	var fill func(i, from int)
	fill = func(i, from int) {
		if i == size {
			visit(set)
			return
		}
		for v := from; v <= n-(size-i); v++ {
			set[i] = v
			fill(i+1, v+1)
		}
	}
	fill(0, 0)
}

// search looks for formulas of the points among combinations of the atoms.
type search struct {
	points    []Point
	variables []string
	atoms     []atom
	system    *system // nil if a value cannot be computed modulo the prime
}

// newSearch evaluates the atoms at the points, modulo the prime.
func newSearch(points []Point, variables []string, atoms []atom) *search {
	s := &search{points: points, variables: variables, atoms: atoms}
	sys := &system{}
	for i := range points {
		row := make([]uint64, len(atoms))
		for j := range atoms {
			m, ok := remainder(atoms[j].value(points[i].At))
			if !ok {
				return s
			}
			row[j] = m
		}
		value, ok := remainder(points[i].Value)
		if !ok {
			return s
		}
		sys.rows, sys.values = append(sys.rows, row), append(sys.values, value)
	}
	s.system = sys
	return s
}

// pointsNeeded returns the number of points that a formula of these atoms must explain. Step functions need more,
// since they can follow more sequences than polynomials.
func (s *search) pointsNeeded(atoms []int) int {
	k := len(atoms)
	if slices.ContainsFunc(atoms, func(i int) bool { return s.atoms[i].function != nil }) {
		return max(k+spare, 2*k+2)
	}
	return k + spare
}

// solve returns the formula of these atoms that holds at all points, or at all except one; nil if no
// coefficients do that.
func (s *search) solve(atoms []int) *Exact {
	needs := s.pointsNeeded(atoms)
	if s.system == nil || len(s.points) < needs {
		return nil
	}
	chosen, factors := s.system.pivots(atoms, -1)
	if chosen == nil {
		return nil
	}
	misses := s.system.misses(atoms, factors, -1, 2)
	switch {
	case len(misses) == 0:
		if !s.eachFollows(atoms, chosen) {
			return nil
		}
		return s.confirm(atoms, chosen, 0)
	case len(s.points) == needs:
		return nil
	case len(misses) == 1:
		return s.confirm(atoms, chosen, 1)
	}
	for _, i := range chosen {
		alternative, factors := s.system.pivots(atoms, i)
		if alternative != nil && len(s.system.misses(atoms, factors, i, 1)) == 0 {
			return s.confirm(atoms, alternative, 1)
		}
	}
	return nil
}

// eachFollows reports whether each chosen point, which determined the coefficients, follows from all other
// points.
func (s *search) eachFollows(atoms, chosen []int) bool {
	return !slices.ContainsFunc(chosen, func(i int) bool {
		alternative, _ := s.system.pivots(atoms, i)
		return alternative == nil
	})
}

// confirm computes the coefficients from the chosen points in fractions. It returns nil unless the formula
// has the given number of exceptions.
func (s *search) confirm(atoms, chosen []int, exceptions int) *Exact {
	terms := make([]atom, len(atoms))
	for i, a := range atoms {
		terms[i] = s.atoms[a]
	}
	from := make([]Point, len(chosen))
	for i, c := range chosen {
		from[i] = s.points[c]
	}
	factors := solve(terms, from)
	if factors == nil {
		return nil
	}
	e := exactWith(newFormula(s.variables, terms, factors), s.points, s.variables)
	if len(e.Exceptions) != exceptions {
		return nil
	}
	return e
}

// exactWith evaluates the formula at every point.
func exactWith(f *Formula, points []Point, variables []string) *Exact {
	e := &Exact{Formula: f, Domain: domain(variables, points), Points: len(points)}
	for i := range points {
		p := &points[i]
		if formula := f.At(p.At); formula.Cmp(p.Value) != 0 {
			e.Exceptions = append(e.Exceptions, Exception{Place(variables, p.At), p.Value, formula})
		}
	}
	return e
}
