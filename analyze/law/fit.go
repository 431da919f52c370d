package law

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"gonum.org/v1/gonum/mathext"
)

// shape is a way to grow with n.
type shape struct {
	text  string // %s is the variable
	value func(n float64) float64
}

// shapes are those that fits are made of, slow ones first. The first is no growth.
var shapes = []shape{
	{"", func(float64) float64 { return 1 }},
	{"log2(%s)", math.Log2},
	{"%s", func(n float64) float64 { return n }},
	{"%s*log2(%[1]s)", func(n float64) float64 { return n * math.Log2(n) }},
	{"%s*H(%[1]s)", func(n float64) float64 { return n * harmonic(n) }},
	{"%s^1.5", func(n float64) float64 { return n * math.Sqrt(n) }},
	{"%s^2", func(n float64) float64 { return n * n }},
	{"%s^2*log2(%[1]s)", func(n float64) float64 { return n * n * math.Log2(n) }},
	{"%s^3", func(n float64) float64 { return n * n * n }},
}

// linear is the number of the shape n, which slower terms are taken from.
const linear = 2

// eulerMascheroni is the constant by which the harmonic numbers differ from the digamma function.
const eulerMascheroni = 0.57721566490153286060651209008240243

func harmonic(n float64) float64 { return mathext.Digamma(n+1) + eulerMascheroni }

// akin is the difference of Akaike's criterion up to which two shapes are not
// distinguishable: the data then support the second nearly as well.
const akin = 4

// Fit is a shape with the coefficients that fit best.
type Fit struct {
	// Text is the shape with its coefficients: "1.003*n*H(n)".
	Text string `json:"formula"`
	// Growth is the term that grows fastest, without its coefficient: "n*H(n)", or "1".
	Growth string `json:"growth"`
	// Criterion is Akaike's: the less the better, and only differences mean something.
	Criterion float64 `json:"aic"`
	// Residual is the greatest difference between a point that the fit was made
	// from and the fit, as a part of what was measured.
	Residual float64 `json:"residual"`
	// Misfit is the sum of squares of the differences in standard errors for each degree of
	// freedom, about 1 for the true shape; 0 where there are no standard errors.
	Misfit float64 `json:"-"`
	// Refusal is why the fit is no formula of the points: "is negative at n = 28, ...". It is "" for a fit that is accepted.
	Refusal string `json:"-"`
	// Predictions are what it says of points that it was not made from.
	Predictions []Prediction `json:"predictions"`

	terms   []int
	factors []float64
	// spread is the standard error of what it says of n, nil where errors are not known.
	spread func(n float64) float64
}

// Prediction is what a fit says of a point that it was not made from.
type Prediction struct {
	N         int64   `json:"at"`
	Predicted float64 `json:"predicted"`
	Measured  float64 `json:"measured"`
	// Errors is the difference in standard errors, those of the measured mean and of the fit
	// together; 0 where they are not known.
	Errors float64 `json:"standard_errors,omitempty"`
}

// Off is the difference as a part of what was measured.
func (p *Prediction) Off() float64 {
	if p.Measured == p.Predicted {
		return 0
	}
	return (p.Predicted - p.Measured) / math.Abs(p.Measured)
}

// At computes the fit.
func (f *Fit) At(n float64) float64 {
	sum := 0.0
	for i, t := range f.terms {
		sum += f.factors[i] * shapes[t].value(n)
	}
	return sum
}

// sample is a point as a fit sees it: err is what its difference is divided by, chance its standard error, 0 if exact.
type sample struct{ n, value, err, chance float64 }

// Fits is what least squares say of points in one variable.
type Fits struct {
	// From says which points the fits are made from, Held which they predict.
	From, Held string
	// Best are the fits that are not distinguishable, the best one first; those after them are Others.
	Best, Others []Fit
}

// fit makes fits of the points up to the limit, if there are enough on both sides, else
// of the smaller three quarters.
func fit(points []Point, variable string, upTo int64) (*Fits, error) {
	made, held := holdOut(points, upTo)
	samples, err := samplesOf(points)
	if err != nil {
		return nil, err
	}
	known := weighed(samples, points)
	var list []Fit
	for _, terms := range models(samples[:made]) {
		f, ok := leastSquares(samples[:made], terms, known)
		if !ok {
			continue
		}
		f.name(variable)
		f.predict(samples[made:])
		f.Refusal = f.refusal(variable, made, samples)
		list = append(list, f)
	}
	if len(list) == 0 {
		return nil, fmt.Errorf("no shape can be fitted to %s", domain([]string{variable}, points[:made]))
	}
	// Fits that are accepted come first.
	slices.SortStableFunc(list, func(a, b Fit) int {
		return cmp.Or(cmp.Compare(min(len(a.Refusal), 1), min(len(b.Refusal), 1)), cmp.Compare(a.Criterion, b.Criterion))
	})
	list = onePerGrowth(list)
	fits := &Fits{From: domain([]string{variable}, points[:made])}
	if held > 0 {
		fits.Held = domain([]string{variable}, points[made:])
	}
	n := 0
	for n < len(list) && list[n].accepted() == list[0].accepted() && list[n].Criterion-list[0].Criterion < akin {
		n++
	}
	fits.Best, fits.Others = list[:n:n], list[n:]
	return fits, nil
}

