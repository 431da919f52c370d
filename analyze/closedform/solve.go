package closedform

import (
	"math/big"
	"math/bits"
	"slices"
)

// The search computes modulo the prime 2^61-1: an equation that fails there never holds, and an equation that
// holds there almost always holds. The result is then verified in fractions.
const prime = 1<<61 - 1

// timesMod returns a*b modulo the prime.
func timesMod(a, b uint64) uint64 {
	high, low := bits.Mul64(a, b)
	return reduce(low&prime + (high<<3 | low>>61))
}

// reduce returns a modulo the prime, for a below 2^62.
func reduce(a uint64) uint64 {
	a = a&prime + a>>61
	if a >= prime {
		a -= prime
	}
	return a
}

// minusMod returns a-b modulo the prime.
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

// remainder returns the fraction modulo the prime; ok is false if the denominator is a multiple of the prime.
func remainder(r *big.Rat) (m uint64, ok bool) {
	p := big.NewInt(prime)
	num := new(big.Int).Mod(r.Num(), p).Uint64()
	den := new(big.Int).Mod(r.Denom(), p).Uint64()
	return timesMod(num, inverse(den)), den != 0
}

// system is a set of linear equations modulo the prime: a row for each point with the values of the atoms.
type system struct {
	rows   [][]uint64
	values []uint64
}

// pivots chooses the first points whose equations determine the coefficients of the atoms, and solves these
// equations. It does not use the point without. It returns nil if the points do not determine the
// coefficients.
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
		column := slices.IndexFunc(row[:k], func(v uint64) bool { return v != 0 })
		if column < 0 {
			continue
		}
		scale := inverse(row[column])
		for j := range row {
			row[j] = timesMod(row[j], scale)
		}
		matrix, lead, chosen = append(matrix, row), append(lead, column), append(chosen, i)
	}
	if len(chosen) < k {
		return nil, nil
	}
	return chosen, backSubstitute(matrix, lead)
}

// eliminate subtracts a multiple of the pivot row, so that the row has 0 in the column.
func eliminate(row, pivot []uint64, column int) {
	factor := row[column]
	if factor == 0 {
		return
	}
	for j := range row {
		row[j] = minusMod(row[j], timesMod(factor, pivot[j]))
	}
}

// backSubstitute solves equations in echelon form; lead is the first column of each row that is not 0.
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

// misses returns the points whose value differs from the sum of the atoms, at most limit of them. It does not
// examine the point skipped.
func (s *system) misses(atoms []int, factors []uint64, skipped, limit int) (list []int) {
	for i, row := range s.rows {
		if i == skipped {
			continue
		}
		sum := uint64(0)
		for j, a := range atoms {
			sum = reduce(sum + timesMod(factors[j], row[a]))
		}
		if sum != s.values[i] {
			list = append(list, i)
			if len(list) == limit {
				return list
			}
		}
	}
	return list
}

// solve returns the coefficients that give the atoms the values of the chosen points, in fractions; nil if the
// equations are singular.
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

// diagonalize turns the square matrix in the first columns of the rows into the identity. It returns false if
// the matrix is singular.
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

// reduceRows makes the column 1 in its own row, and 0 in all other rows.
func reduceRows(matrix [][]*big.Rat, column int) {
	pivot := matrix[column]
	scale := new(big.Rat).Inv(pivot[column])
	for j := column; j < len(pivot); j++ {
		pivot[j].Mul(pivot[j], scale)
	}
	for i, row := range matrix {
		if i == column || row[column].Sign() == 0 {
			continue
		}
		factor := new(big.Rat).Set(row[column])
		for j := column; j < len(row); j++ {
			row[j].Sub(row[j], new(big.Rat).Mul(factor, pivot[j]))
		}
	}
}
