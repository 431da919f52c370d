package law

import (
	"cmp"
	"math/big"
	"slices"
)

// spare is how many more points than unknowns an exact law needs at least.
const spare = 3

// mostTerms is how many atoms are combined where the law is no polynomial.
const mostTerms = 5

// mostSets is how many sets of atoms are tried.
const mostSets = 8000

// mostDropped is how many of the smallest sizes a law may leave out, as special cases.
const mostDropped = 3

// Exact is a law and where it holds.
type Exact struct {
	Formula *Formula
	// Domain says at which points: "n = 3..64".
	Domain string
	Points int
	// Exceptions are the points where it does not hold. A law with exceptions is not
	// called exact.
	Exceptions []Exception
}

// Exception is a point at which a law does not hold.
type Exception struct {
	Place    string   `json:"at"`
	Measured *big.Rat `json:"measured"`
	Says     *big.Rat `json:"law"`
}

// findExact looks for the simplest combination of atoms that holds at every point. Where a
// simpler one holds at all points but one, it returns that one with its exception: what
// holds everywhere would then owe it to one point.
func findExact(points []Point, variables []string) *Exact {
	if e := searchExact(points, variables); e != nil {
		return e
	}
	for drop := 2; drop <= min(mostDropped, len(points)/4); drop++ {
		if e := searchExact(points[drop:], variables); e != nil && len(e.Exceptions) == 0 && e.Formula.has(points) {
			return exactWith(e.Formula, points, variables)
		}
	}
	return nil
}

func searchExact(points []Point, variables []string) *Exact {
	if len(points) < least {
		return nil
	}
	for _, family := range polynomials(len(points), len(variables)) {
		s := newSearch(points, variables, family)
		if e := s.try(all(len(family))); e != nil {
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
		if e := s.try(chosen); e != nil {
			return e
		}
	}
	return s.try(all(len(atoms)))
}

// searchQuotient looks for a polynomial over a divisor, as means over n initiators are: the values
// times the divisor have to be polynomial. One that is not n itself counts as one term more, and
// such a law has no exceptions.
func searchQuotient(points []Point, variables []string, by *divisor) *Exact {
	times, confirming := slices.Clone(points), len(points)
	for i := range times {
		over := by.at(times[i].At)
		if over.Sign() == 0 || by.plus != 0 && times[i].Sampled {
			return nil
		}
		times[i].Value = new(big.Rat).Mul(times[i].Value, over)
	}
	if by.plus != 0 {
		confirming--
	}
	for _, family := range polynomials(confirming, len(variables)) {
		s := newSearch(times, variables, family)
		if e := s.try(all(len(family))); e != nil && (by.plus == 0 || len(e.Exceptions) == 0) {
			f := *e.Formula
			f.over = by
			return exactWith(&f, points, variables)
		}
	}
	return nil
}

// polynomials returns the atoms of the polynomials that so many points can confirm, by
// ascending degree.
func polynomials(points, variables int) (families [][]atom) {
	degrees := []int{1: 6, 2: 4, 3: 3}
	most := 2
	if variables < len(degrees) {
		most = degrees[variables]
	}
	for degree := range most + 1 {
		if family := monomials(variables, degree); len(family)+spare <= points {
			families = append(families, family)
		}
	}
	return families
}

func all(n int) []int {
	list := make([]int, n)
	for i := range list {
		list[i] = i
	}
	return list
}

// combinations returns the sets of up to mostTerms atoms, few before many, simple before
// complicated. Those of powers alone are left out: they are polynomials.
func combinations(atoms []atom) (sets [][]int) {
	for size := 1; size <= min(mostTerms, len(atoms)); size++ {
		first := len(sets)
		if sum := new(big.Int).Binomial(int64(len(atoms)), int64(size)); first+int(sum.Int64()) > mostSets {
			break
		}
		choose(len(atoms), size, func(set []int) {
			if slices.ContainsFunc(set, func(i int) bool { return atoms[i].function != nil }) {
				sets = append(sets, slices.Clone(set))
			}
		})
		slices.SortStableFunc(sets[first:], func(a, b []int) int { return cmp.Compare(weigh(atoms, a), weigh(atoms, b)) })
	}
	return sets
}

func weigh(atoms []atom, set []int) int {
	sum := 0
	for _, i := range set {
		sum += atoms[i].weight()
	}
	return sum
}

// choose calls visit with every set of that size of the numbers below n. The set is reused.
func choose(n, size int, visit func(set []int)) {
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

// search looks for laws of the points among combinations of the atoms.
type search struct {
	points    []Point
	variables []string
	atoms     []atom
	system    *system // nil where numbers have no remainder
}

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

// needs is how many points a law of these atoms has to hold at. Functions with steps can follow
// more sequences than polynomials can.
func (s *search) needs(atoms []int) int {
	k := len(atoms)
	if slices.ContainsFunc(atoms, func(i int) bool { return s.atoms[i].function != nil }) {
		return max(k+spare, 2*k+2)
	}
	return k + spare
}

// try returns the law of these atoms, if there is one that holds at all points or all but
// one.
func (s *search) try(atoms []int) *Exact {
	needs := s.needs(atoms)
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
		others, factors := s.system.pivots(atoms, i)
		if others != nil && len(s.system.misses(atoms, factors, i, 1)) == 0 {
			return s.confirm(atoms, others, 1)
		}
	}
	return nil
}

// eachFollows reports whether each of the points from which the coefficients were computed
// follows from all others.
func (s *search) eachFollows(atoms, chosen []int) bool {
	return !slices.ContainsFunc(chosen, func(i int) bool {
		others, _ := s.system.pivots(atoms, i)
		return others == nil
	})
}

// confirm computes the law from the chosen points as fractions, and it everywhere.
func (s *search) confirm(atoms, chosen []int, exceptions int) *Exact {
	of := make([]atom, len(atoms))
	for i, a := range atoms {
		of[i] = s.atoms[a]
	}
	from := make([]Point, len(chosen))
	for i, c := range chosen {
		from[i] = s.points[c]
	}
	factors := solve(of, from)
	if factors == nil {
		return nil
	}
	e := exactWith(newFormula(s.variables, of, factors), s.points, s.variables)
	if len(e.Exceptions) != exceptions {
		return nil
	}
	return e
}

// exactWith computes the formula at every point.
func exactWith(f *Formula, points []Point, variables []string) *Exact {
	e := &Exact{Formula: f, Domain: domain(variables, points), Points: len(points)}
	for i := range points {
		p := &points[i]
		if says := f.At(p.At); says.Cmp(p.Value) != 0 {
			e.Exceptions = append(e.Exceptions, Exception{Place(variables, p.At), p.Value, says})
		}
	}
	return e
}
