package law

import (
	"math"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat/distuv"
)

// leastSquares fits the sum of the shapes.
func leastSquares(samples []sample, terms []int, known bool) (Fit, bool) {
	m, k := len(samples), len(terms)
	x, y := mat.NewDense(m, k, nil), mat.NewVecDense(m, nil)
	scale := make([]float64, k)
	for i, s := range samples {
		y.SetVec(i, s.value/s.err)
		for j, t := range terms {
			v := shapes[t].value(s.n) / s.err
			x.Set(i, j, v)
			scale[j] = max(scale[j], math.Abs(v))
		}
	}
	for j := range scale {
		if scale[j] == 0 {
			return Fit{}, false
		}
		for i := range m {
			x.Set(i, j, x.At(i, j)/scale[j])
		}
	}
	var qr mat.QR
	qr.Factorize(x)
	var b mat.VecDense
	if err := qr.SolveVecTo(&b, false, y); err != nil {
		return Fit{}, false
	}
	f := Fit{terms: terms, factors: make([]float64, k)}
	for j := range f.factors {
		f.factors[j] = b.AtVec(j) / scale[j]
	}
	if known {
		f.spread = func(n float64) float64 { return standardError(&qr, terms, scale, n) }
	}
	f.judge(samples, known)
	return f, !math.IsNaN(f.Criterion)
}

// standardError is that of what the fit says of n: of all z with which the equations say so, the
// shortest, whose square is the variance.
func standardError(qr *mat.QR, terms []int, scale []float64, n float64) float64 {
	at, z := mat.NewVecDense(len(terms), nil), new(mat.VecDense)
	for j, t := range terms {
		at.SetVec(j, shapes[t].value(n)/scale[j])
	}
	if qr.SolveVecTo(z, true, at) != nil {
		return math.Inf(1)
	}
	return mat.Norm(z, 2)
}

// judge computes Akaike's criterion: of known errors by their sum of squares, else with the
// variance as one more unknown and the correction for few points.
func (f *Fit) judge(samples []sample, known bool) {
	squares := 0.0
	for _, s := range samples {
		off := s.value - f.At(s.n)
		squares += off * off / (s.err * s.err)
		if part := math.Abs(off) / math.Abs(s.value); s.value != 0 {
			f.Residual = max(f.Residual, part)
		}
	}
	m, k := float64(len(samples)), float64(len(f.terms))
	if known {
		f.Criterion = squares + 2*k
		free := max(m-k, 1)
		f.Misfit = squares / free
		f.Refuted = f.Misfit > misfit && distuv.ChiSquared{K: free}.Survival(squares) < chance
		return
	}
	const exact = 1e-24 // less is the rounding of floating point
	k++
	f.Criterion = m*math.Log(max(squares/m, exact)) + 2*k
	if m > k+1 {
		f.Criterion += 2 * k * (k + 1) / (m - k - 1)
	} else {
		f.Criterion = math.NaN()
	}
}

// predict computes the fit at points that it was not made from.
func (f *Fit) predict(samples []sample) {
	for _, s := range samples {
		p := Prediction{N: int64(s.n), Measured: s.value, Predicted: f.At(s.n)}
		if f.spread != nil {
			p.Errors = (p.Predicted - p.Measured) / math.Hypot(s.err, f.spread(s.n))
			f.Refuted = f.Refuted || math.Abs(p.Errors) > mostErrors
		}
		f.Predictions = append(f.Predictions, p)
	}
}
