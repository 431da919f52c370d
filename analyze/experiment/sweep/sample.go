package sweep

import (
	"math"
	"math/big"

	"gonum.org/v1/gonum/mathext"
)

// Confidence is that of the intervals.
const Confidence = 0.95

// variance returns the mean square of the distance to the mean, nil if fewer than
// two runs have the measure. That of a sample is the unbiased one: the sum of
// squares is divided by one less than the runs.
func (s *Summary) variance(sample bool) *big.Rat {
	if s.Count < 2 {
		return nil
	}
	n := big.NewInt(s.Count)
	squares := new(big.Int).Mul(n, s.Squares)
	squares.Sub(squares, new(big.Int).Mul(s.Sum, s.Sum)) // n times the sum of squared distances
	if sample {
		n.Mul(n, big.NewInt(s.Count-1))
	} else {
		n.Mul(n, n)
	}
	unit := big.NewInt(s.Unit)
	return new(big.Rat).SetFrac(squares, n.Mul(n, unit.Mul(unit, unit)))
}

// deviation returns the standard deviation, and whether there is one: the square
// root of [Summary.variance].
func (s *Summary) deviation(sample bool) (deviation float64, ok bool) {
	v := s.variance(sample)
	if v == nil {
		return 0, false
	}
	square, _ := v.Float64()
	return math.Sqrt(square), true
}

// Interval returns half the width of the confidence interval of the mean of a
// sample, by Student's distribution, and whether there is one: there is none where all
// runs measured the same. The runs of a cell
// are independent, each with a seed of its own. Where each of several initiators or
// orders has the same share of them the interval is at most too wide: how these differ
// from each other counts into the deviation, though every sample has as many of each.
func (s *Summary) Interval() (half float64, ok bool) {
	deviation, ok := s.deviation(true)
	if !ok || deviation == 0 {
		return 0, false // a sample without spread does not say what it has missed
	}
	return s.student() * deviation / math.Sqrt(float64(s.Count)), true
}

// student returns the quantile of Student's distribution for the interval. The probability that a value is farther from
// 0 than t is the regularized incomplete beta function of freedom/(freedom + t*t).
func (s *Summary) student() float64 {
	freedom := float64(s.Count - 1)
	x := mathext.InvRegIncBeta(freedom/2, 0.5, 1-Confidence)
	return math.Sqrt(freedom * (1 - x) / x)
}
