package closedform

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"gonum.org/v1/gonum/mathext"
)

// shape is a growth rate.
type shape struct {
	text  string // %s is the variable
	value func(n float64) float64
}

// shapes are the terms of fits, slow ones first. The first is constant.
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

// linear is the index of the shape n.
const linear = 2

// eulerMascheroni is the constant by which the harmonic numbers differ from the digamma function.
const eulerMascheroni = 0.57721566490153286060651209008240243

// harmonic returns H(n) for any n > 0.
func harmonic(n float64) float64 { return mathext.Digamma(n+1) + eulerMascheroni }

// criterionGap is the difference of Akaike's criterion below which two shapes are not distinguishable.
const criterionGap = 4

// Fit is a shape with its best coefficients.
type Fit struct {
	// Text is the shape with its coefficients: "1.003*n*H(n)".
	Text string `json:"formula"`
	// Growth is the fastest growing term without its coefficient: "n*H(n)", or "1".
	Growth string `json:"growth"`
	// Criterion is Akaike's criterion: lower is better, and only differences have a meaning.
	Criterion float64 `json:"aic"`
	// Residual is the greatest relative difference between the fit and the points from which it was made.
	Residual float64 `json:"residual"`
	// Misfit is the reduced chi-square: the sum of squared differences in standard errors, divided by the
	// degrees of freedom. It is about 1 for the true shape, and 0 without standard errors.
	Misfit float64 `json:"-"`
	// Refusal is the reason why the fit is not accepted: "is negative at n = 28, ...". It is "" for an accepted
	// fit.
	Refusal string `json:"-"`
	// Predictions compare the fit with the points from which it was not made.
	Predictions []Prediction `json:"predictions"`

	terms   []int // indices into shapes
	factors []float64
	// spread returns the standard error of the fit at n; it is nil if the errors are unknown.
	spread func(n float64) float64
}

// Prediction compares a fit with a point from which it was not made.
type Prediction struct {
	N         int64   `json:"at"`
	Predicted float64 `json:"predicted"`
	Measured  float64 `json:"measured"`
	// Errors is the difference in standard errors of the measured mean and the fit together, 0 if they are
	// unknown.
	Errors float64 `json:"standard_errors,omitempty"`
}

// Off returns the relative difference.
func (p *Prediction) Off() float64 {
	if p.Measured == p.Predicted {
		return 0
	}
	return (p.Predicted - p.Measured) / math.Abs(p.Measured)
}

// At evaluates the fit.
func (f *Fit) At(n float64) float64 {
	sum := 0.0
	for i, t := range f.terms {
		sum += f.factors[i] * shapes[t].value(n)
	}
	return sum
}

// sample is a point for fits. err weighs its difference from the fit; chance is its standard error, 0 for an
// exact value.
type sample struct{ n, value, err, chance float64 }

// Fits are the least squares fits of points in one variable.
type Fits struct {
	// From describes the points from which the fits are made, Held the points that they predict.
	From, Held string
	// Best are the fits that are not distinguishable from the best, in order. Others are the remaining fits.
	Best, Others []Fit
}

// fit fits all shapes to the points up to the limit upTo, and compares them with the other points. If too few
// points are on one side of the limit, it fits the smaller three quarters.
func fit(points []Point, variable string, upTo int64) (*Fits, error) {
	made := holdOut(points, upTo)
	samples, err := samplesOf(points)
	if err != nil {
		return nil, err
	}
	known := setErrors(samples, points)
	var list []Fit
	for _, terms := range models(samples[:made]) {
		f, ok := leastSquares(samples[:made], terms, known)
		if !ok {
			continue
		}
		f.setText(variable)
		f.predict(samples[made:])
		f.Refusal = f.refusal(variable, made, samples)
		list = append(list, f)
	}
	if len(list) == 0 {
		return nil, fmt.Errorf("no shape can be fitted to %s", domain([]string{variable}, points[:made]))
	}
	// Fits that are accepted come first.
	slices.SortStableFunc(list, func(a, b Fit) int {
		return cmp.Or(cmp.Compare(min(len(a.Refusal), 1), min(len(b.Refusal), 1)),
			cmp.Compare(a.Criterion, b.Criterion))
	})
	list = onePerGrowth(list)
	fits := &Fits{From: domain([]string{variable}, points[:made]), Held: domain([]string{variable}, points[made:])}
	n := 0
	for n < len(list) && list[n].accepted() == list[0].accepted() &&
		list[n].Criterion-list[0].Criterion < criterionGap {
		n++
	}
	fits.Best, fits.Others = list[:n:n], list[n:]
	return fits, nil
}

// Refuted reports whether no shape is accepted.
func (f *Fits) Refuted() bool { return !f.Best[0].accepted() }

func (f *Fit) accepted() bool { return f.Refusal == "" }

// minFitted is the minimum number of points for a fit.
const minFitted = 4

// holdOut returns the number of points for the fit. The others, at least one (minShaped), are held out.
func holdOut(points []Point, upTo int64) (made int) {
	for made < len(points) && points[made].At[0] <= upTo {
		made++
	}
	if made == len(points) {
		made -= len(points) / 4
	}
	return max(made, minFitted)
}

// samplesOf converts points to samples. It fails for a value beyond floating point and for a size below 1.
func samplesOf(points []Point) ([]sample, error) {
	list := make([]sample, len(points))
	for i := range points {
		p := &points[i]
		value, _ := p.Value.Float64()
		if math.IsInf(value, 0) || p.At[0] < 1 {
			return nil, fmt.Errorf(
				"%d has the value %s: fits are made of numbers that 64 bits hold, of variables from 1 on",
				p.At[0], shortRat(p.Value),
			)
		}
		list[i] = sample{float64(p.At[0]), value, p.Error, max(p.Error, p.Unseen)}
	}
	return list, nil
}

// nearlyExact is the weight error of an exact value, relative to the smallest standard error. An error of 0
// would refuse every shape that is not exact.
const nearlyExact = 1e-3

// setErrors sets the err of each sample, and reports whether these are standard errors. If some standard error
// is unknown, the samples are weighed by their size, since large counts vary more.
func setErrors(samples []sample, points []Point) (known bool) {
	smallest := math.Inf(1)
	for i := range points {
		if points[i].Error > 0 {
			smallest = min(smallest, points[i].Error)
		}
	}
	unknown := func(p Point) bool { return p.Sampled && p.Error <= 0 && p.Unseen <= 0 }
	if !math.IsInf(smallest, 1) && !slices.ContainsFunc(points, unknown) {
		for i := range points {
			if p := &points[i]; p.Error <= 0 {
				samples[i].err = max(p.Unseen, nearlyExact*smallest)
			}
		}
		return true
	}
	smallest = leastValue(samples)
	for i := range samples {
		samples[i].err = max(math.Abs(samples[i].value), smallest)
	}
	return false
}

// largestTerm keeps sums of squares within the range of floating point.
const largestTerm = 1e150

// models returns the sets of shapes to fit: each alone, with a constant, and with a linear term, if there are
// enough points.
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

// setText sets the text of the fit.
func (f *Fit) setText(variable string) {
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

// number writes four digits, or a whole number of up to seven digits exactly.
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
