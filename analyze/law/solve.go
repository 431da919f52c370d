package law

import (
	"math/big"
	"math/bits"
	"slices"
)

// The search computes with remainders modulo the prime 2^61-1: what holds there nearly
// always holds, and what does not, never does. What is found is then computed with
// fractions.
const prime = 1<<61 - 1

func timesMod(a, b uint64) uint64 {
	high, low := bits.Mul64(a, b)
	return reduce(low&prime + (high<<3 | low>>61))
}

func reduce(a uint64) uint64 {
	if a = a&prime + a>>61; a >= prime {
		a -= prime
	}
	return a
}

func minusMod(a, b uint64) uint64 { return reduce(a + prime - b) }

// inverse returns 1/a, by Fermat's little theorem.
func inverse(a uint64) uint64 {
	power, out := a, uint64(1)
	for e := uint64(prime - 2); e > 0; e >>= 1 {
		if e&1 == 1 {
			out = timesMod(out, power)
		}
		power = timesMod(power, power)
	}
	return out
}

// remainder returns the fraction modulo the prime; ok is false where its denominator is 0 there.
func remainder(r *big.Rat) (m uint64, ok bool) {
	p := big.NewInt(prime)
	num := new(big.Int).Mod(r.Num(), p).Uint64()
	den := new(big.Int).Mod(r.Denom(), p).Uint64()
	return timesMod(num, inverse(den)), den != 0
}

// system are linear equations modulo the prime: a row for each point with the atoms' values.
type system struct {
	rows   [][]uint64
	values []uint64
}

// pivots chooses points whose equations determine the coefficients of the atoms, from the
// first on and without the one that is left out, and solves for these. It returns nil if
// there are not enough.
func (s *system) pivots(atoms []int, without int) (chosen []int, factors []uint64) {
	k := len(atoms)
	matrix := make([][]uint64, 0, k) // in echelon form, each row ends with its value
	lead := make([]int, 0, k)
	for i := 0; i < len(s.rows) && len(chosen) < k; i++ {
		if i == without {
			continue
		}
		row := make([]uint64, k+1)
		for j, a := range atoms {
			row[j] = s.rows[i][a]
		}
		row[k] = s.values[i]
		for j, above := range matrix {
			eliminate(row, above, lead[j])
		}
		at := slices.IndexFunc(row[:k], func(v uint64) bool { return v != 0 })
		if at < 0 {
			continue
		}
		scale := inverse(row[at])
		for j := range row {
			row[j] = timesMod(row[j], scale)
		}
		matrix, lead, chosen = append(matrix, row), append(lead, at), append(chosen, i)
	}
	if len(chosen) < k {
		return nil, nil
	}
	return chosen, backSubstitute(matrix, lead)
}

// eliminate takes a multiple of the other row away so that the row has 0 in the column.
func eliminate(row, other []uint64, column int) {
	factor := row[column]
	if factor == 0 {
		return
	}
	for j := range row {
		row[j] = minusMod(row[j], timesMod(factor, other[j]))
	}
}

func backSubstitute(matrix [][]uint64, lead []int) []uint64 {
	k := len(matrix)
	factors := make([]uint64, k)
	for i := k - 1; i >= 0; i-- {
		for j := range i {
			eliminate(matrix[j], matrix[i], lead[i])
		}
		factors[lead[i]] = matrix[i][k]
	}
	return factors
}

// misses returns up to that many points where the combination has another value than
// was measured, besides the one that is left out.
func (s *system) misses(atoms []int, factors []uint64, without, most int) (list []int) {
	for i, row := range s.rows {
		if i == without {
			continue
		}
		sum := uint64(0)
		for j, a := range atoms {
			sum = reduce(sum + timesMod(factors[j], row[a]))
		}
		if sum != s.values[i] {
			if list = append(list, i); len(list) == most {
				return list
			}
		}
	}
	return list
}

// solve returns the coefficients with which the atoms have the values of the chosen points,
// as fractions, or nil.
func solve(atoms []atom, points []Point) []*big.Rat {
	k := len(atoms)
	matrix := make([][]*big.Rat, k)
	for i := range matrix {
		for j := range atoms {
			matrix[i] = append(matrix[i], atoms[j].value(points[i].At))
		}
		matrix[i] = append(matrix[i], new(big.Rat).Set(points[i].Value))
	}
	if !diagonalize(matrix) {
		return nil
	}
	factors := make([]*big.Rat, k)
	for i := range factors {
		factors[i] = matrix[i][k]
	}
	return factors
}

// diagonalize makes the square matrix in the first columns of the rows the identity. It returns false if that matrix
// is singular.
func diagonalize(matrix [][]*big.Rat) bool {
	for column := range matrix {
		at := slices.IndexFunc(matrix[column:], func(row []*big.Rat) bool { return row[column].Sign() != 0 })
		if at < 0 {
			return false
		}
		matrix[column], matrix[column+at] = matrix[column+at], matrix[column]
		reduceRows(matrix, column)
	}
	return true
}

// reduceRows makes the column of all rows 0 but for that of its own row, which becomes 1.
func reduceRows(matrix [][]*big.Rat, column int) {
	own := matrix[column]
	scale := new(big.Rat).Inv(own[column])
	for j := column; j < len(own); j++ {
		own[j].Mul(own[j], scale)
	}
	for i, row := range matrix {
		if i == column || row[column].Sign() == 0 {
			continue
		}
		factor := new(big.Rat).Set(row[column])
		for j := column; j < len(row); j++ {
			row[j].Sub(row[j], new(big.Rat).Mul(factor, own[j]))
		}
	}
}