// Refuted reports whether no shape that is tried is accepted.
func (f *Fits) Refuted() bool { return !f.Best[0].accepted() }

func (f *Fit) accepted() bool { return f.Refusal == "" }

// leastMade is how few points a fit is made from at least.
const leastMade = 4

// holdOut says how many points the fit is made from, and how many are held out.
func holdOut(points []Point, upTo int64) (made, held int) {
	for made < len(points) && points[made].At[0] <= upTo {
		made++
	}
	if made == len(points) {
		made -= len(points) / 4
	}
	if made < leastMade {
		made = min(leastMade, len(points))
	}
	return made, len(points) - made
}

func samplesOf(points []Point) ([]sample, error) {
	list := make([]sample, len(points))
	for i := range points {
		p := &points[i]
		value, _ := p.Value.Float64()
		if math.IsInf(value, 0) || p.At[0] < 1 {
			return nil, fmt.Errorf("%d has the value %s: fits are made of numbers that 64 bits hold, of variables from 1 on", p.At[0], shortRat(p.Value))
		}
		list[i] = sample{float64(p.At[0]), value, p.Error, max(p.Error, p.Unseen)}
	}
	return list, nil
}

// nearlyExact is the part of the least error with which an exact value is weighed: none would
// leave no fit, if no shape is exact.
const nearlyExact = 1e-3

// weighed sees to it that each sample has an error by which it is weighed, and reports
// whether these are standard errors that are known. Where none is, or that of a sample is not,
// all are weighed by their size: large counts vary more.
func weighed(samples []sample, points []Point) (known bool) {
	least := math.Inf(1)
	for i := range points {
		if points[i].Error > 0 {
			least = min(least, points[i].Error)
		}
	}
	unknown := func(p Point) bool { return p.Sampled && p.Error <= 0 && p.Unseen <= 0 }
	if !math.IsInf(least, 1) && !slices.ContainsFunc(points, unknown) {
		for i := range points {
			if p := &points[i]; p.Error <= 0 {
				samples[i].err = max(p.Unseen, nearlyExact*least)
			}
		}
		return true
	}
	least = leastValue(samples)
	for i := range samples {
		samples[i].err = max(math.Abs(samples[i].value), least)
	}
	return false
}

// largestTerm keeps sums of squares within floating point.
const largestTerm = 1e150

// models are the sets of shapes that are fitted: each alone, with a constant, and with a
// linear term, as far as there are points enough and numbers for them.
func models(samples []sample) (list [][]int) {
	largest := samples[len(samples)-1].n
	for i := range shapes {
		if shapes[i].value(largest) > largestTerm {
			continue
		}
		list = append(list, []int{i})
		if i > 0 && len(samples) >= 5 {
			list = append(list, []int{i, 0})
		}
		if i > linear && len(samples) >= 5 {
			list = append(list, []int{i, linear})
		}
	}
	return list
}

// name says the fit in words of formulas.
func (f *Fit) name(variable string) {
	var sum strings.Builder
	for i, t := range f.terms {
		factor := f.factors[i]
		switch {
		case i == 0 && factor < 0:
			sum.WriteString("-")
		case i > 0 && factor < 0:
			sum.WriteString(" - ")
		case i > 0:
			sum.WriteString(" + ")
		}
		sum.WriteString(number(math.Abs(factor)))
		if t > 0 {
			sum.WriteString("*" + fmt.Sprintf(shapes[t].text, variable))
		}
	}
	f.Text, f.Growth = sum.String(), "1"
	if f.terms[0] > 0 {
		f.Growth = fmt.Sprintf(shapes[f.terms[0]].text, variable)
	}
}

// number writes four digits, or all of a whole number that has few more.
func number(x float64) string {
	if x == math.Trunc(x) && math.Abs(x) < 1e7 {
		return fmt.Sprintf("%.0f", x)
	}
	return fmt.Sprintf("%.4g", x)
}

// onePerGrowth keeps the first fit of each growth.
func onePerGrowth(list []Fit) []Fit {
	seen := make(map[string]bool)
	return slices.DeleteFunc(list, func(f Fit) bool {
		was := seen[f.Growth]
		seen[f.Growth] = true
		return was
	})
}
