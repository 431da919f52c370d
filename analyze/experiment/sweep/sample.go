package sweep

import (
	"math"
	"math/big"

	"gonum.org/v1/gonum/mathext"
)

// Confidence is the confidence level of the intervals.
const Confidence = 0.95

// variance returns the mean squared distance to the mean, nil if fewer than two runs have the measure. For a
// sample it is the unbiased estimate: the sum of squares is divided by the number of runs minus one.
func (s *Summary) variance(sample bool) *big.Rat {
	if s.Count < 2 {
		return nil
	}
	n := big.NewInt(s.Count)
	squares := new(big.Int).Mul(n, s.Squares)
	// n times the sum of the squared distances
	squares.Sub(squares, new(big.Int).Mul(s.Sum, s.Sum))
	if sample {
		n.Mul(n, big.NewInt(s.Count-1))
	} else {
		n.Mul(n, n)
	}
	unit := big.NewInt(s.Unit)
	return new(big.Rat).SetFrac(squares, n.Mul(n, unit.Mul(unit, unit)))
}

// deviation returns the standard deviation, the square root of [Summary.variance], and whether it exists.
func (s *Summary) deviation(sample bool) (deviation float64, ok bool) {
	v := s.variance(sample)
	if v == nil {
		return 0, false
	}
	square, _ := v.Float64()
	return math.Sqrt(square), true
}

// Interval returns half the width of the confidence interval of the mean of a sample, by Student's
// distribution, and whether it exists. It does not exist if all runs have the same value. The runs of a cell
// are independent, since each has its own seed. If several initiators or orders have equal shares of the runs,
// the interval is at most too wide: their differences count in the deviation, though every sample has the same
// number of each.
func (s *Summary) Interval() (half float64, ok bool) {
	deviation, ok := s.deviation(true)
	if !ok || deviation == 0 {
		// A sample without spread has no estimate of the values that it missed.
		return 0, false
	}
	return s.student() * deviation / math.Sqrt(float64(s.Count)), true
}

// student returns the quantile of Student's distribution for the interval. The probability that a value is
// farther from 0 than t is the regularized incomplete beta function of freedom/(freedom + t*t).
func (s *Summary) student() float64 {
	freedom := float64(s.Count - 1)
	x := mathext.InvRegIncBeta(freedom/2, 0.5, 1-Confidence)
	return math.Sqrt(freedom * (1 - x) / x)
}
