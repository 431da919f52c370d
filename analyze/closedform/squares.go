package closedform

import (
	"math"
	"math/big"
	"slices"

	"gonum.org/v1/gonum/mathext"
)

// leastSquares fits a sum of shapes to samples; known is set if their errors are standard errors. It solves
// the normal equations in exact arithmetic, since floating point loses half of the digits. It returns false
// if the equations have no solution.
func leastSquares(samples []sample, terms []int, known bool) (Fit, bool) {
	k := len(terms)
	normal, ok := normalEquations(samples, terms)
	if !ok || !diagonalize(normal) {
		return Fit{}, false
	}
	f := Fit{terms: terms, factors: make([]float64, k), Predictions: []Prediction{}}
	for j := range f.factors {
		f.factors[j], _ = normal[j][k].Float64()
	}
	if known {
		f.spread = func(n float64) float64 { return standardError(normal, terms, n) }
	}
	f.judge(samples, known)
	return f, !math.IsNaN(f.Criterion)
}

// normalEquations returns the rows of X'X, X'y and the identity, where X has the shapes and y the values, both
// divided by the errors of the samples. It returns false if an entry exceeds floating point.
func normalEquations(samples []sample, terms []int) (rows [][]*big.Rat, ok bool) {
	k := len(terms)
	rows = make([][]*big.Rat, k)
	for i := range rows {
		for range 2*k + 1 {
			rows[i] = append(rows[i], new(big.Rat))
		}
		rows[i][k+1+i].SetInt64(1)
	}
	entries := make([]*big.Rat, k+1)
	for _, s := range samples {
		for j, t := range terms {
			entries[j] = new(big.Rat).SetFloat64(shapes[t].value(s.n) / s.err)
		}
		entries[k] = new(big.Rat).SetFloat64(s.value / s.err)
		if slices.Contains(entries, nil) {
			return nil, false
		}
		for i, row := range rows {
			for j, entry := range entries {
				row[j].Add(row[j], new(big.Rat).Mul(entries[i], entry))
			}
		}
	}
	return rows, true
}

// standardError returns the standard error of the fit at n. Its square is a'Ca, where a has the shapes at n and C, the
// last columns of the solved equations, is the covariance of the coefficients.
func standardError(solved [][]*big.Rat, terms []int, n float64) float64 {
	k := len(terms)
	values := make([]*big.Rat, k)
	for j, t := range terms {
		values[j] = new(big.Rat).SetFloat64(shapes[t].value(n))
		if values[j] == nil {
			return math.Inf(1)
		}
	}
	variance := new(big.Rat)
	for i, row := range solved {
		for j, covariance := range row[k+1:] {
			term := new(big.Rat).Mul(values[i], values[j])
			variance.Add(variance, term.Mul(term, covariance))
		}
	}
	square, _ := variance.Float64()
	return math.Sqrt(square)
}

// judge computes Akaike's criterion. With known errors it uses their sum of squares; otherwise the variance is
// one more unknown, and the correction for few points applies.
func (f *Fit) judge(samples []sample, known bool) {
	squares := 0.0
	smallest := leastValue(samples)
	for _, s := range samples {
		off := s.value - f.At(s.n)
		squares += off * off / (s.err * s.err)
		f.Residual = max(f.Residual, f.relativeError(s, smallest))
	}
	m, k := float64(len(samples)), float64(len(f.terms))
	if known {
		f.Criterion = squares + 2*k
		f.Misfit = squares / max(m-k, 1)
		return
	}
	const exact = 1e-24 // smaller values are rounding errors of floating point
	k++
	f.Criterion = m*math.Log(max(squares/m, exact)) + 2*k
	if m > k+1 {
		f.Criterion += 2 * k * (k + 1) / (m - k - 1)
	} else {
		f.Criterion = math.NaN()
	}
}

// chiSquared returns the probability that a chi-squared variable with the given degrees of freedom is greater.
func chiSquared(freedom, squares float64) float64 {
	return mathext.GammaIncRegComp(freedom/2, squares/2)
}

// predict evaluates the fit at points from which it was not made.
func (f *Fit) predict(samples []sample) {
	for _, s := range samples {
		p := Prediction{N: int64(s.n), Measured: s.value, Predicted: f.At(s.n)}
		if f.spread != nil {
			p.Errors = (p.Predicted - p.Measured) / math.Hypot(s.err, f.spread(s.n))
		}
		f.Predictions = append(f.Predictions, p)
	}
}
